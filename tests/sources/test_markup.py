"""Markup becomes the text that a reader would see, and nothing that could act."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.sources.feeds.markup import plain_line, plain_text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<script>alert(1)</script>Quake in Chile", "Quake in Chile"),
        ("Quake<SCRIPT src=//evil></ScRiPt> in Chile", "Quake in Chile"),
        ("<img src=x onerror=alert(1)>Quake", "Quake"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;Quake", "Quake"),
        ("<style>a{}</style><!-- no --><b title='a > b'>Quake</b>", "Quake"),
        ("Quake <script>never closed", "Quake"),
        ("<svg onload=alert(1)>x</svg>Quake", "Quake"),
        ("<![CDATA[Quake]]>", "Quake"),
        ("AT&amp;T &#8211; 5 &lt; 6 &amp; 7 &gt; 6", "AT&T – 5 < 6 & 7 > 6"),
        ("Fish &amp;amp; chips", "Fish &amp; chips"),
        ("One<br>two\n\n three", "One two three"),
        ("a\x00b\u2028c", "ab c"),
    ],
)
def test_a_headline_is_plain_text_on_one_line(markup: str, text: str) -> None:
    assert plain_line(markup) == text


def test_blocks_become_lines() -> None:
    markup = "<div><p>One <i>and</i> two.</p>\n\n<ul><li>Three<li>Four</ul></div>"
    assert plain_text(markup) == "One and two.\nThree\nFour"


@pytest.mark.parametrize(
    "piece",
    ["<", "<a ", "<a '", "<!--", "<script>", "</script", "&lt;", "<![CDATA[", "\n "],
)
def test_hostile_markup_takes_no_longer_than_its_length(piece: str) -> None:
    plain_text(piece * 10)
    started = time.process_time()
    plain_text(piece * (1_000_000 // len(piece)))
    assert time.process_time() - started < 10


@given(st.text(alphabet="<>/!-'\"&;ab scriptlg=\n", max_size=80))
def test_any_markup_is_read_without_a_tag_left_over(markup: str) -> None:
    text = plain_text(markup)
    assert "<script>" not in text
    assert "<b>" not in text
    assert text == text.strip()


@given(st.text(max_size=200))
def test_any_text_at_all_is_read(markup: str) -> None:
    plain_text(markup).encode()
