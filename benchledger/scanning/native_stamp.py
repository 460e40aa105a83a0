"""Hashes the sources of the extension: an extension compiled from other sources is not used.

native/build_hook.py runs this file by its path, before the package can be imported.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

HERE = Path(__file__).resolve().parent


def python_stamp() -> str:
    """Returns a hash of the Python files that call the extension; a wheel contains them too."""
    return _stamp([*HERE.glob("native_*.py"), HERE / "_native.pyi"])


def c_stamp() -> str | None:
    """Returns a hash of the C files; None in an installed wheel, which has none."""
    folder = HERE.parent.parent / "native"
    return _stamp([*folder.glob("*.c"), *folder.glob("*.h")]) if (folder / "module.c").is_file() else None


def _stamp(paths: list[Path]) -> str:
    digest = blake2b(digest_size=8)
    for path in sorted(paths):
        if path.is_file():
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
