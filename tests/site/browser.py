"""A real Chromium that opens a site: every message of its console and every request is kept."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOW = "make test-site installs playwright, and uses Debian's chromium or the one that playwright brings"


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running browser. Skips the test, and says how to get one, where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason=f"no playwright: {HOW}")
    path = os.environ.get("BENCH_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with api.sync_playwright() as playwright:
        try:
            # As root in a container there is no sandbox.
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except api.Error as error:
            pytest.skip(f"no Chromium: {HOW} ({str(error).splitlines()[0]})")
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page of a site; `told` is what its console said, `requests` the addresses that it asked for."""

    page: Page
    folder: Path
    told: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def show(self, address: str = "") -> None:
        """Opens an address of the site anew, and waits until it is drawn."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.folder.as_uri()}/index.html{address}")
        self.settled()

    def settled(self) -> None:
        """Waits until the page of the present address is drawn."""
        self.page.wait_for_selector("main[data-drawn]")
        self.page.wait_for_timeout(120)

    def text(self, selector: str = "main") -> str:
        """What a reader sees."""
        return self.page.inner_text(selector)

    def texts(self, selector: str) -> list[str]:
        """What a reader sees in each of several places."""
        return self.page.locator(selector).all_inner_texts()

    def run(self, script: str, argument: Any = None) -> Any:
        """The value of a script in the page."""
        return self.page.evaluate(script, argument)


@contextmanager
def opened(browser: Browser, folder: Path, **context: Any) -> Iterator[Opened]:
    """A site in a window of its own; at the end its console was silent, and it asked for its own files only."""
    options = {"viewport": {"width": 1280, "height": 900}, **context}
    window = browser.new_context(**options)
    site = Opened(window.new_page(), folder)
    site.page.on("console", lambda message: site.told.append(message.text))
    site.page.on("pageerror", lambda error: site.told.append(str(error)))
    site.page.on("request", lambda request: site.requests.append(request.url))
    yield site
    window.close()
    assert site.told == []
    own = ("about:blank", f"{folder.as_uri()}/", "blob:")
    assert [address for address in site.requests if not address.startswith(own)] == []
