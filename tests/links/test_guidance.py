"""Guidance as values and as a file: what is read, what is refused, and how."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import ConfigError
from ustory.engine.snapshot.columns import Columns, codec_of
from ustory.links.guidance import (
    LARGEST,
    LONGEST_EXAMPLE,
    MOST_PAIRS,
    MOST_WORDS,
    Guidance,
    Watched,
)

WHOLE = """
together = [["a-1", "a-2"], ["a-2", "a-3", "a-4"]]
apart = [["a-1", "b-1"]]

[[watched]]
name = "Kestrel Bay"
keywords = ["earthquake", "tsunami"]
entities = ["Port Sella"]
categories = ["world"]
since = 2024-03-04
until = 2024-03-08
lang = "en"

[[watched]]
name = "The probe"
since = 2024-03-04T12:00:00+02:00
examples = ["The probe fell silent.\\nNobody knows why."]
"""

READ = Guidance(
    watched=(
        Watched(
            name="Kestrel Bay",
            keywords=("earthquake", "tsunami"),
            entities=("Port Sella",),
            categories=("world",),
            since=datetime(2024, 3, 4, tzinfo=UTC),
            until=datetime(2024, 3, 9, tzinfo=UTC),
            lang="en",
        ),
        Watched(
            name="The probe",
            since=datetime(2024, 3, 4, 10, tzinfo=UTC),
            examples=("The probe fell silent.\nNobody knows why.",),
        ),
    ),
    together=(("a-1", "a-2"), ("a-2", "a-3", "a-4")),
    apart=(("a-1", "b-1"),),
)


def load(folder: Path, text: str | bytes) -> Guidance:
    file = folder / "guidance.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Guidance.load(file)


def test_a_file_says_what_the_same_objects_say(tmp_path: Path) -> None:
    assert load(tmp_path, WHOLE) == READ


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    assert load(tmp_path, "") == Guidance()
    assert not Guidance()
    assert READ


def test_guidance_can_be_written_into_a_snapshot() -> None:
    columns: Columns = {}
    codec_of(Guidance).write([READ], "guidance", columns)
    assert codec_of(Guidance).read(1, "guidance", columns) == [READ]
    assert not columns


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '[[watched]]\nname = "A"\nkeyword = ["x"]',
            "no key 'keyword'; known are: name",
        ),
        ('watch = ["x"]', "no key 'watch'; known are: watched, together, apart"),
        ('[[watched]]\nkeywords = ["x"]', "number 1: the story needs a name"),
        ('[[watched]]\nname = "A"\nkeywords = "x"', "keywords must be a list of texts"),
        ('[[watched]]\nname = "A"\nkeywords = [1]', "must be a text, not empty; got 1"),
        ('[[watched]]\nname = "A"\nkeywords = [" "]', "must be a text, not empty"),
        (
            '[[watched]]\nname = "A"\ncategories = ["x"]',
            "give it keywords, entities or",
        ),
        ('[[watched]]\nname = "\\u001b[31m"\nkeywords = ["x"]', "must be printable"),
        ('[[watched]]\nname = 3\nkeywords = ["x"]', "the name of a watched story must"),
        ('[watched]\nname = "A"', "begin each story with a line [[watched]]"),
        ('[[watched]]\nname = "A"\nkeywords = ["x"]\ntogether = []', "move it above"),
        ('[[watched]]\nname = "A"\nkeywords = ["x"]\nsince = "May"', "without quotes"),
        (
            '[[watched]]\nname = "A"\nkeywords = ["x"]\n'
            "since = 2024-03-04\nuntil = 2024-03-01",
            "ends before it begins",
        ),
        ('[[watched]]\nname = "A"\nkeywords = ["x"]\nuntil = 9999-12-31', "of range"),
        ('together = "a"', "together must be a list of pairs of ids"),
        ('together = [["a"]]', "must name two articles or more"),
        ('together = [["a", "a"]]', "must name different articles"),
        ("apart = [[1, 2]]", "an article id in apart must be a text"),
        ("apart = [[", "not a TOML file"),
        (b"\xff\xfe", "not a TOML file in UTF-8"),
        ("together = " + "[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_its_place(
    tmp_path: Path, text: str | bytes, said: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, text)
    assert said in str(refused.value)
    assert str(refused.value).startswith(str(tmp_path / "guidance.toml"))


def test_the_table_that_is_wrong_is_named(tmp_path: Path) -> None:
    text = WHOLE + '\n[[watched]]\nname = "Third"\nkeywords = []\n'
    with pytest.raises(ConfigError, match=r"\[\[watched\]\] number 3 \('Third'\)"):
        load(tmp_path, text)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read guidance from .*no-file\.toml"):
        Guidance.load(tmp_path / "no-file.toml")
    with pytest.raises(ConfigError, match="cannot read guidance"):
        Guidance.load(tmp_path)


def test_a_file_of_hostile_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at most 8 MiB"):
        load(tmp_path, b"#" * (LARGEST + 1))


def test_hostile_numbers_are_refused() -> None:
    with pytest.raises(ConfigError, match="at most 100 can be given, got 101"):
        Watched(name="A", keywords=tuple(f"w{i}" for i in range(MOST_WORDS + 1)))
    with pytest.raises(ConfigError, match="at most 100,000 characters"):
        Watched(name="A", examples=("x" * (LONGEST_EXAMPLE + 1),))
    many = tuple(f"a{i}" for i in range(150))
    with pytest.raises(ConfigError, match=f"at most {MOST_PAIRS:,} can be given"):
        Guidance(apart=(many,))
    assert Guidance(together=(many,))


def test_two_watched_stories_of_one_name_are_refused() -> None:
    twice = Watched(name="A", keywords=("x",)), Watched(name="A", keywords=("y",))
    with pytest.raises(ConfigError, match="need different names"):
        Guidance(watched=twice)


def test_a_time_without_a_zone_is_refused() -> None:
    naive = datetime(2024, 3, 4)  # noqa: DTZ001 - that is the fault
    with pytest.raises(ConfigError, match="since must be a time with its zone"):
        Watched(name="A", keywords=("x",), since=naive)


def test_apart_within_the_closure_of_together_is_refused() -> None:
    with pytest.raises(ConfigError, match="'a' and 'd' are to be apart"):
        Guidance(together=(("a", "b"), ("c", "d"), ("b", "c")), apart=(("a", "d"),))


ids = st.sampled_from("abcdefgh")
entries = st.lists(st.lists(ids, min_size=2, max_size=3, unique=True), max_size=6)


@given(entries, entries)
def test_guidance_is_refused_exactly_when_it_contradicts_itself(
    together: list[list[str]], apart: list[list[str]]
) -> None:
    sets = [{name} for name in "abcdefgh"]
    for entry in together:
        joined = [s for s in sets if s & set(entry)]
        sets = [s for s in sets if s not in joined] + [set().union(*joined)]
    contradicts = any(len(s & set(entry)) > 1 for s in sets for entry in apart)
    said = tuple(map(tuple, together)), tuple(map(tuple, apart))
    if contradicts:
        with pytest.raises(ConfigError, match="are to be apart"):
            Guidance(together=said[0], apart=said[1])
    else:
        closure = Guidance(together=said[0], apart=said[1]).closure
        for one in sets:
            assert len({closure.root(name) for name in one}) == 1
