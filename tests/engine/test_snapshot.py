"""A state written down and read back is the same state, or it is refused."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.engine.sameness import assert_same
from tests.reference.strategies import ENCODER, Run, runs
from ustory.core.article import Article
from ustory.core.errors import StateError
from ustory.core.settings import Settings
from ustory.core.story import Slide
from ustory.engine.online import Engine
from ustory.engine.snapshot.columns import Columns, codec_of
from ustory.engine.snapshot.container import MAGIC
from ustory.engine.snapshot.states import freeze, refuse_other_settings, thaw
from ustory.engine.snapshot.upgrades import FORMAT
from ustory.engine.state import State
from ustory.testing import TinyEncoder, tiny_slides

PAIRS = Settings(mode="paper", min_articles=2)


def state_after(slides: int, settings: Settings = PAIRS) -> State:
    engine = Engine(settings, TinyEncoder())
    state = engine.begin()
    for slide in tiny_slides()[:slides]:
        state, _ = engine.advance(state, slide)
    return state


FULL = state_after(2)
"""Has stories, an article that waits, and where it stands."""


@budget(max_examples=30, deadline=None)
@given(runs())
def test_a_restored_state_goes_on_exactly_as_the_original(run: Run) -> None:
    engine, resumed = Engine(run.settings, ENCODER), Engine(run.settings, ENCODER)
    state, again = engine.begin(), resumed.begin()
    for slide in run.slides:
        state, events = engine.advance(state, slide)
        again, repeated = resumed.advance(resumed.thaw(resumed.freeze(again)), slide)

        assert tuple(repeated) == tuple(events)
        assert_same(again, state)


def test_the_examples_have_everything_a_state_can_have() -> None:
    assert FULL.stories
    assert FULL.unassigned
    assert FULL.standing is not None
    assert any(record.decision for record in FULL.records.values())
    assert state_after(3).too_late == 1


def test_equal_states_are_equal_bytes() -> None:
    frozen = freeze(FULL, PAIRS, {"b": 1, "a": 2})
    state, settings, extra = thaw(frozen, "here")

    assert freeze(FULL, PAIRS, {"a": 2, "b": 1}) == frozen
    assert freeze(state, settings, extra) == frozen
    assert freeze(state_after(2), PAIRS, {"a": 2, "b": 1}) == frozen


def test_a_later_slide_does_not_change_an_earlier_state() -> None:
    engine = Engine(PAIRS, TinyEncoder())
    first, second = tiny_slides()[:2]
    state, _ = engine.advance(engine.begin(), first)
    frozen = engine.freeze(state)
    engine.advance(state, second)

    assert engine.freeze(state) == frozen
    assert len(engine.thaw(frozen).vocabulary) == len(state.documents.df)


def test_settings_and_extra_come_back() -> None:
    odd = Settings(
        mode="paper",
        window=timedelta(microseconds=6_000_006),
        slide=timedelta(seconds=2.000002),
    )
    extra = {"cursors": {"news.jsonl": "17", "half \ud83d": "3"}, "skipped": {"bad": 2}}

    for settings in (
        Settings(mode="paper"),
        Settings.paper(pane="12h"),
        Settings(mode="paper", window=6, slide=4),
        odd,
    ):
        _, read, more = thaw(freeze(State(), settings, extra), "here")
        assert read == settings
        assert more == extra


def opened(frozen: bytes) -> tuple[dict[str, Any], Columns]:
    """Return the second line of a state file, and its columns."""
    _, head, body = frozen.split(b"\n", 2)
    about = json.loads(head)
    columns: Columns = {}
    for name, (dtype, shape) in about.pop("columns").items():
        size = np.dtype(dtype).itemsize * math.prod(shape)
        columns[name] = np.frombuffer(body[:size], dtype).reshape(shape)
        body = body[size:]
    assert body == b""
    return about, columns


def sealed(payload: bytes, version: int = FORMAT) -> bytes:
    """Return a payload behind a first line that fits it."""
    digest = sha256(payload).hexdigest()
    return MAGIC + f" {version} {digest}\n".encode() + payload


def closed(about: dict[str, Any], columns: Columns, version: int = FORMAT) -> bytes:
    index = {name: [c.dtype.str, c.shape] for name, c in columns.items()}
    head = json.dumps({**about, "columns": index}).encode()
    body = b"".join(column.tobytes() for column in columns.values())
    return sealed(head + b"\n" + body, version)


def test_sentence_vectors_take_two_bytes_a_number() -> None:
    _, columns = opened(freeze(FULL, PAIRS))

    assert columns["state.unassigned.value.vectors.float32"].dtype == np.float16
    (article,) = thaw(freeze(FULL, PAIRS), "here")[0].unassigned.values()
    assert article.vectors.dtype == np.float32


def test_small_counts_take_a_byte() -> None:
    _, columns = opened(freeze(FULL, PAIRS))

    assert columns["state.unassigned.value.count.int32"].dtype == np.uint8
    (article,) = thaw(freeze(FULL, PAIRS), "here")[0].unassigned.values()
    assert article.count.dtype == np.int32


def test_vectors_that_are_no_float16_numbers_are_kept_whole() -> None:
    (article,) = FULL.unassigned.values()
    exact = replace(article, vectors=article.vectors / np.float32(3))
    state = replace(FULL, unassigned={exact.id: exact})

    assert_same(thaw(freeze(state, PAIRS), "here")[0], state)


def test_a_restored_array_does_not_hold_on_to_the_others() -> None:
    state, _, _ = thaw(freeze(FULL, PAIRS), "here")
    for record in state.records.values():
        if record.vector is not None:
            assert (
                record.vector.base is None
                or record.vector.base.size == record.vector.size
            )


FROZEN = freeze(FULL, PAIRS)


@given(st.integers(0, len(FROZEN) - 1), st.integers(1, 255))
def test_a_single_wrong_byte_is_noticed(place: int, change: int) -> None:
    damaged = bytearray(FROZEN)
    damaged[place] ^= change

    with pytest.raises(StateError, match=r"^news\.state .*start over"):
        thaw(bytes(damaged), "news.state")


@given(st.integers(0, len(FROZEN) - 1))
def test_a_truncated_file_is_noticed(length: int) -> None:
    with pytest.raises(StateError, match=r"^news\.state is (damaged|not a state file)"):
        thaw(FROZEN[:length], "news.state")


@pytest.mark.parametrize(
    "foreign", [b"", b"\n", b"{}", b"PK\x03\x04 1 2\n", b"\x00" * 99]
)
def test_a_foreign_file_is_refused(foreign: bytes) -> None:
    with pytest.raises(
        StateError, match=r"news\.jsonl is not a state file of ustory; give"
    ):
        thaw(foreign, "news.jsonl")


def test_another_format_is_refused_by_its_number() -> None:
    payload = FROZEN.partition(b"\n")[2]

    with pytest.raises(
        StateError, match=r"another version of ustory .*format 99.*use that"
    ):
        thaw(sealed(payload, 99), "here")


def test_a_state_with_other_columns_is_of_another_version() -> None:
    about, columns = opened(FROZEN)
    without = "state.records.value.pane"
    fewer = {name: c for name, c in columns.items() if name != without}
    assert_same(thaw(closed(about, columns), "here")[0], FULL)

    with pytest.raises(StateError, match=r"another version .*state\.mood"):
        thaw(closed(about, {**columns, "state.mood": np.zeros(1)}), "here")
    with pytest.raises(StateError, match=r"another version .*state\.records"):
        thaw(closed(about, fewer), "here")


def test_unknown_settings_are_of_another_version() -> None:
    about, columns = opened(FROZEN)
    about["settings"]["mood"] = "good"

    with pytest.raises(StateError, match=r"another version .*mood"):
        thaw(closed(about, columns), "here")


@pytest.mark.parametrize("payload", [b"", b"[]\n", b"{}\n", b"nothing\n", b"\xff\n"])
def test_what_is_not_in_the_format_is_of_another_version(payload: bytes) -> None:
    with pytest.raises(StateError, match="another version"):
        thaw(sealed(payload), "here")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"window": "3d"},
            "window is 7d, not 3d; use the same settings, or start over",
        ),
        ({"temperature": 3.0}, "temperature is 2.0, not 3.0"),
        ({"min_articles": None}, "min_articles is 2, not left out"),
        ({"seed": 1}, "seed is 0, not 1"),
        ({"text": "spacy"}, "text is fast, not spacy"),
    ],
)
def test_other_settings_are_refused_in_words(
    change: dict[str, Any], words: str
) -> None:
    frozen = Engine(PAIRS, TinyEncoder()).freeze(FULL)

    with pytest.raises(StateError, match=words):
        Engine(PAIRS.with_(change), TinyEncoder()).thaw(frozen)


def test_vectors_of_another_encoder_are_refused() -> None:
    frozen = Engine(PAIRS, TinyEncoder()).freeze(FULL)

    with pytest.raises(StateError, match="encoder is tiny, not bag"):
        Engine(PAIRS, ENCODER).thaw(frozen)


def test_settings_that_do_the_same_are_the_same() -> None:
    refuse_other_settings(PAIRS, PAIRS.with_({"pane": "1d"}), "here")
    refuse_other_settings(PAIRS, PAIRS.with_({"seed_count": "log-means"}), "here")
    with pytest.raises(StateError, match="seed_count is silhouette, not log-means"):
        refuse_other_settings(
            Settings(mode="paper"),
            Settings(mode="paper", seed_count="log-means"),
            "here",
        )
    with pytest.raises(StateError, match="pane is 1d, not 12h"):
        refuse_other_settings(PAIRS, PAIRS.with_({"pane": "12h"}), "here")


texts = st.text(st.characters(exclude_categories=()))
"""Any text, half surrogate pairs included, also two halves side by side."""


@given(st.lists(st.tuples(texts, texts, st.lists(texts), st.one_of(st.none(), texts))))
def test_any_text_comes_back(
    rows: list[tuple[str, str, list[str], str | None]],
) -> None:
    moment = datetime(2024, 3, 4, 5, 6, 7, 8, tzinfo=UTC)
    articles = [
        Article(id=a, published_at=moment, title=b, authors=tuple(c), lang=d)
        for a, b, c, d in rows
    ]
    columns: Columns = {}
    codec_of(Article).write(articles, "article", columns)

    assert codec_of(Article).read(len(articles), "article", columns) == articles
    assert columns == {}


@dataclass(frozen=True)
class Tables:
    """Arrays of one field that differ in shape and dtype."""

    table: NDArray[Any]


def test_arrays_of_different_types_share_a_column() -> None:
    values = [
        Tables(np.array([[-1, 2**62 + 1, 0]], dtype=np.int64)),
        Tables(np.zeros((0, 3), dtype=np.uint16)),
        Tables(np.arange(6, dtype=np.int32).reshape(2, 3)),
        Tables(np.array([[1e30, -0.0, np.nan]], dtype=np.float32)),
        Tables(np.array([[True, False]])),
        Tables(np.arange(12, dtype=np.int32).reshape(4, 3)[::2]),
    ]
    columns: Columns = {}
    codec_of(Tables).write(values, "tables", columns)
    read = codec_of(Tables).read(len(values), "tables", columns)

    for value, again in zip(values, read, strict=True):
        assert_same(again, value)


@given(st.lists(st.integers(-(2**63), 2**63 - 1)), st.sampled_from([8, 16, 32, 64]))
def test_whole_numbers_of_any_size_come_back(numbers: list[int], bits: int) -> None:
    limit = 2 ** (bits - 1)
    inside = [(number + limit) % (2 * limit) - limit for number in numbers]
    table = Tables(np.array(inside, dtype=f"int{bits}"))
    columns: Columns = {}
    codec_of(Tables).write([table], "tables", columns)

    assert_same(codec_of(Tables).read(1, "tables", columns)[0], table)


def test_a_type_that_has_no_columns_is_named() -> None:
    with pytest.raises(TypeError, match=r"no columns for .*complex"):
        codec_of(complex)


def test_an_empty_slide_is_kept_too() -> None:
    engine = Engine(PAIRS, TinyEncoder())
    state, _ = engine.advance(engine.begin(), Slide(end=tiny_slides()[0].end))

    assert_same(engine.thaw(engine.freeze(state)), state)
