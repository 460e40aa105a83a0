"""Which sources the extension was compiled from: one of other sources is not used, for it may mean something else.

native/build_hook.py runs this file by its path, before the package can be imported.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

HERE = Path(__file__).resolve().parent


def python_stamp() -> str:
    """What the Python files that speak to the extension hold; they stand beside it, in a wheel too."""
    return _stamp([*HERE.glob("native_*.py"), HERE / "_native.pyi"])


def c_stamp() -> str | None:
    """What the C files hold; None where there are none: in an installed wheel."""
    folder = HERE.parent.parent / "native"
    return _stamp([*folder.glob("*.c"), *folder.glob("*.h")]) if (folder / "module.c").is_file() else None


def _stamp(paths: list[Path]) -> str:
    told = blake2b(digest_size=8)
    for path in sorted(paths):
        if path.is_file():
            told.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return told.hexdigest()
