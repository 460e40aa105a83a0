"""Forms of private text that need more than a template: hints of which a text must have one, and a regex.

Each group of a regex is replaced as the kind that it is named after; the number behind the kind only makes it unique.
A `node` is a host if its name has a digit or dash and is none of an operation. Every repetition is bounded.
"""

from __future__ import annotations

from benchledger.redaction.forms import HOST, HOST_LIST, SECRET, USER, UUID
from benchledger.redaction.places import PLACES

_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
# Options of ssh: without a value, and with one.
_OPTION = r"-(?:[46AaCfGgKkMNnqrsTtVvXxYy]{1,8}+(?=[ \t])|[bcDEeFIiJLlmOopPQRSWw][ \t]{0,8}+\S{1,200}+)"
_LOGIN = rf"(?:(?P<user1>{USER})@)?(?P<host1>{HOST})"
_LAUNCH = r"\b(?:srun|(?i:sbatch)|salloc)\b[^\n]{0,200}? "
# What may stand around the name of a machine in a sentence, and what is no machine but a part of one.
_SIGN = r"[\"'`<(\[]?"
_MACHINE = r"(?:(?:compute|head|login|worker|master|execution)[ -])?(?:node|host|machine|server)(?:name)?s?"
_PROCESS = r"(?:process|rank|worker|task|thread|pid|trainer)s? ?#?\d{1,8}(?:(?: of |/)\d{1,8})?(?: is| running)?,?"
_NO_PART = (
    r"(?!(?i:(?:cuda|[a-z]?[cgtnhxdi]pus?|devices?|rank|cores?|sockets?|numa|tpu-v|[vp]|rtx|gtx|mlx|eth|ib|python|py"
    r"|torch|pytorch|tensorflow|ubuntu|centos|debian|rhel|fp|bf|tf|int|float|uint|mps|jax|step|epoch|imagenet|cifar"
    r"|mnist|coco|wmt|squad|jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[\d.:-]{0,32}k?(?![\w-])"
    r"|(?:linux|windows|macos|darwin)-))"
)
_GAP = r"[ \t]{1,32}"
_LISTS = ("hosts", "hostnames", "nodes", "nodelist", "node_list", "machines")
_LISTED = rf"[\"'](?P<node1>{HOST})[\"']" + "".join(rf"(?:, ?[\"'](?P<node{n}>{HOST})[\"'])?+" for n in range(2, 65))
_MODE = "[bcdlps-][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][.+@]?"
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
    (("gpu-", "mig-"), rf"(?<!\w)(?:MIG-GPU-|GPU-|MIG-)(?P<device1>{UUID}(?:/\d{{1,2}}/\d{{1,2}})?)"),
    (
        ("uuid",),
        (
            r"(?:\bUUID:|, uuid=|(?i:product|system|board|dmi|device|gpu)[_ ](?i:uuid)[\"']?[ \t]{0,64}+[=:])"
            rf"[ \t]{{0,64}}+[\"']?(?P<device1>{UUID})"
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
        ("on host", "on node", "rank "),
        (
            rf"\b(?:on (?:host|node)(?:name)?s?:?|[Rr]ank \d{{1,6}} on) {_SIGN}{_NO_PART}"
            rf"(?P<host1>(?=[\w.]{{0,62}}[\d-]){HOST})"
        ),
    ),
    (
        ("ing on ", "runs on ", "ed on ", "logue on ", *(f"{digit} on " for digit in range(10))),
        (
            r"(?i)\b(?:running|runs|launch(?:ed|ing)|(?:re)?start(?:ed|ing)|spawned|created|execut(?:ed|ing)|scheduled"
            rf"|allocated|dispatched|(?:pro|epi)logue|{_PROCESS}) on (?:(?:the )?{_MACHINE}:? )?"
            rf"{_SIGN}{_NO_PART}(?P<node1>{HOST})(?![/(])"
        ),
    ),
    # A word with a digit: `host pre-processing` and `node multi-GPU` are none.
    (
        ("node ", "host ", "machine "),
        rf"(?<![\w{{-])(?i:{_MACHINE}) {_SIGN}{_NO_PART}(?=[\w.-]{{0,62}}\d)(?P<node1>{HOST})(?![/(=:])",
    ),
    (
        ("worker ", "rank ", "process ", "task "),
        rf"(?i)\b{_PROCESS} ?[(@\[] ?{_NO_PART}(?P<node1>{HOST})(?=[\])\s,:])",
    ),
    (("node '",), r"[Nn]ode '(?P<host1>[A-Za-z0-9][A-Za-z0-9.-]{1,250}+)_\d{1,9}_\d{1,4}'"),
    (
        ("to [", "on [", "from ["),
        rf"(?i)\b(?:connect(?:ed)? to|b[io]u?nd to|listen(?:ing)? on|from) \[(?P<host1>{HOST})\]:\d{{2,5}}\b",
    ),
    ((":ncpus=",), rf"(?<=\()(?P<host1>{HOST})(?=:ncpus=)"),
    (
        ("pbs_jobid", "job id", "jobid"),
        rf"(?i)\b(?:pbs_)?job ?id\W{{1,4}}\d{{1,12}}(?:\[\d{{0,6}}\])?\.(?P<host1>[a-z]{HOST})",
    ),
    # Slurm's squeue
    (
        (" r ", " pd ", " cg "),
        (
            rf"^[ \t]{{0,32}}\d{{1,12}}(?:_[\d\[\],%-]{{1,64}})?{_GAP}\S{{1,64}}{_GAP}\S{{1,64}}{_GAP}"
            rf"(?P<user1>{USER}){_GAP}(?:R|PD|CG){_GAP}[\d:-]{{4,16}}{_GAP}\d{{1,6}}{_GAP}(?:\(\w|(?P<hosts1>{HOST_LIST}))"
        ),
    ),
    # syslog
    (
        (" kernel:", "systemd[", "sshd[", "dockerd[", "containerd[", "kubelet[", "slurmd[", "cron["),
        (
            rf"(?i)^(?:{_MONTH} [ \d]\d [\d:]{{8}}|20\d\d-\d\d-\d\dT[\d:.+-]{{8,24}}Z?) (?P<host1>{HOST}) "
            r"[a-z][\w./-]{1,40}(?:\[\d{1,8}\])?: "
        ),
    ),
    # NCCL, a warning with its file of code; Open MPI, UCX, Intel MPI
    (
        (" nccl ",),
        (
            rf"(?<![A-Za-z0-9])(?P<host1>{HOST}):\d{{1,18}}(?::\d{{1,18}})?{_GAP}\[\d{{1,4}}\]{_GAP}"
            r"(?:[\w./]{1,64}:\d{1,6} )?NCCL "
        ),
    ),
    (
        ("] [ ", "] signal", "] failing", "] opal", "] orte", "] btl", "] pml", "] select", "] read"),
        rf"\[(?P<host1>{HOST}):\d{{1,8}}\] (?=\[ ?\d|Signal|Failing|OPAL|ORTE|btl|pml|select|Read)",
    ),
    (("ucx",), rf"\[(?P<host1>{HOST}):\d{{1,8}}:\d{{1,8}}\]"),
    (("mpi startup()",), rf"MPI startup\(\): \d{{1,6}} {{1,16}}\d{{1,9}} {{1,16}}(?P<host1>{HOST})"),
    # Lists in JSON and Python
    (
        tuple(f"{name}{sign}" for name in _LISTS for sign in ('": [', "': [", "=[", ": [", '":[', " = [")),
        rf"(?i)(?<![a-z0-9])(?:{'|'.join(_LISTS)})[\"']? ?[:=] ?\[ ?" + _LISTED,
    ),
    ((" type nfs", " type lustre", " type cifs"), rf"(?<![\w.@/])(?P<host1>{HOST})(?=:/\S{{0,256}} on /)"),
    (("connect to (", "address of ("), rf"(?:connect to|address of) \((?P<host1>{HOST})(?=, \d{{2,5}}\))"),
    # DeepSpeed's lines of other nodes
    ((": [20",), rf"^(?P<host1>{HOST})(?=: \[20\d\d-\d\d-\d\d \d\d:)"),
    (("lsb_hosts",), "LSB_HOSTS=[\"']?" + "".join(rf"(?: ?(?P<host{n}>{HOST}))?+" for n in range(1, 65))),
    (("lsb_mcpu_hosts",), "LSB_MCPU_HOSTS=[\"']?" + "".join(rf"(?: ?(?P<host{n}>{HOST}) \d+)?+" for n in range(1, 65))),
    (("user <",), rf"\b[Uu]ser <(?P<user1>{USER})>"),
    (("project <",), rf"\bProject <(?P<group1>{USER})>"),
    (("namespace ",), rf"\bin (?:the )?namespace [\"']?(?P<group1>{USER})(?!:)"),
    (("created by ",), rf"\bcreated by (?P<user1>{USER}) at 20\d\d-"),
    (("opened for user ",), rf"opened for user (?P<user1>{USER})"),
    (("step created on ",), rf"step created on (?P<host1>{HOST})"),
    ((" pid ",), rf"\bPid {{1,8}}\d{{1,9}} on {{1,8}}(?P<host1>{HOST}) device\b"),
    (("(core ",), rf", on (?P<host1>{HOST})\.? \(core "),
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

# In the order in which they are applied: secrets first, because a password may look like anything.
PATTERNS: tuple[tuple[tuple[str, ...], str], ...] = (*_SECRETS, *_DEVICES, *_COMMANDS, *_PRINTED, *PLACES)
