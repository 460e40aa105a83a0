"""Tells which folders hold files of the kernel (proc, sysfs, ...): they are no logs, and some of them never end."""

from __future__ import annotations

import os
from functools import lru_cache

# Not autofs: homes and disks of clusters are mounted in its folders, and it names the places of both.
_TYPES = {
    "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts", "efivarfs", "fusectl",
    "hugetlbfs", "mqueue", "nfsd", "proc", "pstore", "rpc_pipefs", "securityfs", "selinuxfs", "sysfs", "tracefs",
}  # fmt: skip


@lru_cache(maxsize=1)
def _mounts() -> tuple[frozenset[str], frozenset[int]]:
    """The places where such file systems are mounted, and their devices; none where the system does not tell."""
    places, devices = set[str](), set[int]()
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
            for line in mounts:
                words = line.split()
                if words[words.index("-") + 1] in _TYPES:
                    places.add(words[4])
                    devices.add(os.makedev(*map(int, words[2].split(":"))))
    except (OSError, ValueError, IndexError):
        pass
    return frozenset(places), frozenset(devices)


def is_kernel_mount(folder: str) -> bool:
    return folder in _mounts()[0]


def is_of_kernel(device: int) -> bool:
    """Tells by the device number of a folder."""
    return device in _mounts()[1]


def folder_problem(device: int) -> str:
    """Returns why a folder that was found as a file cannot be read."""
    if is_of_kernel(device):
        return "a folder of the kernel (proc, sysfs, ...): it is not read"
    return "cannot be read: the folder may not be listed; give yourself the right to read it"
