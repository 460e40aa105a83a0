"""The site as a reader uses it, in a real Chromium, opened from a folder."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

import benchledger
from benchledger.answers.tables.cells import number_text, value_text
from benchledger.site.serve import address_of, site_server
from tests.site.browser import HOW, Opened, chromium, opened
from tests.site.conftest import HOSTILE
from tests.site.reading import rows_of_table

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SIZES = {"desktop": (1400, 900), "tablet": (820, 1100), "phone": (390, 844)}


# Of the session, so that without one no site is made.
@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as one:
        yield one


@pytest.fixture
def site(browser: Browser, demo_site: Path) -> Iterator[Opened]:
    with opened(browser, demo_site) as one:
        yield one


def addresses(folder: Path) -> dict[str, str]:
    """An address of every kind of page."""
    speeds = rows_of_table(folder, "speed")
    row = max(speeds, key=lambda row: row["trials"])
    run = rows_of_table(folder, "runs")[0]
    speedup = next((row for row in rows_of_table(folder, "speedup") if row["value"] != 1), None)
    cells = "&".join(f"pick={row['cell']}" for row in speeds[:3])
    return {
        "start": "", "speed": "#table/speed", "memory": "#table/memory", "speedup": "#table/speedup",
        "runs": "#table/runs", "ranking": "#ranking", "pivot": "#pivot", "case": f"#case/{row['case']}",
        "explain": f"#explain/{row['case']}/{row['cell']}", "run": f"#run/{run['case']}/{run['run_key']}",
        "compare": f"#compare/speed?{cells}", "rule": f"#rule/{row['rule']}", "nothing": "#nowhere",
        **({} if speedup is None else {"side": f"#explain/{speedup['case']}/{speedup['cell']}"}),
    }  # fmt: skip


def test_first_page_says_what_was_measured(site: Opened, demo_ledger: Path) -> None:
    site.show()

    assert f"{benchledger.runs(db=demo_ledger)['run_key'].n_unique()} runs" in site.text(".lead")
    assert "bert_base" in site.text()


def test_a_filter_leaves_the_rows_that_sql_has(site: Opened, demo_ledger: Path) -> None:
    site.show("#table/speed")
    site.page.click("details[data-key=precision] summary")
    site.page.click("details[data-key=precision] label:has-text('fp16')")
    site.settled()

    shown = site.texts("#rows tbody td.value a")

    asked = benchledger.sql(
        "select value from speed_table where is_default and precision = 'fp16' and value is not null", db=demo_ledger
    )
    assert sorted(text for text in shown if text[0].isdigit()) == sorted(map(number_text, asked["value"]))
    # The menu stays open for the next value.
    assert site.page.locator("details[data-key=precision][open]").count() == 1


def test_a_head_sorts_and_says_so(site: Opened) -> None:
    site.show("#table/speed")
    site.page.click("button[data-key=sort-value]")
    site.settled()
    values = [float(text) for text in site.texts("#rows tbody td.value a") if text[0].isdigit()]

    assert values == sorted(values, reverse=True)
    assert site.page.get_attribute("th:has(button[data-key=sort-value])", "aria-sort") == "descending"
    # Cells without a number come last, and say why.
    assert site.texts("#rows tbody td.value a")[-1] == "OOM"


def test_search_finds_rows_by_any_text_and_keeps_the_focus(site: Opened) -> None:
    site.show("#table/runs")
    site.page.keyboard.press("/")
    site.page.keyboard.type("oom", delay=5)
    site.page.wait_for_url("**q=oom*")
    site.settled()

    assert site.page.locator("#rows tbody tr").count() >= 1
    assert all("oom" in text for text in site.texts("#rows tbody tr"))
    assert site.run("document.activeElement.id") == "search"


def test_chosen_rows_are_compared_and_unequal_work_is_called_so(site: Opened) -> None:
    site.show("#table/speed?sort=-value")
    boxes = site.page.locator("#rows tbody input")
    boxes.nth(0).check()
    boxes.nth(6).check()
    site.page.click("#compare")
    site.page.wait_for_selector("table.compare")

    assert site.text("h1") == "Compare 2 speeds"
    assert "differs" in site.text("table.compare")
    assert "not equal work" in site.text(".warning")


def test_a_number_leads_to_its_lines(site: Opened, demo_ledger: Path) -> None:
    site.show("#table/speed?sort=-value")
    site.page.locator("#rows tbody td.value a").first.click()
    site.page.wait_for_selector(".lines")
    cell = site.text(".facts code")

    asked = benchledger.explain(cell, db=demo_ledger)

    assert site.texts("ol.told li") == list(asked.sentences)
    line = asked.readings.filter(use="kept")["line"][0]
    assert str(line) in site.texts(".lines td.number")
    assert "✓ the same" in site.text()


def test_the_address_keeps_the_state(site: Opened, browser: Browser, demo_site: Path) -> None:
    site.show("#table/speed")
    site.page.fill("#search", "fp16")
    site.page.wait_for_url("**q=fp16*")
    site.page.click("button[data-key=sort-value]")
    site.settled()
    site.page.locator("#rows tbody input").first.check()
    hash_, rows = site.run("location.hash"), site.texts("#rows tbody tr")

    with opened(browser, demo_site) as other:
        other.show(hash_)

        assert other.texts("#rows tbody tr") == rows
        assert other.page.locator("#rows tbody input").first.is_checked()
        assert other.page.input_value("#search") == "fp16"


def test_columns_can_be_chosen(site: Opened) -> None:
    site.show("#table/speed?columns=value,unit,driver_version")

    assert site.texts("#rows thead th button") == ["value", "unit", "driver version"]


def test_the_rows_are_saved_as_csv(site: Opened, tmp_path: Path) -> None:
    site.show("#table/speed?precision=fp32")
    with site.page.expect_download() as saved:
        site.page.click("#csv")
    saved.value.save_as(tmp_path / "saved.csv")

    rows = list(csv.DictReader((tmp_path / "saved.csv").open(encoding="utf-8")))

    assert len(rows) == site.page.locator("#rows tbody tr").count()
    assert {row["precision"] for row in rows} == {"fp32"}


@pytest.mark.parametrize(
    ("value", "rows", "columns", "more"),
    [
        ("speed", "gpu_model", "model,task,precision", ""),
        ("speed", "gpus,batch_size_per_gpu", "precision", ""),
        ("speed", "gpus", "precision", "&best=1"),
        ("speed", "gpus", "precision", "&per=gpu"),
        ("memory", "gpus", "precision", ""),
        ("efficiency", "batch_size_per_gpu", "gpus", ""),
    ],
)
def test_its_pivot_is_that_of_the_report(
    site: Opened, demo_ledger: Path, value: str, rows: str, columns: str, more: str
) -> None:
    site.show(f"#pivot?value={value}&rows={rows}&columns={columns}{more}")
    shown = [
        [[text.strip() for text in cells] for cells in table]
        for table in site.run(
            "[...document.querySelectorAll('table.pivot')].map(table => [...table.tBodies[0].rows]"
            ".map(row => [...row.cells].map(cell => cell.textContent)))"
        )
    ]

    report = benchledger.report_pivot(
        db=demo_ledger, value=value, rows=rows, columns=columns, best="best" in more, per_gpu="gpu" in more
    )

    keys = len(rows.split(","))
    assert [[row[keys:] for row in table] for table in shown] == [
        [list(row)[keys:] for row in table.frame.iter_rows()] for table in report.tables
    ]


def test_numbers_are_written_as_the_reports_write_them(site: Opened) -> None:
    numbers = [
        0.0,
        1.0,
        0.125,
        0.005,
        2.675,
        1.005,
        0.00012345,
        0.000012345,
        0.99999,
        12345.675,
        1e15,
        3.2e17,
        0.1,
        0.5,
    ]
    numbers += [-1.005, -0.25, 999999.995, 877.125, 877.135]
    site.show()

    assert site.run("numbers => numbers.map(bench.number_text)", numbers) == list(map(number_text, numbers))


def test_dark_colours_are_chosen_by_the_system_and_by_the_button(browser: Browser, demo_site: Path) -> None:
    with opened(browser, demo_site, color_scheme="dark") as site:
        site.show()
        dark = site.run("getComputedStyle(document.body).backgroundColor")
        site.page.click("#theme")
        light = site.run("getComputedStyle(document.body).backgroundColor")

    assert (dark, light) == ("rgb(18, 22, 28)", "rgb(255, 255, 255)")


@pytest.mark.parametrize("size", SIZES)
def test_no_page_is_wider_than_the_screen(browser: Browser, demo_site: Path, size: str) -> None:
    width, height = SIZES[size]
    with opened(browser, demo_site, viewport={"width": width, "height": height}) as site:
        for name, address in addresses(demo_site).items():
            site.show(address)

            assert site.run("document.documentElement.scrollWidth") <= width, name


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_serious_on_any_page(browser: Browser, demo_site: Path, colours: str) -> None:
    axe = pytest.importorskip("axe_playwright_python", reason=f"no axe: {HOW}")
    script = (Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
    with opened(browser, demo_site, color_scheme=colours) as site:
        for name, address in addresses(demo_site).items():
            site.show(address)
            site.run(script)
            found = site.run(
                "axe.run(document, {resultTypes: ['violations'], preload: false}).then(told => told.violations)"
            )

            serious = {
                one["id"]: [node["html"] for node in one["nodes"]][:3]
                for one in found
                if one["impact"] in ("serious", "critical")
            }
            assert serious == {}, name


def test_the_keyboard_reaches_content_filters_and_numbers(site: Opened) -> None:
    site.show("#table/speed")
    site.page.keyboard.press("Tab")
    site.page.keyboard.press("Enter")
    assert site.run("document.activeElement.id") == "main"

    reached = set()
    for _ in range(60):
        site.page.keyboard.press("Tab")
        reached.add(site.run("document.activeElement.dataset.key || document.activeElement.tagName"))

    assert {"SUMMARY", "sort-value", "A", "INPUT"} <= reached


def test_markup_of_a_log_is_shown_as_text(browser: Browser, hostile_site: Path) -> None:
    start = HOSTILE.partition("\u202e")[0]
    with opened(browser, hostile_site) as site:
        for name, address in addresses(hostile_site).items():
            site.show(address)

            assert "owned" not in site.page.title().replace(HOSTILE.replace("\u202e", "\\u202e"), ""), name
            assert site.page.locator("main img, main script").count() == 0, name
            assert "\u202e" not in site.text(), name
        site.show("#table/runs")
        assert start in site.text("#rows")
        site.show(f"#table/runs?q={'%3Cscript%3E'}")
        assert site.page.locator("#rows tbody tr").count() == 1


def test_ties_and_failed_cells_say_so(browser: Browser, odd_site: Path) -> None:
    with opened(browser, odd_site) as site:
        site.show("#ranking?q=fp32")
        ranks = site.texts("main table tbody tr td:first-child")
        site.show("#table/speed")
        speeds = site.texts("#rows tbody td.value a")

    assert ranks == ["1-2 tie", "1-2 tie", "3"]
    assert sorted(speeds) == ["101.50", "127.09", "127.09", "OOM"]


def test_a_mixed_cell_has_its_range_and_no_average(browser: Browser, mixed_site: Path) -> None:
    (row,) = rows_of_table(mixed_site, "speed")
    with opened(browser, mixed_site) as site:
        site.show("#table/speed")
        (table,) = site.texts("#rows tbody td.value a")
        site.show("#pivot?rows=gpu_model&columns=precision")
        (pivot,) = site.texts("table.pivot tbody td")
        site.show("#pivot?rows=gpu_model&columns=precision&per=gpu")
        (per_gpu,) = site.texts("table.pivot tbody td")
        site.show(f"#explain/{row['case']}/{row['cell']}")

        assert row["value"] is None
        assert table == pivot == value_text(row) == site.text(".big .bad")
        assert table.startswith("MIXED ")
        assert per_gpu == f"MIXED {row['lowest'] / row['gpus']:.2f}-{row['highest'] / row['gpus']:.2f}"


@pytest.mark.long
def test_ten_thousand_series_are_drawn_within_a_second_and_filtered_within_a_tenth(
    browser: Browser, large_site: Path
) -> None:
    took = """async hash => {
        const start = performance.now();
        history.replaceState(null, "", hash);
        await bench.draw();
        return [performance.now() - start, document.getElementById("count").textContent];
    }"""
    with opened(browser, large_site) as site:
        drawn = []
        for _ in range(3):
            site.page.goto("about:blank")
            site.page.goto(f"{large_site.as_uri()}/index.html#table/speed")
            site.page.wait_for_selector("#rows")
            drawn.append(site.run("performance.now()"))
        filtered = [site.run(took, f"#table/speed?gpus={2**number}&q=bert") for number in range(6)]

    assert min(drawn) < 1000
    assert min(seconds for seconds, _ in filtered) < 100
    assert all(told.endswith(" of 10,000") for _, told in filtered)


def test_it_is_served_on_loopback_only_and_shows_the_same(browser: Browser, demo_site: Path) -> None:
    import threading

    with site_server(demo_site) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        address = address_of(server)
        with urlopen(f"{address}index.html") as answer:
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
        page = browser.new_page()
        page.goto(f"{address}#table/speed")
        page.wait_for_selector("#rows")
        count = page.locator("#rows tbody tr").count()
        page.close()
        server.shutdown()

    assert server.server_address[0] == "127.0.0.1"
    assert count == len(rows_of_table(demo_site, "speed"))
