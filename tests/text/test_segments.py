"""Lines in pieces: the sentences of the whole line, whatever is in them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sentencex import segment
from tests.text.test_sentences import make_article

from ustory.core.compiled import guarded
from ustory.text import sentences as module
from ustory.text.fast import FastPipeline
from ustory.text.sentences import PIECE, by_punctuation, segments, spaced

pipeline = FastPipeline()
BLANKS = [chr(n) for n in range(0x3001) if chr(n).isspace()]
CONTROLS = [chr(n) for n in (*range(32), *range(0x7F, 0xA0))]


@pytest.mark.parametrize("blank", sorted({*BLANKS, *CONTROLS}))
def test_a_capital_any_blank_and_a_stop_are_read(blank: str) -> None:
    article = make_article("About vitamins", f"Vitamin C{blank}. It helps.")

    sentences = pipeline.split(article)

    assert sentences[0] == "About vitamins"
    # a line break ends a sentence, and leaves a stop that is none
    assert " ".join(sentences[1:]).replace(" .", "") == "Vitamin C It helps."


def test_a_title_has_single_spaces_for_blanks_and_control_characters() -> None:
    article = make_article("Vitamin\u00a0\u2009C\x00\u3000.", "")
    assert pipeline.split(article) == ("Vitamin C .",)


@given(st.text(alphabet=st.sampled_from([*BLANKS, *CONTROLS, *"aBC.!?„“«'(é漢 "])))
def test_no_mixture_of_blanks_and_stops_fails(text: str) -> None:
    assert pipeline.split(make_article("Title", text))[0] == "Title"


def test_a_panic_of_a_compiled_package_becomes_an_error_of_ours() -> None:
    # as it was seen: the panic is no Exception, and would end a thread
    code = (
        "from sentencex import segment\n"
        "from ustory.core.compiled import guarded\n"
        "from ustory.core.errors import PackageError\n"
        "try:\n"
        "    with guarded('sentencex'):\n"
        "        list(segment('en', 'Vitamin C\\u00a0.'))\n"
        "except PackageError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout.startswith("sentencex failed: PanicException")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, MemoryError])
def test_what_is_not_due_to_a_package_goes_through(kind: type[BaseException]) -> None:
    with pytest.raises(kind), guarded("a package"):
        raise kind


class _Panic(BaseException):
    """What pyo3 raises: no Exception."""


def test_a_piece_at_which_sentencex_fails_is_split_at_its_stops(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(lang: str, text: str) -> Sequence[str]:
        if "bad" in text:
            raise _Panic("byte index 3 is not a boundary")
        return list(segment(lang, text))

    monkeypatch.setattr(module, "segment", fail)
    article = make_article("", "Mr. A came. B left.\nA bad one. Why? So.")

    assert pipeline.split(article) == (
        "Mr. A came.", "B left.", "A bad one.", "Why?", "So.",
    )  # fmt: skip
    assert "sentencex failed: _Panic: byte index 3" in caplog.text


sentence = st.sampled_from(
    [
        "He came.", "“Go,” she said. ", "Mr. Smith met Dr. Jones! ", "(It was so.) ",
        "Why? ", "In the U.S. it rained; “Really. It did.” ", "Prices rose 3.5%. ",
        "It isn’t 'so'. ", "«Oui. Non.» ", "and then ",
    ]
)  # fmt: skip


@given(st.lists(sentence, min_size=400, max_size=1_200))
def test_pieces_of_a_long_line_give_the_sentences_of_the_whole(
    parts: list[str],
) -> None:
    line = " ".join(parts)
    longest = max(map(len, segment("en", line)))

    found = list(segments("en", line))

    assert "".join(found) == line
    if longest < PIECE // 8:
        assert found == list(segment("en", line))


@given(st.text(max_size=60))
def test_nothing_is_lost_where_a_text_is_split_at_its_stops(text: str) -> None:
    line = spaced(text)
    assert "".join(by_punctuation(line)) == line
    assert all(not re.search(r"[。！？].", part) for part in by_punctuation(line))


def test_a_sentence_longer_than_a_piece_goes_on_in_the_next() -> None:
    words = [f"word{n}" for n in range(4_000)]
    line = " ".join(words) + ". Then it ended."

    found = list(segments("en", line))

    assert "".join(found) == line
    assert found[-1] == "Then it ended."
    assert max(map(len, found)) <= PIECE
