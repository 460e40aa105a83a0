"""Private names in places: folders of users and groups, buckets, and the accounts of clouds and trackers.

An `owner` is a user unless its name is a word for what a folder holds. A `tree` is `GROUP/USER`, sometimes without
the user. In a `pair` both names are private, or neither.
"""

from __future__ import annotations

import re

from benchledger.redaction.forms import HOST, USER, UUID

_STORE = "(?:s3[an]?|gs|gcs|az|abfss?|wasbs?|oss|obs|cos|bos|tos|r2|b2|swift|dbfs)"
_PATH = r"(?:/(?P<path1>[^\s'\"`,;<>(){}\[\]|\\?#]{1,1024}+)?)?"
# File systems of clusters, as folders: /scratch, /lscratch, /holyscratch01, /mnt/beegfs, ...
_DISKS = (
    "scratch", "fsx", "lustre", "gpfs", "nfs", "beegfs", "ceph", "cpfs", "vepfs", "petrelfs", "panfs", "weka",
    "nobackup", "glade", "pfs/", "ibex",
)  # fmt: skip
_DISK = (
    rf"/[a-z]{{0,8}}?(?:{'|'.join(disk.rstrip('/') for disk in _DISKS)})"
    r"(?:[-_]?(?:shared|local|ssd|nvme|scratch|dswork|dsstore|work|data|fs)|_[a-z]{2})?\d{0,3}/"
)
_BETWEEN = (
    r"(?:(?:users?|home|scratch|work|projects?|project\d|proj|groups?|fs\d{1,3}|fsw|alpine|snx\d{1,5}|lustrep?\d{1,2}"
    r"|local|global|shared|share|portfolios|network|people|personal|members|staff|students?|gpfs|lustre|nfs|data|ws|sd|share_data|labs?|client|grid|[a-z]{1,12}-scratch"
    r"|nec|ws\d|\w{0,8}lfs|[a-z]|\d{1,6})/){0,4}"
)
_FOLDER = r"[A-Za-z][\w.-]{1,31}"
_GROUP = r"[A-Za-z][\w-]{2,31}"
_CLUSTERS = (
    "blue", "orange", "ocean", "jet", "projappl", "mmfs1", "cs", "fs", "work2", "work3", "ptmp", "uufs", "bigdata",
    "scr", "depot", "hkfs", "rwthfs", "cephyr", "efs", "hpc", "hpcwork", "network", "labs", "vast", "isilon", "anvil",
    "expanse", "tank", "juice", "zhome", "gfs",
)  # fmt: skip
# Roots of disks that hold data of many kinds, and what stands in the folder of a user.
_ROOTS = (
    "data", "disk", "mnt", "storage", "share", "vol", "cache", "hdd", "nvme", "nas", "export", "work", "net",
    "tmp", "cluster", "research", "rds", "om2", "bulk", "archive",
)  # fmt: skip
_WORK = (
    r"(?:code|codes|ckpts?|checkpoints?|outputs?|out|runs?|exps?|experiments?|projects?|\w{0,4}conda\d?|v?envs?|\.\w+"
    r"|repos?|git|github|src|wandb|results|workspace|work|dask-worker-space|mmdet\w+|detectron2?|fairseq|apex"
    r"|[Mm]egatron\S{0,4}|nanoGPT|yolov\d|swin|[\w-]{1,40}\.(?:py|sh|ipynb|ya?ml))(?=[/\\\s:'\"),]|$)"
)
_PROJECTS = ("work", "project", "projects", "proj", "groups")
_TREES = (
    "cdirs/", "/gs/", "/lus/", "/cluster/proj", "leonardo_", "/ccs/proj/", "/mimer/", "/groups/", "/proj/", "/p/",
)  # fmt: skip
# Lower case, as login names are.
_LOGIN = r"[a-z]{2}[a-z0-9._-]{0,29}"
_TREE = rf"(?P<tree1>{_GROUP}(?:/{_LOGIN}(?=/))?)(?![\w@.])"
_HOSTED = (
    "azurecr.io", "jfrog.io", "azuredatabricks.net", "cloud.databricks.com", "openai.azure.com", "vault.azure.net",
    "database.windows.net", "cloudapp.azure.com", "snowflakecomputing.com", "atlassian.net", "sharepoint.com",
    "onmicrosoft.com", "okta.com", "inference.ml.azure.com", "trycloudflare.com", "ngrok.io", "ngrok-free.app",
    "gradio.live", "paperspacegradient.com", "runpod.net", "vast.ai", "run.app", "ts.net", "azurewebsites.net",
)  # fmt: skip
_PAGES = "authorize|site|quickstart|settings|login|home|docs"

_FOLDERS = (
    # /nethome/jdoe, /homes/j/jdoe, /storage/home/rack1/3/jdoe, /om2/user/jdoe, /afs/x.edu/user/j/jdoe
    (
        ("home/", "homes/", "/home", "user/", "users/", "people/"),
        (
            r"/[\w-]{0,24}?(?:homes?|(?<![a-z])users?|people)\d{0,3}/(?:(?:[A-Za-z]|\d{1,6}|[A-Z]{2,8}\d{0,5}|[\w-]{1,32}/(?:\d{1,2}|[a-z])"
            r"|users?|user(?:external|internal|train)|staff|students?|grad|faculty|guests?|external|jusers)/){0,2}"
            rf"(?P<owner1>{_FOLDER}+)(?![\w@])"
        ),
    ),
    # The other words of a full name, whose first word is replaced already: /Users/Jane Doe/
    (("user-",), r"[/\\]user-[0-9a-f]{8}\\? (?P<user1>[A-Z][\w.-]{0,31}(?:\\? [A-Z][\w.-]{0,31}){0,2})(?=[/\\])"),
    # Disks of clusters: groups, then users, or users alone
    (
        tuple(f"/{root}/" for root in _CLUSTERS),
        (
            rf"(?<![\w.~/@-])/(?:{'|'.join(_CLUSTERS)})/{_BETWEEN}(?P<owner1>{_LOGIN}+)(?![\w@])"
            rf"(?:/(?P<owner2>{_LOGIN})(?=/))?"
        ),
    ),
    # Below folders of projects, a group and then a user
    (
        tuple(f"/{name}{digit}/" for name in _PROJECTS for digit in ("", *"123456")),
        (
            r"(?<![\w.~/@-])/(?!(?:root|workspace|opt|usr|homes?|users?|app|code|tmp|content|var)/)(?:[\w-]{1,16}/){0,3}?"
            rf"(?:{'|'.join(_PROJECTS)})\d?/(?:\d{{1,6}}/|snic/)?(?P<pair1>{_GROUP}/(?:{_LOGIN}|[a-z]\d{{4,7}}))(?=/)"
        ),
    ),
    # The folder of a user shows itself by what it holds, or by a number: /data2/jdoe/ckpts, /vol/vision/jd1020/x
    (
        tuple(f"/{root}{sign}" for root in _ROOTS for sign in "/_-0123456789"),
        (
            rf"(?<![\w.~/@-])/(?:{'|'.join(_ROOTS)})(?:[\d_-][\w-]{{0,8}})?/(?:[\w.-]{{1,24}}/){{0,2}}?"
            rf"(?!(?:nas|node|vol|slot|gpu|part)\d)(?P<owner1>[a-z]{{2,4}}\d{{3,6}}(?=/)|[a-z]\d{{5,7}}(?=/)|[a-z]{{4,14}}\d{{1,3}}(?=/)|[a-z][a-z.]{{2,20}}(?=/{_WORK}))"
        ),
    ),
    # Below folders of projects stand groups, then users; folders of code have such names too.
    (
        (*_DISKS, *_TREES),
        (
            rf"(?:{_DISK}(?:[\w-]{{1,16}}/){{0,4}}?(?:projects?|proj|groups|fsw|cdirs|orion|alpine\d?)"
            r"|(?<![\w.~/@-])/(?:groups|proj|p/(?:project\d?|scratch|largedata\d?|data\d?|arch\d?|fastdata)|ccs/proj|gs/[a-z]{2}\d|cluster/projects?"
            rf"|(?:global/)?cfs/cdirs|lus/[a-z]{{3,12}}(?:/projects)?|mimer/nobackup/groups)|/leonardo_\w{{4,8}})/{_TREE}"
        ),
    ),
    (("project_",), r"/(?P<group1>project_\d{5,12})(?:/(?P<owner1>[a-z][\w.-]{2,31})(?=/)|\b)"),
    (
        _DISKS,
        rf"{_DISK}{_BETWEEN}(?:home-)?(?P<owner1>{_FOLDER}+)(?![\w@])(?:/(?P<owner2>[a-z]{{2,12}}\d{{1,7}})(?=/))?",
    ),
    (("/u/",), r"(?<![\w/.@~-])/u/(?:[a-z]/)?(?P<owner1>[A-Za-z][\w.-]{1,31}+)(?![\w@])"),
    (("/dsshome",), rf"/dss/dsshome\d{{0,2}}/\w{{1,8}}/(?P<owner1>{_LOGIN}+)(?![\w@])"),
    (
        ("/dssfs", "apdcephfs"),
        r"/(?:dss/dssfs\d{1,3}|apdcephfs\w{0,8})/(?P<group1>[a-z]\w{3,31})(?![\w@.-])(?:/(?P<owner1>[a-z]{3,20}\d{0,3})(?=/))?",
    ),
    (
        ("/ws/", "/raid", "/media/", "/private/"),
        rf"/(?:(?<=[a-z0-9]/)ws|raid\d?|media|private)/(?P<owner1>{_LOGIN}+)(?![\w@])",
    ),
    (
        ("/checkpoint/", "/proj-shared/", "/world-shared/"),
        rf"(?:(?<![\w.~/@-])/checkpoint|/(?:proj|world)-shared)/(?P<owner1>{_LOGIN}+)(?=/)",
    ),
    (("~",), r"(?<![\w~/.@])~(?P<owner1>[a-z]{2}[\w-]{1,30}+)(?=/)"),
    # Windows: a folder of users, or a folder of a drive that holds what users have
    (
        (":\\", ":/"),
        (
            rf"(?<![A-Za-z])[A-Za-z]:[\\/]{{1,2}}(?:(?i:users?|homes?)[\\/]{{1,2}}(?P<owner1>{USER})"
            rf"|(?P<owner2>{_LOGIN})(?=[\\/]{{1,2}}(?:(?:data|datasets?|downloads)\b|{_WORK})))"
        ),
    ),
)

_BUCKETS = (
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
    (("aws s3 ",), r"\baws s3 (?:ls|mb|rb) (?P<bucket1>[a-z0-9][\w.-]{2,62})(?=[/\s]|$)"),
    (("arn:aws",), rf"arn:aws[\w-]{{0,10}}:s3:::(?P<bucket1>[\w.-]{{3,63}}+){_PATH}"),
)

_ACCOUNTS = (
    (
        ("wandb.",),
        rf"(?<![\w.])(?:(?:app|api)\.)?wandb\.(?:[\w-]{{1,63}}\.){{0,3}}[a-z]{{2,8}}/(?P<group1>(?!(?:{_PAGES})\b){USER})(?:/(?P<group2>{USER}))?",
    ),
    (("denied to access ",), rf"denied to access (?P<group1>{USER})/(?P<group2>{USER})/"),
    # Names below the domains of clouds, each of one customer
    (
        tuple(f".{domain}" for domain in _HOSTED),
        (
            r"(?<![\w.@-])(?P<host1>[\w-]{2,63}(?:\.[\w-]{1,63}){0,2}"
            rf"\.(?:{'|'.join(map(re.escape, _HOSTED))}))(?![\w-])"
        ),
    ),
    (
        ("comet.com/", "comet.ml/", "app.neptune.ai/"),
        rf"(?:comet\.(?:com|ml)|app\.neptune\.ai)/(?P<group1>(?!(?:{_PAGES}|api|signup)\b|o/){USER})/(?P<group2>{USER})",
    ),
    (("arn:aws",), r"arn:aws[\w-]{0,10}:[\w-]{1,32}:[\w-]{0,32}:(?P<group1>\d{12})(?=:)"),
    ((":user/", ":assumed-role/"), rf"(?<=:)(?:user|assumed-role/[\w+=,.@-]{{1,64}})/(?P<user1>{USER})"),
    (
        ("/instances/", "/nodes/", "/clusters/"),
        rf"/(?:zones|locations|regions)/[a-z0-9-]{{1,32}}/(?:instances|nodes|clusters)/(?P<host1>{HOST})",
    ),
    (("gke_",), r"\bgke_(?P<group1>[a-z][a-z0-9-]{4,28}[a-z0-9])_[a-z0-9-]{5,32}_(?P<host1>[a-z][\w-]{0,39})"),
    # Repositories that somebody reads with a key or pushes to: a link to a repository says nothing of its reader.
    (
        ("github.com", "gitlab.com", "bitbucket.org"),
        (
            r"(?:git@|@|(?m:^)\w{1,16}\t(?:https|ssh)://(?:git@)?)(?:github\.com|gitlab\.com|bitbucket\.org)[:/]"
            r"(?P<repo1>[\w.-]{1,64}/[\w-]{1,100})"
        ),
    ),
    (
        ("ssh://git@",),
        rf"ssh://git@(?!(?:github|gitlab|bitbucket)\.(?:com|org)\b){HOST}(?::\d{{2,5}})?/(?P<group1>{USER})/(?P<group2>[\w.-]{{1,100}}?)(?=\.git\b|[@\s]|$)",
    ),
    (
        tuple(f"project{sign}" for sign in ("_name", " name", "=", ":", '"', "'")),
        r"\bproject(?:[_ ]name)?[\"']?[:=] ?[\"'](?P<repo1>[\w.-]{1,64}/[\w.-]{1,64})[\"']",
    ),
    # Repositories of a site's own service, whose host is replaced already
    (
        ("//host-",),
        r"https?://host-[0-9a-f]{8}/(?P<group1>[\w.-]{2,64})/(?P<group2>[\w.-]{2,64}?)(?=\.git\b|/-/|[\s'\")]|$)",
    ),
    # Authors of commits
    (
        ("git@",),
        rf"\bgit@(?!(?:github|gitlab|bitbucket)\.(?:com|org)\b)[\w.-]{{1,253}}:(?P<group1>{USER})/(?P<group2>[\w.-]{{1,100}}?)(?=\.git\b|\s|$)",
    ),
    (
        ("author: ", "committer: ", "commit: ", "-by: "),
        (
            r"(?m)^ {0,4}(?:(?:Author|Committer|Commit): {1,8}|(?:Signed-off|Co-authored|Reviewed)-by: )"
            r"(?P<user1>[^\n<]{2,64}?)(?= <\S{3,128}>)"
        ),
    ),
    (("user.name=",), r"\buser\.name=(?P<user1>[^\s=,]{2,64}(?: [^\s=,]{1,64}){0,3})(?=,|\s*$)"),
    ((".dkr.ecr.",), r"(?<!\d)(?P<group1>\d{12})(?=\.dkr\.ecr\.)"),
    (
        ("subscriptions/",),
        (
            rf"(?i)\bsubscriptions/(?P<group1>{UUID})(?:/resourcegroups/(?P<group2>{USER}))?"
            rf"(?:/providers/[\w.]{{1,80}})?(?:/workspaces/(?P<group3>{USER}))?"
        ),
    ),
    (("gcloud",), rf"\bgcloud\b[^\n]{{0,200}}? --project[ =](?P<group1>{USER})"),
    (
        ("projects/",),
        r"\bprojects/(?P<group1>[a-z][a-z0-9-]{4,28}[a-z0-9]|\d{6,14})(?=/(?:zones|locations|regions|global|secrets)/)",
    ),
)

PLACES = (*_FOLDERS, *_BUCKETS, *_ACCOUNTS)
