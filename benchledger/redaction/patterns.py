"""Forms of private text that need more than a template: hints of which a text must have one, and a regex.

Each group of a regex is replaced as the kind that it is named after; the number behind the kind only makes it unique.
A `node` is a host if its name has a digit or dash and is not that of an operation. Every repetition is bounded.
"""

from __future__ import annotations

from benchledger.redaction.forms import HOST, HOST_LIST, MONTH, SECRET, USER, UUID
from benchledger.redaction.people import PEOPLE
from benchledger.redaction.places import PLACES
from benchledger.redaction.printed import PRINTED
from benchledger.redaction.secret_values import VALUE

_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
# Options of ssh: without a value, and with one.
_OPTION = r"-(?:[46AaCfGgKkMNnqrsTtVvXxYy]{1,8}+(?=[ \t])|[bcDEeFIiJLlmOopPQRSWw][ \t]{0,8}+\S{1,200}+)"
_LOGIN = rf"(?:(?P<user1>{USER})@)?(?P<host1>{HOST})"
# Two backslashes, then one; in a string of JSON or Python each is doubled.
_BACK, _SLASH = r"\\\\(?P<both>\\\\)?(?!\\)", r"\\(?(both)\\)(?!\\)"
_SUBMIT = ("srun", "sbatch", "salloc", "sacct", "bsub", "qsub")
_JOBS = ("squeue", "scancel", "sacct", "bjobs", "bkill", "qstat", "qdel")
_LAUNCH = r"\b(?:srun|(?i:sbatch)|salloc)\b[^\n]{0,200}? "
_RE_GPUSTAT = rf"^(?P<host1>{HOST})[ \t]{{2,64}}+{_DAY} {MONTH} [ \d]\d \d\d:\d\d:\d\d 20\d\d(?:[ \t]{{2}}|\s*$)"

# Patterns without a literal that is rare enough: a regex that searches fast, and one of which each match has one of it.
SLOW_PATTERNS = (
    # gpustat
    (r"(?m):\d\d 20[1-3]\d(?:[ \t]{2}|\s*$)", _RE_GPUSTAT),
    # Lists of workers: ["tf1.example.com:2222", ...]
    (r":\d{4,5}\\?[\"']", rf"(?<=[\"'])(?P<machine1>{HOST})(?=:\d{{4,5}}\\?[\"'])"),
    # /proc/net/tcp: an address in hex, with its port.
    (
        r":[0-9A-F]{4}(?![\w:.])(?<=[0-9A-F]{8}:[0-9A-F]{4})",
        r"(?<![\w:-])(?P<hexsocket1>[0-9A-F]{8})(?=:[0-9A-F]{4}(?![\w:.]))",
    ),
)

_SECRETS = (
    # A private key in base64, as in a kubeconfig: `-----BEGIN RSA PRIVATE KEY`, in which PRIVATE has three forms.
    (
        ("ls0tls1crudjti",),
        (
            r"(?P<secret1>LS0tLS1CRUdJTi(?=[A-Za-z0-9+/]{0,32}(?:UFJJVkFUR|BQUklWQVRF|BSSVZBVEU))"
            r"[A-Za-z0-9+/]{16,65536}+={0,2}+)"
        ),
    ),
    (
        ("PRIVATE KEY",),
        (
            r"BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY[A-Z ]{0,8}-{1,5}(?:\\[nr]|\s){0,8}+"
            r"(?P<secret1>[A-Za-z0-9+/=][\w+/=\\ ]{8,16384}+)"
        ),
    ),
    (
        ("public-lines:", "private-lines:", "private-mac:"),
        r"Private-MAC: (?P<secret1>[0-9a-f]{40,64})",
    ),
    # To the input of a command, and to a function
    (
        ("--password-stdin", "--stdin", "--with-token", "sudo -s"),
        (
            rf"(?i)\b(?:echo|printf)(?: -\w{{1,4}}| ['\"]?%s(?:\\n)?['\"]?){{0,4}} ['\"]?"
            rf"(?P<secret1>{VALUE})['\"]?\s{{0,4}}\|"
            r"[^|\n]{0,200}?(?:--password-stdin|--stdin|--with-token|sudo -S)"
        ),
    ),
    (
        ("<<<",),
        rf"(?i)(?:--password-stdin|--stdin|--with-token)[^\n]{{0,80}}?<<< ?['\"]?(?P<secret1>{VALUE})",
    ),
    (
        ("login(",),
        rf"(?i)\blogin\((?:[^()\n]{{0,200}}?\b(?:key|token|password) ?= ?)?['\"](?P<secret1>{VALUE})(?=['\"],? ?[)\w])",
    ),
    (("://",), r"://(?P<user1>[^\s/@:'\"<>]{1,128}+)?:(?P<secret1>[^\s/@'\"<>]{1,1024}+)@"),
    (
        ("aws",),
        (
            r"(?i)aws[^\n]{0,20}?(?:key|pwd|pw|pass|token)[^\n]{0,20}?['\"]"
            r"(?P<secret1>(?=[a-z/+]{0,40}\d)[0-9a-z/+]{40})(?=['\"])"
        ),
    ),
    (("hooks.slack.com",), r"https://(?P<secret1>hooks\.slack\.com/services/[\w/]{8,128}+)"),
    (
        ("authorization", "bearer "),
        (
            r"(?i)(?:authorization[\"']?[:=] ?[\"']?(?:basic|token)|\bbearer) {1,4}"
            r"(?P<secret1>(?=\S{0,4096}\d)[\w.~+/=-]{16,4096}+)"
        ),
    ),
    (("cookie: ",), rf"(?i)\b(?:set-)?cookie: [\w.-]{{1,64}}=(?P<secret1>{SECRET})"),
    (("password is ",), rf"(?i)\bpassword is [\"'`]?(?P<secret1>(?=[a-z_-]{{0,64}}[^a-z\s_-]){SECRET})"),
    (("curl",), rf"\bcurl\b[^\n]{{0,200}}? (?:-u|--user)[ =]['\"]?(?P<user1>{USER}):(?P<secret1>{SECRET})"),
    (("login",), rf"\blogin\b[^\n]{{0,200}}? -p[ =](?P<secret1>{SECRET})"),
    # A sentence: `The secret is: ...`, `your token ...`
    (
        ("api key", "api_key", "apikey", "token ", "token:", "secret ", "secret:", "credential"),
        (
            r"(?i)\b(?:api[_ -]?key|token|secret|credentials?)(?: [a-z]{1,12}){0,3}? ?:? ?[\"'`]?"
            r"(?P<secret1>(?=[a-f]{0,64}\d)[0-9a-f]{32,64}\b|(?-i:(?=[^\Wa-z]{0,64}[a-z])(?=[^\WA-Z]{0,64}[A-Z])"
            r"(?=(?:[^\W\d]{0,24}\d){3})[A-Za-z0-9_]{24,256}+)(?![\w./-]))"
        ),
    ),
    (("api.telegram.org/bot",), r"api\.telegram\.org/bot(?P<secret1>\d{6,12}:[\w-]{20,64}+)"),
    ((":aa",), r"(?<!\w)(?P<secret1>\d{8,10}:AA[\w-]{33})(?!\w)"),
    (("/api/webhooks/",), r"discord(?:app)?\.com/api/webhooks/(?P<secret1>\d{10,24}/[\w-]{20,128}+)"),
)

_DEVICES = (
    (("gpu-", "mig-"), rf"(?<!\w)(?:MIG-GPU-|GPU-|MIG-)(?P<device1>{UUID}(?:/\d{{1,2}}/\d{{1,2}})?)"),
    (
        ("uuid", "boot_id ", "boot id ", "machine_id ", "machine id "),
        (
            r"(?:\bUUID:|, uuid=|(?i:product|system|board|dmi|device|gpu|machine|host|server|node|cluster"
            r"|chassis)[_ ](?i:uuid)[\"']?[ \t]{0,64}+[=:]|\b(?i:boot|machine)[_ ]id)"
            rf"[ \t]{{0,64}}+[\"']?(?P<device1>{UUID})"
        ),
    ),
    (
        ("guid:", "guid ", "guid=", 'guid"', "guid\t", "gid:", "gid[", "gid "),
        (
            r"(?i)gu?id(?:\[ {0,4}\d{1,4}+\])?[\"']?[ \t:=]{1,64}+"
            r"(?P<device1>(?:0x)?[0-9a-f]{16}|(?:[0-9a-f]{4}:){3}[0-9a-f]{4})(?![\w:])"
        ),
    ),
    (
        ("mac ", "mac=", "mac:", "mac_", 'mac"', "mac'", "macaddr", "mac-addr", "hwaddr", "physical addr"),
        (
            r"(?i)\b(?:mac(?:[ _-]?addr(?:ess)?)?|hwaddr|physical addr(?:ess)?)[\"']?[ \t:=]{1,8}[\"']?"
            r"(?P<hardware1>(?:0x)?[0-9a-f]{12}|[0-9a-f]{6}[-:][0-9a-f]{6})(?![\w-])"
        ),
    ),
    # SSH keys and their fingerprints
    (
        ("ssh-rsa ", "ssh-ed25519 ", "ssh-dss ", "ecdsa-sha2-"),
        r"\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp\d{3}) (?P<device1>AAAA[\w+/]{20,1024}+={0,2})",
    ),
    (("sha256:",), r"\bSHA256:(?P<device1>[A-Za-z0-9+/]{43})(?![\w+/=])"),
    # ibhosts, ibswitches
    (("ports ",), r"^\w{2,8}[ \t]{0,8}: (?P<device1>0x[0-9a-f]{16}) ports "),
    (("s/n", "sn:", "sn="), r"\bS/?N[:=# ]{1,3}(?P<device1>[A-Z0-9]{6,20})\b"),
    (
        ("serial ",),
        r"\b(?i:serial(?: number| no\.?|#)?)(?: is)?[ :=#]{1,4}(?P<device1>\d{9,16}|(?=[A-Z]*\d)[A-Z0-9]{8,20})\b",
    ),
    (
        ("ip=", "ip:", "ip 0", "ip hex", "addr=", "addr:", "addr 0", "dress=", "dress:", "dress 0"),
        r"(?i)\b(?:ip|addr|address)(?: hex)?[ :=\"']{1,4}(?:hex )?(?:0x)?(?P<hexip1>[0-9a-f]{8})(?!\w)",
    ),
)

_COMMANDS = (
    (("ssh ",), rf"(?<![\w./-])ssh(?:[ \t]{{1,8}}+{_OPTION}){{0,16}}+[ \t]{{1,8}}+{_LOGIN}(?=[\s;&|'\")]|$)"),
    (("scp ", "rsync ", "sftp "), rf"(?<![\w./@:-]){_LOGIN}(?=:{{1,2}}[~/\w.])"),
    (("pdsh", "clush"), rf"\b(?:pdsh|clush)\b[^\n]{{0,64}}? -w[ \t]{{0,8}}(?P<hosts1>{HOST_LIST})"),
    (("srun", "sbatch", "salloc"), rf"{_LAUNCH}(?:-w|--exclude)[ \t=]{{0,8}}(?P<hosts1>{HOST_LIST})"),
    # Accounts and users in commands of schedulers, and in the head of a job's script
    (
        (*_SUBMIT, "#pbs ", "#$ -"),
        (
            rf"(?:\b(?:{'|'.join(_SUBMIT)})\b[^\n]{{0,200}}? |#(?:PBS|SBATCH|BSUB|\$) )"
            rf"-[AP][ \t]{{0,8}}(?P<group1>(?!-){USER})"
        ),
    ),
    (_JOBS, rf"\b(?:{'|'.join(_JOBS)})\b[^\n]{{0,64}}? -u[ \t]{{1,8}}(?P<user1>(?!-){USER})"),
    (("bsub",), rf"\bbsub\b[^\n]{{0,200}}? -m[ \t]{{1,8}}[\"']?(?P<host1>{HOST})"),
    (
        ("kubectl",),
        (
            r"\bkubectl (?:logs|exec|describe pod|attach|delete pod|cp)"
            rf"(?: -[it]{{1,2}}| --?[a-z]{{1,16}}[ =][\w.-]{{1,64}}){{0,4}} (?:pod/)?(?P<host1>{HOST})(?=\s|$)"
        ),
    ),
    # Windows: \\HOST\SHARE, net use Z: \\HOST\SHARE /user:DOMAIN\USER PASSWORD
    (
        ("\\\\",),
        rf"(?<![\w\\:./]){_BACK}(?P<host1>(?!(?:begin|end|text)){HOST})(?<=\w{{3}}){_SLASH}(?P<group1>[\w$.-]{{2,64}})(?={_SLASH}|[\s\"',:)]|$)",
    ),
    (("/user:",), rf"/user:(?:(?P<group1>{USER})\\{{1,2}})?(?P<user1>{USER})(?: (?P<secret1>[^\s/]\S{{3,64}}))?"),
    (("chown ",), rf"\bchown (?:-\w{{1,4}} )?(?P<user1>{USER})(?::(?P<group1>{USER}))? "),
    (("kubectl", "helm "), rf"\b(?:kubectl|helm)\b[^\n]{{0,200}}? (?:-n|--namespace)[ =](?P<group1>{USER})"),
    (
        ("--include", "--exclude"),
        (
            rf"\bdeepspeed\b[^\n]{{0,200}}? --(?:include|exclude)[ =][\"']?(?P<host1>{HOST})(?::[\d,]{{1,64}}+)?"
            rf"(?:@(?P<host2>{HOST})(?::[\d,]{{1,64}}+)?)?(?:@(?P<host3>{HOST}))?"
        ),
    ),
)

# In the order in which they are applied: secrets first, because a password may look like anything.
PATTERNS: tuple[tuple[tuple[str, ...], str], ...] = (*_SECRETS, *_DEVICES, *_COMMANDS, *PRINTED, *PEOPLE, *PLACES)
