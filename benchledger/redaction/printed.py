"""Names of machines in sentences, tables and lines of libraries.

A `node` is a host if its name has a digit or dash and is not that of an operation; a `machine`, if it is also no word
for data or models. Every repetition is bounded.
"""

from __future__ import annotations

from benchledger.redaction.forms import HOST, HOST_LIST, MONTH, SIGN, USER

_MACHINE = (
    r"(?:(?:compute|head|login|worker|master|execution)[ -])?"
    r"(?:node|host|machine|server|cluster|worker|peer|agent)(?:name)?s?"
)
_PROCESS = r"(?:process|rank|worker|task|thread|pid|trainer)s? ?#?\d{1,8}(?:(?: of |/)\d{1,8})?(?: is| running)?,?"
# Not a machine: a part of one, a program, a type, a place in a run, a date.
_NO_PART = (
    r"(?!(?i:(?:cuda|[a-z]?[cgtnhxdi]pus?|devices?|rank|cores?|sockets?|numa|tpu-v|[vpi]|rtx|gtx|mlx|eth|ib|python|py"
    r"|torch|pytorch|tensorflow|ubuntu|centos|debian|rhel|fp|bf|tf|int|float|uint|mps|jax|step|epoch|imagenet|cifar"
    r"|mnist|coco|wmt|squad|sm|gfx|cu|cc|line|port|page|day|iter|iteration|batch|layer|level|xeon|epyc|ryzen|titan|tesla"
    r"|quadro|gaudi|ascend|mi|trn|inf|gh|gb|jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)"
    r"[\d.:-]{0,32}[kmbx]?(?![\w-])|(?:linux|windows|macos|darwin)-))"
)
# Verbs whose `on` is followed by data, not by a machine: `tested on ILSVRC-2012`.
_NOT_DATA = "".join(
    rf"(?<!{verb})"
    for verb in ("tuned", "rained", "tested", "eval", "uated", "uation", "dated", "score", "results", "acc", "ppl",
                 "loss", "accuracy", "based", "compiled", "built", "depends")
)  # fmt: skip
_GAP = r"[ \t]{1,32}"
# What Open MPI prints after the name of a machine.
_MPI = (
    "[", "signal", "failing", "opal", "orte", "btl", "pml", "select", "read", "set mca", "***", "mca", "pmix", "plm:",
    "mcw rank",
)  # fmt: skip
_ROW = rf"(?P<node1>{HOST})" + "".join(rf"(?:[ ,]{{1,2}}(?P<node{n}>{HOST}))?+" for n in range(2, 65))
_RANGE = r"[A-Za-z][\w-]{0,62}\[\d[\d,-]{1,200}\][\w-]{0,16}"

PRINTED = (
    (("ordereddict([(",), rf"\('(?P<host1>{HOST})', \[\d"),
    ((":   file ", ": traceback ("), rf"^(?P<node1>{HOST}): {{1,8}}(?:File \"|Traceback \()"),
    (("orte_node_regex",), rf"orte_node_regex[ =]\"?(?P<hosts1>{HOST_LIST})"),
    (("[prte-",), r"\[prte-(?P<host1>[\w.-]{1,64}?)-\d{1,9}@"),
    # ~/.ssh/config, and prompts
    (("hostname ", "proxyjump "), rf"^[ \t]{{1,8}}(?:HostName|ProxyJump) (?P<host1>{HOST})\s*$"),
    ((":~",), rf"^(?P<host1>{HOST})(?=:~\S{{0,64}}[>$#%] )"),
    (("$ ",), rf"^(?:\([\w.-]{{1,64}}\) )?(?P<node1>{HOST}):\S{{1,64}} (?P<user1>{USER})\$ "),
    (("world info dict", "global_rank_mapping"), rf"(?<=['\"])(?P<host1>{HOST})(?=['\"]: \[)"),
    (("slurmd", "slurmstepd"), rf"\bslurm(?:step)?d[\[-](?P<host1>{HOST})(?=\]?: )"),
    (
        ("slurmd: ", "slurmstepd: "),
        rf"\bslurm(?:step)?d: [^\n\[]{{1,120}}? (?P<node1>{HOST}) \[\d{{1,6}}\]:? ",
    ),
    # A name has a digit or dash: `on host memory` names no host.
    (
        ("on host", "on node", "rank "),
        (
            rf"\b(?:on (?:host|node)(?:name)?s?:?|[Rr]ank \d{{1,6}} on) {SIGN}{_NO_PART}"
            rf"(?P<host1>(?=[\w.]{{0,62}}[\d-]){HOST})"
        ),
    ),
    (
        ("ing on ", "runs on ", "ed on ", "logue on ", *(f"{digit} on " for digit in range(10))),
        (
            r"(?i)\b(?:running|runs|launch(?:ed|ing)|(?:re)?start(?:ed|ing)|spawned|created|execut(?:ed|ing)|scheduled"
            rf"|allocated|dispatched|(?:pro|epi)logue|{_PROCESS}) on (?:(?:the )?{_MACHINE}:? )?"
            rf"{SIGN}{_NO_PART}(?P<node1>{HOST})(?![/(])"
        ),
    ),
    # Elsewhere a name has two digits, or a digit after a dash.
    (
        (" on ",),
        (
            rf"{_NOT_DATA} on {SIGN}{_NO_PART}(?=[\w.]{{0,40}}(?:\d[a-z]{{0,4}}\d|-[\w-]{{0,40}}\d))"
            rf"(?P<machine1>{HOST})(?![/(=@]|:\S)"
        ),
    ),
    # A name has a digit: `host pre-processing` and `node multi-GPU` name no host.
    (
        ("node ", "host ", "hostname ", "nodename ", "machine ", "cluster ", "worker ", "peer ", "agent "),
        rf"(?<![\w{{-])(?i:{_MACHINE}) {SIGN}{_NO_PART}(?=[\w.-]{{0,62}}\d)(?P<node1>{HOST})(?![/(=]|:\S)",
    ),
    (
        ("worker ", "rank ", "process ", "task "),
        rf"(?i)\b{_PROCESS} ?[(@\[] ?{_NO_PART}(?P<node1>{HOST})(?=[\])\s,:])",
    ),
    (("node '",), r"[Nn]ode '(?P<host1>[A-Za-z0-9][A-Za-z0-9.-]{1,250}+)_\d{1,9}_\d{1,4}'"),
    (
        ("to [", "on [", "from [", "[["),
        rf"(?:(?i:connect(?:ed)? to|b[io]u?nd to|listen(?:ing)? on|from) \[|\[\[)(?P<host1>{HOST})\]:\d{{2,5}}\b",
    ),
    (
        ("connect to ", "connected to ", "connecting to ", "listening on ", "listening at ", "connection to "),
        (
            rf"(?i)\b(?:connect(?:ed|ing|ion)? to|listening (?:on|at)) {SIGN}{_NO_PART}"
            rf"(?:(?P<host1>{HOST})(?=:\d{{2,5}}\b)|(?P<node1>{HOST}))(?![/(=@])"
        ),
    ),
    (
        tuple(f"{name}{sign}" for name in ("nodes", "hosts", "machines") for sign in (": ", ":", " are ", "=")),
        rf"(?i)\b(?:nodes|hosts|machines)(?: are|[:=]) ?{_ROW}(?![\w(=:/])",
    ),
    # Before the rules for names of fields: they would read `dgx-a100`, a type of machine, of `dgx-a100-[001-004]`.
    (
        tuple(f"{name}{sign}" for name in ("node", "host", "nodes", "hosts", "list") for sign in (" ", ":", "=", '"')),
        (
            rf"(?i:nodes?|hosts?|(?:node|host)_?list)[\"']?(?: ?[:=] ?| )[\"']?"
            rf"(?P<hosts1>{_RANGE}(?:,{HOST_LIST})?)"
        ),
    ),
    # /etc/resolv.conf
    (("search ", "domain "), rf"^(?:search|domain)[ \t]{{1,8}}(?P<host1>(?=[\w-]+\.){HOST})(?=\s|$)"),
    # TensorBoard's folders of runs: Nov12_08-22-10_HOST
    (
        (tuple(f"-{digit}{last}_" for digit in "012345" for last in "0123456789")),
        rf"\b{MONTH}\d\d_\d\d-\d\d-\d\d_(?P<host1>{HOST})",
    ),
    # TensorFlow's clusters
    (("-> ",), rf"\b\d{{1,5}} -> (?P<host1>(?=[\w.-]{{0,62}}[a-z]){HOST})(?=:\d{{2,5}}\b)"),
    # Files of another machine
    ((":/",), rf"(?<![\w./@:+-])(?P<node1>(?=[\w.-]{{0,62}}\d){HOST})(?=:/[\w.])"),
    (("bytes of data",), rf"\bPING (?P<host1>{HOST}) \("),
    (("ports ",), rf"\bports \d{{1,3}} \"(?P<host1>{HOST}) (?=mlx|HCA)"),
    # kubectl
    (
        ("node/", "nodes/", "namespace/", "ns/"),
        (
            r"(?:\bkubectl\b[^\n]{0,200}? |^)"
            rf"(?:nodes?/(?P<host1>{HOST})|(?:namespace|ns)/(?P<group1>{USER}))(?=[\s;]|$)"
        ),
    ),
    (("namespace:", "namespace="), rf"(?i)(?<![\w\"'.])namespace[:=] {{0,16}}[\"']?(?P<group1>{USER})"),
    (
        ("pbs_jobid", "job id", "jobid"),
        rf"(?i)\b(?:pbs_)?job ?id\W{{1,4}}\d{{1,12}}(?:\[\d{{0,6}}\])?\.(?P<host1>[a-z]{HOST})",
    ),
    # Slurm's squeue
    (
        (" r ", " pd ", " cg "),
        (
            rf"^[ \t]{{0,32}}\d{{1,12}}(?:_[\d\[\],%-]{{1,64}})?{_GAP}\S{{1,64}}{_GAP}\S{{1,64}}{_GAP}"
            rf"(?P<user1>{USER}){_GAP}(?:R|PD|CG){_GAP}[\d:-]{{4,16}}{_GAP}\d{{1,6}}{_GAP}"
            rf"(?:\(\w|(?P<hosts1>{HOST_LIST}))"
        ),
    ),
    # PBS's qstat
    (
        (" r ", " q ", " c "),
        (
            rf"^\d{{1,12}}(?:\[\])?\.(?P<host1>{HOST}){_GAP}\S{{1,64}}{_GAP}(?P<user1>{USER}){_GAP}"
            rf"[\d:]{{1,12}}{_GAP}[RQCHE] "
        ),
    ),
    # kubectl get nodes, kubectl get pods -o wide
    (
        (" ready ", " notready ", "ready,schedulingdisabled"),
        rf"^(?P<host1>{HOST}){_GAP}(?:Not)?Ready(?:,SchedulingDisabled)?{_GAP}\S{{1,64}}{_GAP}\d{{1,5}}[dhms]",
    ),
    (
        ("<none>",),
        (
            rf"\d/\d{_GAP}\w{{1,32}}{_GAP}\d{{1,6}}(?: \([\w ]{{1,24}}\))?{_GAP}\w{{1,12}}{_GAP}\S{{1,64}}{_GAP}"
            rf"(?P<host1>{HOST}){_GAP}<none>"
        ),
    ),
    # df
    (("% /",), rf"^(?P<host1>{HOST}):/\S{{0,256}}(?:{_GAP}[\d.]{{1,16}}[KMGTP]?){{3}}{_GAP}\d{{1,3}}% /"),
    # syslog
    (
        (" kernel:", "systemd[", "sshd[", "dockerd[", "containerd[", "kubelet[", "slurmd[", "cron["),
        (
            rf"(?i)^(?:{MONTH} [ \d]\d [\d:]{{8}}|20\d\d-\d\d-\d\dT[\d:.+-]{{8,24}}Z?) (?P<host1>{HOST}) "
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
        (*(f"] {word}" for word in _MPI), " more process"),
        (
            rf"\[(?P<host1>{HOST}):\d{{1,18}}\]{_GAP}(?=\[(?: ?[\d\[]|prte-)|plm:|Signal|Failing|OPAL|ORTE|btl|pml"
            r"|select|Read|Set MCA"
            r"|\*\*\*|mca|PMIX|MCW|\d{1,9} more process)"
        ),
    ),
    (("][[",), rf"^\[(?P<host1>{HOST})\](?=\[\[\d+,\d+\],\d+\]\[)"),
    ((" nccl warn ",), rf"NCCL WARN [^<\n]{{0,80}} (?P<host1>{HOST})<\d{{1,5}}>"),
    (("ucx ", " ucc "), rf"\[(?P<host1>{HOST}):\d{{1,8}} ?:[\da-f]{{1,8}}\]"),
    (("mpi startup()",), rf"MPI startup\(\): \d{{1,6}} {{1,16}}\d{{1,9}} {{1,16}}(?P<host1>{HOST})"),
    (("syncing run",), rf"Syncing run \S{{1,128}} to (?P<group1>{USER})/(?P<group2>{USER})"),
    (("cifs",), rf"(?<![\w:/.])//(?P<host1>{HOST})/(?P<group1>[\w$.-]{{1,64}})(?= on /|[ \t]{{1,8}}/\S{{1,128}} cifs)"),
    ((" type nfs", " type lustre", " type cifs"), rf"(?<![\w.@/])(?P<host1>{HOST})(?=:/\S{{0,256}} on /)"),
    (("[errno ",), rf"\[Errno \d{{1,4}}\][^\n]{{0,80}}? \('(?P<host1>{HOST})', \d{{2,5}}\)"),
    # mpirun --tag-output
    (("<stdout>:", "<stderr>:"), rf"(?m)^\[\d{{1,6}},\d{{1,6}}\]<std(?:out|err)>: ?(?P<machine1>{HOST})(?=: )"),
    (("qsub: ", "qdel: ", "qstat: "), rf"\bq(?:sub|del|stat): [^\n]{{0,40}}?\b\d{{1,12}}\.(?P<host1>[a-z]{HOST})"),
    # Image registries
    (
        ("pulling image ", "pull image ", "pulled image ", "access denied for "),
        rf"\b(?:[Pp]ull(?:ing|ed)? image [\"']|access denied for )(?P<host1>(?=[\w-]+\.){HOST})(?=[/:])",
    ),
    (("/v2/",), rf"https?://(?P<host1>(?=[\w-]+\.){HOST})(?=/v2/(?:[\"': )]|$|[\w./-]{{1,128}}/(?:manifests|blobs)/))"),
    # DeepSpeed's lines of other nodes
    ((": [20",), rf"^(?P<host1>{HOST})(?=: \[20\d\d-\d\d-\d\d \d\d:)"),
    (("lsb_hosts",), "LSB_HOSTS=[\"']?" + "".join(rf"(?: ?(?P<host{n}>{HOST}))?+" for n in range(1, 65))),
    (("lsb_mcpu_hosts",), "LSB_MCPU_HOSTS=[\"']?" + "".join(rf"(?: ?(?P<host{n}>{HOST}) \d+)?+" for n in range(1, 65))),
    (
        ("| rank", "][rank", "] [rank", "] rank", ": rank "),
        rf"^\[?{_NO_PART}(?P<machine1>{HOST})(?:\]|:| ?\|) ?\[?rank\b",
    ),
    # A copy of files
    ((":/",), rf"\b(?:to|from) (?P<host1>(?=\w[\w-]){HOST}):/(?=\w)"),
    (("namespace ",), rf"\b(?:in|to|from) (?:the )?namespace [\"']?(?P<group1>{USER})(?!:)"),
    (("on <",), rf"\bon <(?P<node1>{HOST})>"),
    ((" pid ",), rf"\bPid {{1,8}}\d{{1,9}} on {{1,8}}(?P<host1>{HOST}) device\b"),
    (("srun: error: ",), rf"\bsrun: error: (?P<hosts1>{HOST_LIST}): task"),
    ((", executor ",), rf"\((?P<host1>{HOST})(?=, executor \d)"),
    (("(core ",), rf", on (?P<host1>{HOST})\.? \(core "),
    (
        ("host <", "host(s) <", "hosts <", "cluster <"),
        rf"\b(?:from host|(?i:on hosts?(?:\(s\))?)|in cluster) <(?:\d{{1,4}}\*)?(?P<host1>{HOST})>",
    ),
    (("dispatched ",), rf"\bDispatched [^<\n]{{2,40}}<(?:\d{{1,4}}\*)?(?P<host1>{HOST})>"),
    (tuple(f"{digit}*" for digit in range(10)), rf"<\d{{1,4}}\*(?P<host1>{HOST})>"),
    (
        ("linux ", "darwin "),
        rf"\b(?:Linux|Darwin) (?P<host1>{HOST}) \d{{1,2}}\.\d{{1,3}}[\w.+-]{{0,64}}+ (?:#|Darwin)",
    ),
)
