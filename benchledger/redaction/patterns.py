"""Forms of private text that need more than a template: hints of which a text must have one, and a regex.

Each group of a regex is replaced as the kind that it is named after; the number behind the kind only makes it unique.
An `owner` is a user unless its name is a word for what a folder holds. Every repetition is bounded.
"""

from __future__ import annotations

# Host names follow DNS. User names may be in any script, and end where a path or a list continues.
HOST = r"\w[\w-]{0,62}+(?:\.[\w-]{1,63}+){0,8}+"
USER = r"[^\s/\\:;,'\"<>|()\[\]{}*?$&=@%#`]{1,64}+"
_LETTER = r"[^\s'\"`,;&<>(){}\[\]|*$\\]"
SECRET = rf"{_LETTER}{{4,4096}}+"
# A secret after its name: all that stands in quotes, else also what follows a comma, if no other field begins there.
QUOTED = "|".join(rf"(?<={sign})(?:\\[^{sign}\n]|[^{sign}\\\n]){{4,4096}}+(?=\\?{sign})" for sign in "\"'")
LISTED_SECRET = rf"(?:{_LETTER}|(?<=\w),(?={_LETTER})(?![\w-]{{1,64}}+[=:])){{4,4096}}+"
# mpirun's `a:8,b:8`, srun's `node[01-04],login1`
_LISTED = rf"{HOST}(?:\[[\d,-]{{1,200}}+\][\w-]{{0,16}})?+(?::\d{{1,3}}+)?+"
HOST_LIST = rf"{_LISTED}(?:,{_LISTED}){{0,4095}}+"

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
# Options of ssh: without a value, and with one.
_OPTION = r"-(?:[46AaCfGgKkMNnqrsTtVvXxYy]{1,8}+(?=[ \t])|[bcDEeFIiJLlmOopPQRSWw][ \t]{0,8}+\S{1,200}+)"
_LOGIN = rf"(?:(?P<user1>{USER})@)?(?P<host1>{HOST})"
_LAUNCH = r"\b(?:srun|(?i:sbatch)|salloc)\b[^\n]{0,200}? "
_STORE = "(?:s3[an]?|gs|gcs|az|abfss?|wasbs?|oss|obs|cos|bos|tos|r2|b2|swift|dbfs)"
_PATH = r"(?:/(?P<path1>[^\s'\"`,;<>(){}\[\]|\\?#]{1,1024}+)?)?"
_DISKS = ("scratch", "fsx", "lustre", "gpfs", "nfs")
_BETWEEN = (
    r"(?:(?:users?|home|scratch|work|projects?|fs\d{1,3}|fsw|alpine|snx\d{1,5}|local|global|gpfs|lustre|nfs|data|sd|[a-z])/)"
    r"{0,4}"
)
_MODE = "[bcdlps-][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][.+@]?"
_PAGES = "authorize|site|quickstart|settings|login|home|docs"
_RE_GPUSTAT = rf"^(?P<host1>{HOST})[ \t]{{2,64}}+{_DAY} {_MONTH} [ \d]\d \d\d:\d\d:\d\d 20\d\d(?:[ \t]{{2}}|\s*$)"

# Patterns without a literal that is rare enough: a regex that searches fast, and one of which each match has one of it.
SLOW_PATTERNS = (
    # gpustat
    (r"(?m):\d\d 20[1-3]\d(?:[ \t]{2}|\s*$)", _RE_GPUSTAT),
    # /proc/net/tcp: an address in hex, with its port.
    (
        r":[0-9A-F]{4}(?![\w:.])(?<=[0-9A-F]{8}:[0-9A-F]{4})",
        r"(?<![\w:-])(?P<hexsocket1>[0-9A-F]{8})(?=:[0-9A-F]{4}(?![\w:.]))",
    ),
)

_SECRETS = (
    (
        ("PRIVATE KEY",),
        (
            r"BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY[A-Z ]{0,8}-{1,5}(?:\\[nr]|\s){0,8}+"
            r"(?P<secret1>[A-Za-z0-9+/=][\w+/=\\ ]{8,16384}+)"
        ),
    ),
    (("://",), r"://(?P<user1>[^\s/@:'\"<>]{1,128}+)?:(?P<secret1>[^\s/@'\"<>]{1,1024}+)@"),
    (
        ("aws",),
        (
            r"(?i)aws[^\n]{0,20}?(?:key|pwd|pw|pass|token)[^\n]{0,20}?['\"]"
            r"(?P<secret1>(?=[a-z/+]{0,40}\d)[0-9a-z/+]{40})(?=['\"])"
        ),
    ),
    (("secret",), r"(?i)secret[_ ]?access[_ ]?key\W{1,5}(?P<secret1>(?=[a-z/+]{0,40}\d)[0-9a-z/+]{40})(?![\w/+])"),
    (("hooks.slack.com",), r"https://(?P<secret1>hooks\.slack\.com/services/[\w/]{8,128}+)"),
    (
        ("authorization", "bearer "),
        (
            r"(?i)(?:authorization[\"']?[:=] ?[\"']?(?:basic|token)|\bbearer) {1,4}"
            r"(?P<secret1>(?=\S{0,4096}\d)[\w.~+/=-]{16,4096}+)"
        ),
    ),
    (("curl",), rf"\bcurl\b[^\n]{{0,200}}? (?:-u|--user)[ =]['\"]?(?P<user1>{USER}):(?P<secret1>{SECRET})"),
    (("login",), rf"\blogin\b[^\n]{{0,200}}? -p[ =](?P<secret1>{SECRET})"),
)

_DEVICES = (
    (("gpu-", "mig-"), rf"(?<!\w)(?:MIG-GPU-|GPU-|MIG-)(?P<device1>{_UUID}(?:/\d{{1,2}}/\d{{1,2}})?)"),
    (
        ("uuid",),
        (
            r"(?:\bUUID:|, uuid=|(?i:product|system|board|dmi|device|gpu)[_ ](?i:uuid)[\"']?[ \t]{0,64}+[=:])"
            rf"[ \t]{{0,64}}+[\"']?(?P<device1>{_UUID})"
        ),
    ),
    (
        ("guid:", "guid ", "guid=", 'guid"', "guid\t", "gid:", "gid[", "gid "),
        (
            r"(?i)gu?id(?:\[ {0,4}\d{1,4}+\])?[\"']?[ \t:=]{1,64}+"
            r"(?P<device1>0x[0-9a-f]{16}|(?:[0-9a-f]{4}:){3}[0-9a-f]{4})(?![\w:])"
        ),
    ),
    (
        ("mac ", "mac=", "mac:", "mac_", 'mac"', "mac'", "macaddr", "mac-addr"),
        r"(?i)\bmac(?:[ _-]?addr(?:ess)?)?[\"']?[ \t:=]{1,8}[\"']?(?P<hardware1>(?:0x)?[0-9a-f]{12})(?!\w)",
    ),
    (("<serial>",), r"<serial>(?P<device1>[\w-]{6,64})<"),
    (
        ("ip=", "ip:", "ip 0", "ip hex", "addr=", "addr:", "addr 0", "dress=", "dress:", "dress 0"),
        r"(?i)\b(?:ip|addr|address)(?: hex)?[ :=\"']{1,4}(?:hex )?(?:0x)?(?P<hexip1>[0-9a-f]{8})(?!\w)",
    ),
)

_COMMANDS = (
    (("ssh ",), rf"(?<![\w./-])ssh(?:[ \t]{{1,8}}+{_OPTION}){{0,16}}+[ \t]{{1,8}}+{_LOGIN}(?=[\s;&|'\")]|$)"),
    (("scp ", "rsync ", "sftp "), rf"(?<![\w./@:-]){_LOGIN}(?=:{{1,2}}[~/\w.])"),
    (("pdsh", "clush"), rf"\b(?:pdsh|clush)\b[^\n]{{0,64}}? -w[ \t]{{0,8}}(?P<hosts1>{HOST_LIST})"),
    (("srun", "sbatch", "salloc"), rf"{_LAUNCH}-w[ \t]{{0,8}}(?P<hosts1>{HOST_LIST})"),
    (("srun", "sbatch", "salloc"), rf"{_LAUNCH}-A[ \t]{{0,8}}(?P<group1>{USER})"),
    (("bsub", "qsub"), rf"\b(?:bsub|qsub)\b[^\n]{{0,200}}? -P[ \t]{{1,8}}(?P<group1>{USER})"),
    (("bsub",), rf"\bbsub\b[^\n]{{0,200}}? -m[ \t]{{1,8}}[\"']?(?P<host1>{HOST})"),
    (
        ("kubectl",),
        (
            r"\bkubectl (?:logs|exec|describe pod|attach|delete pod|cp)(?: -[a-z]{1,4}){0,4}+ (?:pod/)?"
            rf"(?P<host1>{HOST})(?=\s|$)"
        ),
    ),
    (("kubectl",), rf"\bkubectl\b[^\n]{{0,200}}? (?:-n|--namespace)[ =](?P<group1>{USER})"),
    (
        ("--include", "--exclude"),
        (
            rf"\bdeepspeed\b[^\n]{{0,200}}? --(?:include|exclude)[ =][\"']?(?P<host1>{HOST})(?::[\d,]{{1,64}}+)?"
            rf"(?:@(?P<host2>{HOST})(?::[\d,]{{1,64}}+)?)?(?:@(?P<host3>{HOST}))?"
        ),
    ),
)

_PRINTED = (
    (("pdsh@",), rf"\bpdsh@(?P<host1>{HOST}): (?P<host2>{HOST}): "),
    (("assigned ",), rf"\bassigned (?P<group1>{USER})/(?P<host1>{HOST}) to (?P<host2>{HOST})"),
    (("world info dict", "global_rank_mapping"), rf"(?<=['\"])(?P<host1>{HOST})(?=['\"]: \[)"),
    (("slurmd", "slurmstepd"), rf"\bslurm(?:step)?d[\[-](?P<host1>{HOST})(?=\]?: )"),
    # A word with a digit or dash is a name: `on host memory` is none.
    (
        ("on host ", "on node ", "rank "),
        rf"\b(?:on (?:host|node)|[Rr]ank \d{{1,6}} on) (?P<host1>(?=[\w.]{{0,62}}[\d-]){HOST})",
    ),
    (("connect to (", "address of ("), rf"(?:connect to|address of) \((?P<host1>{HOST})(?=, \d{{2,5}}\))"),
    # DeepSpeed's lines of other nodes
    ((": [20",), rf"^(?P<host1>{HOST})(?=: \[20\d\d-\d\d-\d\d \d\d:)"),
    (("lsb_hosts",), "LSB_HOSTS=[\"']?" + "".join(rf"(?: ?(?P<host{n}>{HOST}))?+" for n in range(1, 65))),
    (("lsb_mcpu_hosts",), "LSB_MCPU_HOSTS=[\"']?" + "".join(rf"(?: ?(?P<host{n}>{HOST}) \d+)?+" for n in range(1, 65))),
    (("user <",), rf"\b(?:by|as) user <(?P<user1>{USER})>"),
    (
        ("host <", "host(s) <", "hosts <", "cluster <"),
        rf"\b(?:from host|(?i:on hosts?(?:\(s\))?)|in cluster) <(?:\d{{1,4}}\*)?(?P<host1>{HOST})>",
    ),
    (tuple(f"{digit}*" for digit in range(10)), rf"<\d{{1,4}}\*(?P<host1>{HOST})>"),
    (
        ("linux ", "darwin "),
        rf"\b(?:Linux|Darwin) (?P<host1>{HOST}) \d{{1,2}}\.\d{{1,3}}[\w.+-]{{0,64}}+ (?:#|Darwin)",
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
            r"^(?P<user1>[A-Za-z_][\w.+-]{0,31}+)[ \t]{1,32}+\d{1,9}+[ \t]{1,8}+\d{1,4}\.\d[ \t]{1,8}+\d{1,3}\.\d"
            r"[ \t]{1,16}+\d{1,12}+[ \t]{1,16}+\d{1,12}+[ \t]"
        ),
    ),
    # who, last
    (("pts/",), r"^(?P<user1>[A-Za-z_][\w.+-]{0,31}+)[ \t]{1,32}+pts/\d"),
    # top
    ((" 20   0 ",), rf"^[ \t]{{0,8}}\d{{1,8}} (?P<user1>{USER})[ \t]{{1,16}}20   0 "),
    (("logged in as",), rf"logged in as:? (?P<user1>{USER})(?: \((?P<group1>{USER})\))?"),
)

_PLACES = (
    (
        tuple(f"/{letter}{disk}" for disk in _DISKS for letter in ("", "l", "p", "c")),
        r"/[lpc]?(?:scratch|fsx|lustre|gpfs|nfs)\d{0,3}/"
        + _BETWEEN
        + r"(?:home-)?(?P<owner1>[A-Za-z][\w.-]{1,31}+)(?![\w@])",
    ),
    (("/u/",), r"(?<![\w/.@~-])/u/(?:[a-z]/)?(?P<owner1>[A-Za-z][\w.-]{1,31}+)(?![\w@])"),
    (
        ("://",),
        rf"(?<![A-Za-z0-9]){_STORE}://(?P<bucket1>[\w.-]{{2,255}}+)(?:@(?P<bucket2>[\w-]{{2,64}}+)[\w.]{{0,64}}+)?{_PATH}",
    ),
    (("hdfs://",), rf"hdfs://(?P<host1>{HOST})?(?::\d{{2,5}})?{_PATH}"),
    ((".s3",), rf"https?://(?P<bucket1>[\w.-]{{3,63}}?)\.s3[.-][\w.-]{{0,64}}amazonaws\.com{_PATH}"),
    (
        ("/s3.", "/s3-", "storage.googleapis.com", "storage.cloud.google.com", "storage/browser/"),
        (
            r"https?://(?:s3[.-][\w.-]{0,64}amazonaws\.com|storage\.googleapis\.com|storage\.cloud\.google\.com"
            rf"|console\.cloud\.google\.com/storage/browser)/(?P<bucket1>[\w.-]{{3,255}}+){_PATH}"
        ),
    ),
    (
        (".core.windows.net",),
        rf"https?://(?P<bucket1>[\w-]{{3,63}}+)\.(?:blob|dfs|file)\.core\.windows\.net{_PATH}",
    ),
    (("arn:aws",), rf"arn:aws[\w-]{{0,10}}:s3:::(?P<bucket1>[\w.-]{{3,63}}+){_PATH}"),
    (
        ("wandb.ai/",),
        rf"(?<![\w.])(?:(?:app|api)\.)?wandb\.ai/(?P<group1>(?!(?:{_PAGES})\b){USER})(?:/(?P<group2>{USER}))?",
    ),
)

# In the order in which they are applied: secrets first, because a password may look like anything.
PATTERNS: tuple[tuple[tuple[str, ...], str], ...] = (*_SECRETS, *_DEVICES, *_COMMANDS, *_PRINTED, *_PLACES)
