"""Names of people in sentences and in the rows of tables. Every repetition is bounded."""

from __future__ import annotations

from benchledger.redaction.forms import HOST, MONTH, PERSON, SIGN, USER

# Words that stand after `user` and name nobody.
_NO_USER = (
    r"(?!(?i:an?|the|part|input|code|data|defined|specified|provided|interface|scripts?|functions?|requests?|guide|mode"
    r"|space|errors?|levels?|agent|ids?|names?|models?|config|settings?|interrupts?|experience|time|query|prompts?|slurm"
    r"|scheduler|you|us|them|it|default|someone|nvidia|google|intel|meta|dell|user)\b)"
)
_LOGIN = r"(?P<user1>[a-z][\w.-]{1,31}+)"
_MODE = "[bcdlps-][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][.+@]?"
_TITLES = (
    "author",
    "contact",
    "maintainer",
    "owner",
    "from:",
    "researcher",
    "investigator",
    "reviewed-by",
    "signed-off-by",
)

PEOPLE = (
    ((" as @", "su - "), rf"\b(?:as @|su - )(?P<user1>{USER})"),
    (
        # Not `operator`: `Operator: Batch Norm` names none.
        (*_TITLES, "full name", "full_name", "play_name", "playname", "play name"),
        (
            rf"(?i:(?<![a-z])(?:{'|'.join(_TITLES).replace(':', '')}|full[ _]name|author[ _]name|display[ _]?name)"
            r"s?[\"']?[:=] ?[\"']?)"
            rf"(?P<person1>{PERSON})(?![\w(]|\.\w)"
        ),
    ),
    (("@",), rf"(?P<person1>{PERSON}) (?=[<(][\w.+-]{{1,64}}@)"),
    # git blame
    (
        tuple(f" {sign}{hour:02}00 " for sign in "+-" for hour in range(15)),
        r"^\^?[0-9a-f]{7,40} (?:\S{1,200} +)?\((?P<user1>[^\d\n()]{2,40}?) +(?=20\d\d-\d\d-\d\d )",
    ),
    (("user <", "opened for user "), rf"\b(?:[Uu]ser <|opened for user )(?P<user1>{USER})"),
    (("by user ", "dr. ", "prof. "), rf"(?:\b[Bb]y user |(?=\b(?:Dr|Prof)\.))(?P<user1>{PERSON})"),
    (
        ("tel:", "tel.", "tel ", "phone", "mobile"),
        (
            r"(?i)\b(?:tel|(?:tele)?phone|mobile)(?:[_ ]?(?:no|nr|number))?[.: =]{1,4}"
            r"(?P<user1>(?:\+\d|\(?0\d)[\d ()/-]{6,20}\d)(?!\.?\d)"
        ),
    ),
    (("uid=",), rf"\be?uid=(?P<id1>\d{{1,9}})\((?P<user1>{USER})\)"),
    (("gid=", "groups="), rf"\b(?:e?gid|groups)=(?P<id1>\d{{1,9}})\((?P<group1>{USER})\)"),
    (
        ("uid=", "gid=", "uid:", "gid:", '_uid"', '_gid"', "/run/user/", "krb5cc_", "userid=", "groupid="),
        (
            r"(?:(?<![a-z])[UG]ID(?:[=:]|\": ?\"?)|[(,] ?[ug]id=|\bauid=|/run/user/|krb5cc_"
            r"|\b(?:User|Group)Id=\S{1,64}\()"
            r"(?P<id1>\d{4,9})\b"
        ),
    ),
    # ~/.ssh/config, and the log of a web server
    (("user ",), rf"^[ \t]{{1,8}}User (?P<user1>{USER})\s*$"),
    (('] "get', '] "post', '] "head'), rf"\d - (?P<user1>{USER}) (?=\[\d\d/{MONTH}/20\d\d:)"),
    (
        ("for user", "by user", "as user", "of user"),
        rf"\b(?:for|by|as|of) user:? {SIGN}{_NO_USER}{_LOGIN}(?=[\s.,;:)\]'\">]|$)",
    ),
    (("user ",), rf"\b[Uu]ser {_NO_USER}{_LOGIN} (?:has|does|is not|cannot|exceeded|not found|exceeds)\b"),
    (("user ",), rf"(?<=[;,(] )user {_NO_USER}{_LOGIN}(?=\s*$|[),;])"),
    (("host-",), rf"\bhost-[0-9a-f]{{8}} as {_NO_USER}{_LOGIN}(?=[\s.,;:)]|$)"),
    (
        ("ed by ", "run by "),
        (
            r"\b(?i:started|launched|created|requested|cancell?ed|run) by "
            r"(?P<owner1>(?=[a-z]{1,20}[._\d])[a-z][\w.]{1,30}\w)(?<!\.py)(?<!\.sh)(?=[\s,;)]|$)"
        ),
    ),
    (("running as ",), rf"(?i)\brunning as (?:user )?{_NO_USER}{_LOGIN}(?=[\s.,;:)]|$)"),
    (
        tuple(f"{verb} by " for verb in ("submitted", "owned", "queued", "reserved", "booked")),
        (
            # CUDA: `2.02 GiB is reserved by PyTorch but unallocated`
            r"(?i)\b(?:submitted|owned|queued|booked|reserved(?! by \S{1,64} (?!for|until|till|from|at|on)\w)) by "
            rf"{_NO_USER}(?:user )?{_LOGIN.replace('user1', 'owner1')}(?=[\s.,;)]|$)"
            rf"(?: from (?P<node1>{HOST}))?"
        ),
    ),
    # gpustat's users
    (
        tuple(f"{digit}m)" for digit in range(10)),
        r"(?<=[| ])(?P<user1>[a-z_][\w.-]{0,31}+)(?=(?::[\w.-]{1,64}+/\d{1,9}+)?\(\d{1,7}+M\))",
    ),
    # ls -l
    (
        ("-rw", "drw", "lrw", "-r-", "dr-"),
        rf"(?<!\w){_MODE}[ \t]{{1,8}}+\d{{1,9}}+[ \t]{{1,32}}+(?P<user1>{USER})[ \t]{{1,32}}+(?P<group1>{USER})[ \t]",
    ),
    # ps aux
    (
        ("pts/", " ? ", "?\t"),
        (
            r"^(?P<user1>[A-Za-z_][\w.+-]{0,31}+)[ \t]{1,32}+\d{1,9}+[ \t]{1,8}+\d{1,4}(?:\.\d)?+[ \t]{1,8}+\d{1,3}\.\d"
            r"[ \t]{1,16}+\d{1,12}+[ \t]{1,16}+\d{1,12}+[ \t]"
        ),
    ),
    # ps -ef
    (
        ("pts/", " ? ", "?\t", "tty"),
        (
            r"^(?P<user1>[A-Za-z_][\w.+-]{0,31}+)(?:[ \t]{1,32}+\d{1,9}+){3}[ \t]{1,16}+"
            r"(?:\d\d:\d\d|[A-Z][a-z]{2} ?\d\d|20\d\d)[ \t]"
        ),
    ),
    # who, last
    (("pts/",), r"^(?P<user1>[A-Za-z_][\w.+-]{0,31}+)[ \t]{1,32}+pts/\d"),
    # top
    ((" 20   0 ",), rf"^[ \t]{{0,8}}\d{{1,8}} (?P<user1>{USER})[ \t]{{1,16}}20   0 "),
    (("logged in as",), rf"logged in as:? (?P<user1>{USER})(?: \((?P<group1>{USER})\))?"),
)
