"""Reads GPUs and nodes from a launcher's command line: right or unknown, never guessed.

A command that does not state the number of all its processes states nothing. One process has one GPU. A command of MPI
or Slurm counts only if it starts several processes of Python.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field

from benchledger.definitions.log_format import QUOTED, STATED

_SHORT = re.compile(r"-([nNG])([0-9]+)\Z")
_COUNT = re.compile(r"[1-9][0-9]{0,6}\Z")
# Numbers of GPUs in Slurm's options: `8`, `a100:8`, and in --gres `gpu`, `gpu:8` and `gpu:a100:8`.
_SLURM_GPUS = re.compile(r"(?:gpu(?:s/gpu)?(?=[:,]|\Z):?)?(?:[A-Za-z][\w.-]*:)?([0-9]+)?(?:,.*)?\Z")
_DEVICES = re.compile(r"[0-9]{1,4}(?:,[0-9]{1,4})*\Z")
_SCRIPT = re.compile(r".*\.(?:py|sh)\Z")
_PYTHON = re.compile(r"(?:.*/)?python[0-9.]*\Z|.*\.py\Z")
_REDIRECTION = re.compile(r"[0-9&]?>{1,2}.*|\|\Z")
_SEVERAL = ("&", "&&", "||", "|&", ":", "\\")
_LAUNCHERS = (
    "torchrun", "torch.distributed.launch", "torch.distributed.run", "deepspeed", "accelerate", "mpirun", "srun"
)  # fmt: skip
_OWN_GPUS = (
    "gpus", "num_gpus", "n_gpus", "n_gpu", "ngpus", "gpus_per_node", "num_gpus_per_node", "num_gpus_per_worker"
)  # fmt: skip
_NO_GPU = ("cpu", "use_cpu", "no_cuda", "gloo", "tpu")


class _Unknown(Exception):
    """Raised if the command does not state the number."""


@dataclass
class Launch:
    """The numbers that a command states; `gpus` is None if it starts an unknown number of processes."""

    gpus: int | None = None
    nodes: int | None = None


@dataclass
class Command:
    """A command line in a log; `value` is None if it starts a training without stating this fact."""

    name: str
    value: str | None
    value_logged: str
    line: int
    trust: int
    strength: str
    # It follows the steps, so it belongs to a later run.
    is_late: bool = False


@dataclass
class _Arguments:
    tokens: list[str]
    is_prefixed: bool
    # A program follows the options, so they are not truncated.
    is_whole: bool
    own: dict[str, str] = field(default_factory=dict)
    rest: dict[str, str] = field(default_factory=dict)

    def count(self, *names: str) -> int | None:
        given = {self.own[name] for name in names if name in self.own}
        if not given:
            return None
        if len(given) > 1 or not _COUNT.match(value := given.pop()):
            raise _Unknown
        return int(value)

    def has(self, *names: str) -> bool:
        return any(name in self.own for name in names)


def read_command(launcher: str, text: str, is_prefixed: bool = False) -> Launch | None:
    """Returns the numbers that a launcher's arguments state; None if the command starts no training.

    `is_prefixed`: other processes print into this log, so this may be one of several commands.
    """
    try:
        command = _read(text, is_prefixed)
        found = _READERS[launcher](command)
        return found if command.is_whole or found is None else Launch()
    except (_Unknown, ValueError):
        return Launch()


def agreeing_commands(commands: list[Command]) -> list[Command]:
    """Returns one command of a run for each fact that its commands state.

    The fact is unknown if commands differ or one does not state it. Commands that are only printed count only if none
    was executed.
    """
    found = []
    for name in dict.fromkeys(command.name for command in commands):
        for strength in (STATED, QUOTED):
            alike = [one for one in commands if one.name == name and one.strength == strength]
            first = next((one for one in alike if not one.is_late), None)
            if first and first.value is not None and all(one.value == first.value for one in alike):
                found.append(first)
            if alike:
                break
    return found


def _read(text: str, is_prefixed: bool) -> _Arguments:
    tokens = shlex.split(text)
    end = next((place for place, token in enumerate(tokens) if _REDIRECTION.match(token)), len(tokens))
    if any(token in _SEVERAL or token.endswith(";") for token in tokens) or len(text) >= 4096:
        raise _Unknown
    tokens = tokens[:end]
    is_module = [before in ("-m", "--module") for before in ("", *tokens)]
    programs = (place for place, token in enumerate(tokens) if is_module[place] or _SCRIPT.match(token))
    script = next(programs, len(tokens))
    command = _Arguments(tokens, is_prefixed, script < len(tokens))
    for options, part in ((command.own, tokens[:script]), (command.rest, tokens[script:])):
        _add_options(options, part)
    return command


def _add_options(options: dict[str, str], tokens: list[str]) -> None:
    for place, token in enumerate(tokens):
        if not token.startswith("-"):
            continue
        if short := _SHORT.match(token):
            name, value = short.groups()
        else:
            name, has_value, value = token.lstrip("-").partition("=")
            following = tokens[place + 1] if place + 1 < len(tokens) else "-"
            value = value if has_value else "" if following.startswith("-") else following
        name = name.replace("-", "_")
        if options.setdefault(name, value.strip()) != value.strip():
            # Two different values of one option.
            options[name] = "?"


def _whole(command: _Arguments, per_node: int, nodes: int | None, *signs_of_nodes: str) -> Launch:
    # Without a number of nodes these launchers start one. A rank or another host shows that there are more.
    if nodes is None and (command.is_prefixed or command.has(*signs_of_nodes)):
        raise _Unknown
    return Launch(per_node * (nodes or 1), nodes)


def _torchrun(command: _Arguments) -> Launch:
    per_node = command.count("nproc_per_node")
    if per_node is None:
        raise _Unknown
    nodes = command.count("nnodes")
    local = command.own.get("master_addr") in (None, "localhost", "127.0.0.1")
    if command.own.get("rdzv_endpoint", "localhost").partition(":")[0] not in ("localhost", "127.0.0.1") or not local:
        return _whole(command, per_node, nodes, *command.own)
    return _whole(command, per_node, nodes, "node_rank", "rdzv_conf")


def _paddle(command: _Arguments) -> Launch:
    per_node = command.count("nproc_per_node")
    for name in ("gpus", "devices", "selected_gpus"):
        if command.has(name):
            devices = command.own[name].replace(" ", "")
            if per_node is not None or not _DEVICES.match(devices):
                raise _Unknown
            per_node = len(set(devices.split(",")))
    if per_node is None:
        raise _Unknown
    nodes = command.count("nnodes")
    for name in ("ips", "cluster_node_ips"):
        if command.has(name):
            addresses = command.own[name].split(",")
            if nodes not in (None, len(addresses)) or not all(re.fullmatch(r"[\w.-]+", one) for one in addresses):
                raise _Unknown
            nodes = len(set(addresses))
    return _whole(command, per_node, nodes, "rank", "master", "node_ip", "host", "servers", "workers", "server_num")


def _deepspeed(command: _Arguments) -> Launch:
    per_node, nodes = command.count("num_gpus"), command.count("num_nodes")
    # Without a number of nodes it uses a hostfile, which the command need not mention.
    if per_node is None or nodes is None or command.has("include", "exclude"):
        raise _Unknown
    return Launch(per_node * nodes, nodes)


def _accelerate(command: _Arguments) -> Launch:
    # The number of processes counts all machines.
    gpus = command.count("num_processes")
    if gpus is None or command.has(*_NO_GPU):
        raise _Unknown
    return Launch(gpus, command.count("num_machines"))


def _horovodrun(command: _Arguments) -> Launch:
    gpus = command.count("np", "n", "num_proc")
    if gpus is None or command.has("min_np", "max_np", *_NO_GPU):
        raise _Unknown
    return Launch(gpus)


def _mpirun(command: _Arguments) -> Launch | None:
    return _processes(command, command.count("np", "n", "c"), command.count("npernode", "N", "ppn"))


def _srun(command: _Arguments) -> Launch | None:
    nodes, per_node = command.count("nodes", "N"), command.count("ntasks_per_node")
    processes = command.count("ntasks", "n")
    if processes is None and nodes is not None and per_node is not None:
        processes = nodes * per_node
    of_task = _slurm_gpus(command, "gpus_per_task", "ntasks_per_gpu", "gpus_per_socket")
    of_node = _slurm_gpus(command, "gpus_per_node", "gres")
    if of_task - {1} or _slurm_gpus(command, "gpus", "G") - {processes}:
        raise _Unknown
    # The tasks of a node: as stated, else all tasks over the nodes.
    if of_node - {per_node or (processes or 0) / (nodes or 1)}:
        raise _Unknown
    return _processes(command, processes, per_node)


def _slurm_gpus(command: _Arguments, *names: str) -> set[int | None]:
    asked = (_SLURM_GPUS.match(command.own[name]) for name in names if name in command.own)
    return {int(found[1] or 1) if found else None for found in asked}


def _processes(command: _Arguments, processes: int | None, per_node: int | None) -> Launch | None:
    is_python = any(_PYTHON.match(token) for token in command.tokens) and "-c" not in command.tokens
    if processes == 1 and not is_python:
        return None
    values = {**command.own, **command.rest}
    inner = any(token.rpartition("/")[2] in _LAUNCHERS for token in command.tokens)
    own_gpus = any(values.get(name, "1") != "1" for name in _OWN_GPUS)
    without = any(name in values or name in values.values() for name in _NO_GPU)
    one_a_node = per_node == 1 or any("ppr:1:node" in token or token == "node" for token in command.tokens)
    if not is_python or processes in (None, 1) or inner or own_gpus or without or one_a_node:
        raise _Unknown
    assert processes is not None
    return Launch(processes)


_READERS: dict[str, Callable[[_Arguments], Launch | None]] = {
    "torchrun": _torchrun,
    "paddle": _paddle,
    "deepspeed": _deepspeed,
    "accelerate": _accelerate,
    "horovodrun": _horovodrun,
    "mpirun": _mpirun,
    "srun": _srun,
}
