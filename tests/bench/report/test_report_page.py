"""The page has all that it was given, escaped, and needs nothing from elsewhere."""

from __future__ import annotations

import itertools
import json
import re
import sys
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bench.report import samples

from ustory.core.errors import ConfigError, MissingExtraError
from ustory_bench.report import page as page_module
from ustory_bench.report.page import page_html, write_page

ABOUT = {"Encoder": "wordllama", "Machine": "2 cores"}
ANY_TEXT = st.text(max_size=40) | st.sampled_from(samples.ATTACKS)


@pytest.fixture(autouse=True, scope="module")
def _without_plotly() -> Iterator[None]:
    """Leave five megabytes of Plotly away, which no test here looks into."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(page_module, "_plotly", lambda: "var Plotly = {};")
        yield


def shown(*texts: str) -> samples.Page:
    sections = [samples.full_of(text) for text in texts] or samples.sections()
    return samples.parsed(page_html("A report", ABOUT, sections))


def test_every_section_table_and_figure_is_there() -> None:
    page = shown()
    ids = {each.get("id") for _, each in page.elements}
    assert {"section-first", "section-second", "block-accuracy"} <= ids
    assert {"block-lines", "block-sentences", "block-panels"} <= ids
    assert len(page.of("table")) == 2
    text = page.text()
    for told in ("What was done.", "bertopic: out of time.", "wordllama", "△ 44.4 %"):
        assert told in text


def test_figures_are_data_for_the_script_and_words_for_readers() -> None:
    page = shown()
    plots = [each for each in page.of("div") if each.get("role") == "img"]
    assert [each["aria-label"] for each in plots] == [
        "More sentences are better.",
        "They cross.",
    ]
    data = [json.loads(t) for tag, t in page.texts if tag == "script" and t[0] == "{"]
    assert data[0]["traces"][0]["meta"] == {"colour": 0}
    assert data[0]["traces"][1]["y"] == [1, None]
    assert set(data[-1]) == {"light", "dark"}


def test_a_figure_without_traces_says_so() -> None:
    empty = samples.figure()
    empty = type(empty)(id="a", title="t", caption="c", traces=[], layout={}, alt="n")
    page = samples.parsed(page_html("t", {}, [samples.section("s", empty)]))
    assert "There is nothing to draw" in page.text()
    assert not [each for each in page.of("div") if each.get("class") == "plot"]


def test_ids_are_unique_and_all_references_lead_somewhere() -> None:
    page = shown("a", "A b", *samples.ATTACKS)
    ids = [each["id"] for _, each in page.elements if "id" in each]
    assert len(set(ids)) == len(ids)
    keys = ("aria-labelledby", "aria-describedby")
    named = [each[key] for _, each in page.elements for key in keys if key in each]
    anchors = [each["href"] for each in page.of("a") if each["href"].startswith("#")]
    assert named
    assert set(named) | {anchor[1:] for anchor in anchors} <= set(ids)


def test_headings_go_down_one_step_at_a_time() -> None:
    levels = [int(tag[1]) for tag, _ in shown().elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))


def test_tables_can_be_walked_by_a_screen_reader() -> None:
    page = shown()
    scopes = [each.get("scope") for each in page.of("th")]
    assert scopes.count("colgroup") == 2
    assert scopes.count("rowgroup") == 3
    assert scopes.count("row") == 4
    assert scopes.count("col") == 6
    regions = [each for each in page.of("div") if each.get("role") == "region"]
    assert all(each["tabindex"] == "0" for each in regions)
    assert len(regions) == 2


def test_best_values_are_bold_and_intervals_small() -> None:
    texts = shown().texts
    assert ("b", "0.918") in texts
    assert ("sup", "*") in texts
    assert ("small", "[0.900, 0.930]") in texts


def test_the_numbers_can_be_taken_away() -> None:
    links = [each for each in shown().of("a") if "download" in each]
    assert [each["download"] for each in links] == [
        "accuracy.csv",
        "lines.csv",
        "sentences.csv",
        "panels.csv",
    ]
    assert "ours,0.91758,0.9,0.93,*" in unquote(links[0]["href"])


def test_nothing_is_asked_of_another_host() -> None:
    page = shown(*samples.ATTACKS)
    for tag, attributes in page.elements:
        assert tag in KNOWN
        for key, value in attributes.items():
            assert not key.startswith("on")
            if key in {"href", "src", "action"}:
                assert value.startswith(("#", "data:text/csv;"))
    styles = "".join(text for tag, text in page.texts if tag == "style")
    assert "url(" not in styles
    assert "@import" not in styles
    [policy] = [each for each in page.of("meta") if "http-equiv" in each]
    assert policy["content"].startswith("default-src 'none'; script-src 'sha256-")


def test_only_the_scripts_of_the_page_may_run() -> None:
    page = shown(*samples.ATTACKS)
    kinds = [each.get("type") for each in page.of("script")]
    assert kinds.count(None) == 3
    [policy] = [each for each in page.of("meta") if "http-equiv" in each]
    scripts = [t for tag, t in page.texts if tag == "script" and t[0] != "{"]
    for script in scripts:
        digest = b64encode(sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy["content"]


def test_texts_of_figures_keep_no_tag_but_the_bare_ones() -> None:
    text = "<b>a</b><br><a href='x'>b</a><extra></extra> 1 < 2"
    page = shown(text)
    [data] = [t for tag, t in page.texts if tag == "script" and t.startswith('{"tra')]
    [name] = [trace["name"] for trace in json.loads(data)["traces"]]
    assert name == "<b>a</b><br>&lt;a href='x'>b&lt;/a><extra></extra> 1 &lt; 2"


@settings(max_examples=40, deadline=None)
@given(ANY_TEXT)
def test_no_text_changes_the_structure_of_the_page(text: str) -> None:
    def kinds(page: samples.Page) -> list[str]:
        return [tag for tag, _ in page.elements if tag != "p"]

    usual = kinds(shown("x"))
    if not text.strip():
        return
    assert kinds(shown(text)) == usual


def test_the_page_is_written_whole_and_can_be_written_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "report.html"
    write_page("One", ABOUT, samples.sections(), path)
    write_page("Two", ABOUT, [samples.full_of("\ud800")], path)
    text = path.read_text(encoding="utf-8")
    assert "<title>Two</title>" in text
    assert text.endswith("</html>\n")
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_cannot_be_written_is_an_error_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"cannot be written: .+; choose another"):
        write_page("t", {}, [], tmp_path / "file" / "report.html")


def test_a_missing_plotly_names_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    monkeypatch.setattr(page_module, "_plotly", PLOTLY)
    with pytest.raises(MissingExtraError, match="pip install ustory-bench"):
        page_html("t", {}, [])


def test_plotly_itself_stands_in_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("plotly", reason="plotly, of the extra bench, is missing")
    monkeypatch.setattr(page_module, "_plotly", PLOTLY)
    page = samples.parsed(page_html("t", {}, samples.sections()))
    scripts = [text for tag, text in page.texts if tag == "script"]
    assert max(map(len, scripts)) > 1_000_000


PLOTLY = page_module._plotly
KNOWN = {
    *("html", "head", "meta", "title", "style", "script", "body", "noscript"),
    *("header", "nav", "main", "section", "aside", "div", "span", "p", "a", "button"),
    *("h1", "h2", "h3", "dl", "dt", "dd", "ol", "ul", "li", "b", "small", "sup"),
    *("figure", "figcaption", "table", "colgroup", "thead", "tbody", "tr", "th", "td"),
}
