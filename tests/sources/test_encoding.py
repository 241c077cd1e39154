"""Text is read from any bytes, and rightly wherever that can be known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.sources.feeds.markup import to_text

XML = "<?xml version='1.0' encoding='{}'?><a>Äpfel für 5 €</a>"


@pytest.mark.parametrize("name", ["utf-8", "windows-1252", "iso-8859-15", "koi8-r"])
def test_what_the_document_says_of_itself_is_believed(name: str) -> None:
    text = XML.format(name) if name != "koi8-r" else "<?xml encoding='koi8-r'?>Привет"
    assert to_text(text.encode(name)) == text


@pytest.mark.parametrize("name", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_goes_before_everything_else(name: str) -> None:
    text = XML.format("koi8-r")
    assert to_text(text.encode(name), "text/xml; charset=latin-1") == text


def test_utf_16_without_a_mark_is_known_by_its_first_characters() -> None:
    for name in ("utf-16-le", "utf-16-be"):
        assert to_text(XML.format("utf-16").encode(name)) == XML.format("utf-16")


def test_the_header_goes_before_the_document() -> None:
    body = "<meta charset='utf-8'>Привет".encode("koi8-r")
    assert to_text(body, 'text/html; Charset="KOI8-R"').endswith("Привет")


def test_latin_1_is_read_as_browsers_read_it() -> None:
    assert to_text("“5 €”".encode("cp1252"), "text/html; charset=ISO-8859-1") == "“5 €”"


@pytest.mark.parametrize(
    "charset", ["no-such", "punycode", "idna", "unicode_escape", "utf-7", "hex", "zip"]
)
def test_an_encoding_that_is_none_is_passed_over(charset: str) -> None:
    body = "Äpfel +AGE- \\u0041".encode()
    assert to_text(body, f"text/xml; charset={charset}") == "Äpfel +AGE- \\u0041"


def test_one_broken_byte_costs_one_character() -> None:
    body = ("Ä" * 200).encode() + b"\xff" + b"end"
    assert to_text(body) == "Ä" * 200 + "\ufffdend"


def test_bytes_without_a_word_about_them_are_read_as_western() -> None:
    assert to_text("Äpfel für 5 €".encode("cp1252")) == "Äpfel für 5 €"


@given(st.binary(max_size=300), st.text(max_size=60))
def test_no_bytes_and_no_header_crash_it(body: bytes, header: str) -> None:
    text = to_text(body, f"text/xml; charset={header}")
    text.encode("utf-8")
