"""The page lives: news waits to be asked for, states are told, losses are calm."""

from __future__ import annotations

from tests.browser.conftest import Visiting
from tests.browser.serving import Site
from tests.browser.telling import BAR, TEXT, rows, send, slide
from tests.browser.visiting import PATIENCE
from tests.web.conftest import KEY


def test_news_waits_behind_the_bar_and_no_row_moves_until_asked(
    living: Site, visit: Visiting
) -> None:
    tab = visit(living)
    page = tab.go("/", "now")
    before = rows(tab)
    first = page.locator("#list [data-id]").first
    top = first.bounding_box()
    page.evaluate("window.__same = true")
    slide(tab)
    page.wait_for_selector(BAR)

    assert page.locator(BAR).inner_text().split(" ", 1)[1].startswith("stor")
    assert page.locator("#changes").get_attribute("aria-live") == "polite"
    assert rows(tab) == before
    assert first.bounding_box() == top
    page.keyboard.press("n")
    page.wait_for_selector(BAR, state="detached")
    after = rows(tab)
    assert page.evaluate("window.__same") is True  # nothing was loaded anew
    assert after != before
    other = visit(living)
    other.go("/", "now")
    assert rows(other) == after
    assert tab.faults() == []


def test_one_who_comes_back_is_told_what_happened_meanwhile(
    living: Site, visit: Visiting
) -> None:
    tab = visit(living)
    page = tab.go("/", "now")
    assert page.locator(".since").count() == 0
    slide(tab)
    page.wait_for_selector(BAR)
    page.reload()

    assert "Since you last looked" in page.locator(".since").inner_text()
    assert page.locator(".mark-new").count() > 0
    page.get_by_role("link", name="Show only these").click()
    page.wait_for_url("**changed=1")
    marked = page.locator("#list [data-id]").count()
    assert 0 < marked == page.locator("#list [data-id] .mark-new").count()
    page.get_by_role("link", name="Mark as seen").click()
    page.wait_for_url(f"{living.address}/")
    assert page.locator(".since").count() == 0
    assert tab.faults() == []


def test_an_empty_service_says_so_and_fills_by_itself(
    empty: Site, visit: Visiting
) -> None:
    tab = visit(empty)
    page = tab.page
    titles = {}
    for path in ("/timeline", "/map", "/watch", "/sources", "/operations", "/"):
        tab.go(path)
        titles[path] = page.locator(".nothing-title").first.inner_text()
    assert titles == {
        "/timeline": "No stories in this time",
        "/map": "No articles to place yet",
        "/watch": "Nothing is watched yet",
        "/sources": "No feeds yet",
        "/operations": "No slide is done yet",
        "/": "No articles yet",
    }
    for at, words in enumerate(("shook", "struck", "hit")):
        send(
            tab,
            id=f"a-{at}",
            title="Earthquake in Kestrel Bay",
            text=TEXT.replace("shook", words),
            source=f"Paper {at}",
            published_at=f"2024-03-18T0{at}:00:00Z",
        )
    tab.go("/")
    assert page.locator(".nothing-title").inner_text() == "Reading the first articles"
    send(tab, id="b", title="Little was sold", published_at="2024-03-20T01:00:00Z")
    page.wait_for_selector("#list [data-id]")
    assert tab.faults() == []


def test_nothing_at_an_address_is_a_page_that_leads_on(
    site: Site, visit: Visiting
) -> None:
    tab = visit(site)
    for path in ("/stories/none", "/articles/none", "/watch/none", "/nowhere"):
        answer = tab.page.goto(path)
        assert answer is not None
        assert answer.status == 404
        assert tab.page.locator("h1").inner_text() == "There is nothing here"
        assert tab.too_wide() == []
    tab.page.get_by_role("link", name="See what is happening now").click()
    tab.page.wait_for_url(f"{site.address}/")
    assert [each for each in tab.faults() if "404" not in each] == []


def test_a_lost_server_is_told_calmly_until_it_is_back(
    living: Site, visit: Visiting
) -> None:
    tab = visit(living)
    page = tab.go("/", "now")
    before = rows(tab)
    assert not page.locator("#offline").is_visible()
    living.stop()
    page.wait_for_selector("#offline", state="visible")

    assert "Not connected" in page.locator("#offline").inner_text()
    assert rows(tab) == before
    living.start()
    page.wait_for_selector("#offline", state="hidden", timeout=2 * PATIENCE)
    assert [each for each in tab.wrong if each.startswith("threw")] == []


def test_something_is_watched_with_a_key_and_removed_again(
    living: Site, visit: Visiting
) -> None:
    tab = visit(living)
    page = tab.go("/watch", "watch")
    page.get_by_label("Name").fill("Votes")
    page.get_by_role("button", name="Watch for it").click()
    assert "needs keywords" in page.locator("#new-list .fault-words").inner_text()
    page.get_by_label("Keywords, with commas").fill("solenne, vote")
    page.get_by_role("button", name="Watch for it").click()
    page.get_by_label("Key", exact=True).fill("not the key")
    page.get_by_role("button", name="Use this key").click()
    page.wait_for_selector("#key-about:has-text('does not know this key')")
    page.get_by_label("Key", exact=True).fill(KEY)
    page.keyboard.press("Enter")
    page.wait_for_selector("#lists h2:has-text('Votes')")

    card = page.locator("#lists .card", has_text="Votes")
    assert card.locator(".chip").all_inner_texts() == ["solenne", "vote"]
    assert "is watched from the next slide on" in page.locator("#said").inner_text()
    for _ in range(2):
        card.locator("[data-remove]").click()
    page.wait_for_selector("#lists h2:has-text('Votes')", state="detached")
    assert [each for each in tab.faults() if "401" not in each] == []


def test_a_feed_is_added_and_a_bad_one_is_refused_in_words(
    living: Site, visit: Visiting
) -> None:
    tab = visit(living)
    page = tab.go("/sources", "sources")
    page.evaluate(f"sessionStorage.setItem('ustory-key', '{KEY}')")
    page.get_by_label("Address").fill("http://127.0.0.1/feed")
    page.get_by_role("button", name="Read it").click()
    page.wait_for_selector("#new-feed .fault-words:not([hidden])")

    assert "public web" in page.locator("#new-feed .fault-words").inner_text()
    page.get_by_label("Address").fill("https://added.example/feed.xml")
    page.get_by_label("Name, if you like").fill("The added one")
    page.get_by_role("button", name="Read it").click()
    page.wait_for_selector(".feeds tr:has-text('The added one')")
    assert page.evaluate(
        "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)"
        "(document.querySelector('.table-wrap'))"
    )
    states = page.locator(".feeds .health").all_inner_texts()
    assert {each.split(",")[0] for each in states} >= {"ok", "failing", "not read yet"}
    assert [each for each in tab.faults() if "422" not in each] == []
