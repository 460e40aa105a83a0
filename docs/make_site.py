"""Prepares the documentation as a site: python -m docs.make_site FOLDER. `make site-docs` builds it from there.

The pages are those of the repository. Added are the navigation, which docs/README.md lists, a page of all commands from
their help, a page of all queries from their comments, and below each command of plots.md the picture that it draws.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docs.make_command_pages import commands_page, queries_page

TOP = Path(__file__).resolve().parent.parent
INDEX = Path("docs/README.md")
MADE = {Path("docs/commands.md"): commands_page, Path("docs/queries.md"): queries_page}
# The section of docs/README.md that the made pages begin.
MADE_IN = "Reference"
LINK = re.compile(r"\[([^\]]+)\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
# A page that prose names by its path, and not within code or a link.
_NAMED = re.compile(r"(?<!\]\()(?<![\w/\[`])((?:docs/[\w-]+|[A-Z]{4,})\.md)(?![\w`\]])")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# The words after the language of a block: the file that it is, or "notebook".
_FILE = re.compile(r"^```(\w+) (.+)")
_DRAWN = re.compile(r"^bench (plot .*--output (\S+\.svg))", re.MULTILINE)
# A page, or a title with its page or pages.
Nav = list["str | dict[str, str | Nav]"]


def main() -> None:
    """Writes pages and configuration into a folder."""
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    pages = folder / "pages"
    for path in pages_of_the_site():
        (pages / path).parent.mkdir(parents=True, exist_ok=True)
        (pages / path).write_text(site_page(path, (TOP / path).read_text(encoding="utf-8")), encoding="utf-8")
    for path, page in MADE.items():
        (pages / path).write_text(page(), encoding="utf-8")
    shutil.copytree(TOP / "docs" / "pictures", pages / "docs" / "pictures")
    shutil.copy(TOP / "docs" / "site.css", pages)
    _draw_plots(pages / "docs" / "plots.md")
    config = (TOP / "docs" / "zensical.toml").read_text(encoding="utf-8")
    # JSON with other separators is TOML.
    nav = json.dumps(navigation(), ensure_ascii=False, separators=(", ", " = "))
    (folder / "zensical.toml").write_text(config.replace("nav = []", f"nav = {nav}"), encoding="utf-8")


def pages_of_the_site() -> list[Path]:
    """Returns every page, as a path in the repository."""
    found = [*TOP.glob("*.md"), *TOP.glob("docs/*.md"), *TOP.glob("docs/decisions/*.md")]
    return sorted(page.relative_to(TOP) for page in found)


def navigation() -> Nav:
    """Returns the pages by the headings of docs/README.md."""
    parts = (TOP / INDEX).read_text(encoding="utf-8").split("\n## ")[1:]
    first: dict[str, Nav] = {parts[0].split("\n", 1)[0]: [str(INDEX)], MADE_IN: [str(page) for page in MADE]}
    entries: Nav = [{"Home": "README.md"}]
    for heading, text in (part.split("\n", 1) for part in parts):
        entries.append({heading: first.get(heading, []) + _listed(INDEX, text)})
    return entries


def _listed(index: Path, text: str) -> Nav:
    """Returns the pages that a list links, by the words of the link; below a README.md those that it links."""
    entries: Nav = []
    for words, target in LINK.findall(text):
        page = Path(os.path.normpath(index.parent / target))
        title = words[:1].upper() + words[1:]
        if page.name == "README.md" and page.parent != Path():
            entries.append({title: [str(page), *_listed(page, (TOP / page).read_text(encoding="utf-8"))]})
        elif page.name != "README.md":
            # The title of a decision is that of its page.
            entries.append(str(page) if words.isdigit() else {title: str(page)})
    return entries


def site_page(path: Path, text: str) -> str:
    """Returns a page for the site: a page that prose names is a link; the file that a block is, its title."""

    def link(match: re.Match[str]) -> str:
        named = match[1]
        return f"[{named}]({os.path.relpath(named, path.parent)})" if (TOP / named).is_file() else named

    def titled(match: re.Match[str]) -> str:
        return f"```{match[1]}" + (f' title="{match[2]}"' if "." in match[2] else "")

    fences = [_FILE.sub(titled, fence) for fence in _FENCE.findall(text)]
    prose = _FENCE.split(text)
    return "".join(_NAMED.sub(link, part) + fence for part, fence in zip(prose, [*fences, ""], strict=True))


def _draw_plots(page: Path) -> None:
    """Runs the commands of a page that write an SVG, in a folder with a ledger of data/made, and shows each below."""
    pictures = page.parent / "pictures"
    with tempfile.TemporaryDirectory() as folder:
        _bench(Path(folder), f"ingest {shlex.quote(str(TOP / 'data' / 'made'))}")

        def shown(fence: re.Match[str]) -> str:
            pieces = [fence[0]]
            for command, file in _DRAWN.findall(fence[0]):
                _bench(Path(folder), command)
                shutil.copy(Path(folder) / file, pictures)
                pieces.append(f"`bench {command}`\n\n![The plot that the command draws](pictures/{file}){{ .picture }}")
            return "\n\n".join(pieces)

        page.write_text(_FENCE.sub(shown, page.read_text(encoding="utf-8")), encoding="utf-8")


def _bench(folder: Path, words: str) -> None:
    known = {key: value for key, value in os.environ.items() if not key.startswith("BENCH_")}
    subprocess.run(
        [sys.executable, "-m", "benchledger.cli.main", "--quiet", *shlex.split(words, comments=True)],
        cwd=folder, env={**known, "PYTHONPATH": str(TOP)}, stdout=subprocess.DEVNULL, check=True,
    )  # fmt: skip


if __name__ == "__main__":
    main()
