"""What a user sees first: an old file, and the demo for two minutes."""

from __future__ import annotations

import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.browser.conftest import Visiting
from tests.browser.serving import Site
from tests.browser.visiting import PHONE, Visit
from tests.web.user_run import UserRun, started
from ustory.core.article import Article
from ustory.service.demo import DemoProgress
from ustory.sources.demo import demo_stream

MINUTES = 2
_LAST_YEAR = datetime(2023, 3, 4, tzinfo=UTC)
_TRENDS = (
    "[...document.querySelectorAll('#list .trend')].map((e) => e.textContent.trim())"
)
_HEADS = "[...document.querySelectorAll('#list .story-head')].map((e) => e.textContent)"


def test_a_file_of_old_news_becomes_stories(visit: Visiting, tmp_path: Path) -> None:
    (tmp_path / "old.jsonl").write_bytes(demo_stream().read_bytes())
    with started(tmp_path, "old.jsonl") as run:
        tab = visit(run)
        page = tab.go("/", "now")
        page.wait_for_selector("#list [data-id]")
        run.until(run.all_told)
        tab.go("/", "now")

        assert page.locator("#list [data-id]").count() > 5
        assert page.inner_text("#notices").strip() == ""
        assert "as of 17 March 2024, 22:25 UTC" in page.inner_text("#standing")
        tab.go("/operations", "operations")
        assert "All is well" in page.inner_text("main")
        assert tab.faults() == []
        run.stop()


@pytest.mark.parametrize("options", [{}, {"viewport": PHONE}])
def test_notices_fit_and_stay_true(
    living: Site, visit: Visiting, options: dict[str, object]
) -> None:
    old = [
        Article(id=name, title=f"Old news of {name}", published_at=_LAST_YEAR)
        for name in ("Marram", "Orrin")
    ]
    living.service.intake.accept(old, "old")
    living.service.loop.finish()
    living.service.demo = lambda: DemoProgress(day=9, days=14, is_over=False)
    tab = visit(living, **options)
    page = tab.go("/", "now")
    assert "2 articles came in older than the window" in page.inner_text("#notices")
    assert "Demo, day 9 of 14." in page.inner_text("#notices")
    assert tab.too_wide() == []

    living.service.demo = lambda: DemoProgress(day=14, days=14, is_over=True)
    tab.until("document.querySelector('#notices').innerText.includes('has ended')")
    assert "ustory serve feeds.opml" in page.inner_text("#notices")
    assert tab.too_wide() == []
    assert tab.faults() == []


def _ask_for_news(tab: Visit) -> None:
    """Ask for what waits behind the bar, if anything does."""
    button = tab.page.locator("#changes .change-in:not([hidden]) button")
    if button.count():
        button.click()


def _look(tab: Visit, run: UserRun) -> tuple[Counter[str], tuple[str, ...], str]:
    _ask_for_news(tab)
    assert run.process.poll() is None
    trends = Counter(tab.page.evaluate(_TRENDS))
    return trends, tuple(tab.page.evaluate(_HEADS)), tab.page.inner_text("#notices")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_demo_lives_for_two_minutes(visit: Visiting, tmp_path: Path) -> None:
    with started(tmp_path, "--demo", encoder=None) as run:
        tab = visit(run)
        page = tab.go("/", "now")
        page.wait_for_selector("#list [data-id]")
        run.until(lambda: run.operations()["slide_end"] >= "2024-03-12")
        looks = []
        end = time.monotonic() + MINUTES * 60
        while time.monotonic() < end:
            page.wait_for_timeout(10_000)
            looks.append(_look(tab, run))

        trends = [set(each) for each, _, _ in looks]
        assert all(each != {"fading"} for each in trends), trends
        assert len(set().union(*trends)) >= 3, trends
        assert sum(len(each) >= 2 for each in trends) >= len(looks) - 1, trends
        assert len({heads for _, heads, _ in looks}) >= 4
        days = {said.partition(".")[0] for _, _, said in looks}
        assert len(days) >= 2, days
        assert all(day.startswith("Demo, day ") for day in days), days
        assert tab.faults() == []
        run.stop()
