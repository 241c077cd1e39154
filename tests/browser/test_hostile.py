"""A stream of attacks is shown as text: nothing runs, nothing breaks."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.browser.conftest import Visiting
from tests.browser.hostile import ATTACKS, NAME, hostile_articles
from tests.browser.serving import Site
from tests.browser.visiting import PHONE, PLAIN, Visit
from ustory.store.columns import clean
from ustory.web.pages.formatting import article_path

FOREIGN = """[...document.querySelectorAll('*')].filter((each) =>
  ["IFRAME", "OBJECT", "EMBED", "BASE", "IMG"].includes(each.tagName)
  || ["STYLE", "LINK", "META"].includes(each.tagName) && each.closest("body")
  || each.tagName === "SCRIPT" && !each.src && each.type !== "application/json"
  || [...each.attributes].some((one) => one.name.startsWith("on"))
  || /^(?!https?:|\\/(?!\\/)|#|$)/i.test(each.getAttribute("href") ?? "")
  || !["/", "/zone", "/language"].includes(each.getAttribute("action") ?? "/")
).map((each) => each.outerHTML.slice(0, 200))"""
"""Elements that none of our templates has, and links to what is not the web."""
SHOWN = {
    "now": "<script>",
    "search": "<script>",
    "story": "<script>",
    "article": "window.__hacked",
    "timeline": "window.__hacked",
    "hours": "window.__hacked",
    "map": "window.__hacked",
    "watch": NAME,
    "watchlist": NAME,
    "sources": NAME,
    "operations": NAME,
}


def _is_safe(tab: Visit) -> None:
    page = tab.page
    assert page.evaluate("typeof window.__hacked") == "undefined"
    assert page.evaluate(FOREIGN) == []
    assert page.locator("main a[href^=http]:not(.out)").count() == 0
    assert "49" not in page.locator("h1").first.inner_text()
    assert tab.too_wide() == []
    assert tab.faults() == []


@pytest.mark.parametrize("name", PLAIN)
def test_attacks_are_text_on_every_page(
    attacked: Site, visit: Visiting, name: str
) -> None:
    tab = visit(attacked, viewport=PHONE)
    page = tab.go(attacked.paths()[name], name)
    tab.unfold()

    assert SHOWN[name] in page.locator("main").inner_text()
    _is_safe(tab)


def test_every_kind_of_attack_is_shown_as_an_article(
    attacked: Site, visit: Visiting
) -> None:
    ids = [each.id for each in hostile_articles()[: len(ATTACKS)]]
    tab = visit(attacked, viewport=PHONE)
    for article, attack in zip(ids, ATTACKS, strict=True):
        page = tab.go(article_path(clean(article)))
        wanted = attack.split("\x00")[0].strip()[:40]
        assert wanted in str(page.locator("h1").text_content())
        out = page.locator("a.out")
        for each in out.all():
            assert str(each.get_attribute("href")).startswith(("http:", "https:"))
            assert each.get_attribute("rel") == "noopener noreferrer nofollow"
        _is_safe(tab)


def test_a_label_of_the_map_is_text(attacked: Site, visit: Visiting) -> None:
    tab = visit(attacked)
    page = tab.go("/map", "map")
    tab.explore("map")
    labels = page.evaluate(
        """[...document.querySelectorAll('#thematic, #plain')].flatMap((plot) =>
          plot.data.flatMap((trace, curveNumber) => trace.text.map((_, at) => {
            Plotly.Fx.hover(plot, [{ curveNumber, pointNumber: at }]);
            return plot.querySelector('.hoverlayer')?.innerHTML ?? '';
          })))"""
    )

    assert any("&lt;" in each for each in labels)
    assert not any("<a " in each or "<img" in each for each in labels)
    _is_safe(tab)


@pytest.mark.parametrize("attack", ATTACKS[:6])
def test_what_is_asked_for_is_text_too(
    site: Site, visit: Visiting, attack: str
) -> None:
    tab = visit(site)
    tab.go(f"/?q={quote(attack)}&keyword={quote(attack)}")
    assert tab.page.locator("#search").input_value() == attack
    _is_safe(tab)
    tab.page.goto(f"/stories/{quote(attack, safe='')}")
    assert tab.page.evaluate(FOREIGN) == []
    assert tab.page.evaluate("typeof window.__hacked") == "undefined"
