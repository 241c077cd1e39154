"""Evidence of somebody's own: one file and one entry point, and it links articles."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.engine.sameness import assert_same
from ustory import Article, Discovery, LinkDecision, Settings
from ustory.core import registry
from ustory.core.errors import ConfigError
from ustory.core.evidence import load_evidence, reason_of
from ustory.core.settings import PARTS
from ustory.core.spans import EPOCH
from ustory.engine.match import match
from ustory.engine.prepare import Stopwatch, prepare
from ustory.engine.snapshot.states import freeze, thaw
from ustory.testing import TinyEncoder, check_evidence
from ustory.text import load_pipeline

MODULE = '''
import re
import zlib
from itertools import combinations

import numpy as np

from ustory.core.evidence import Reason

_NAME = re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+")
_SOUND = re.compile(r"[aeiouhy]|(.)(?=\\1)")


class NameEvidence:
    """Names that both articles have, however they are spelled."""

    name = "names"
    most = 12.0

    def column(self, prepared):
        text = " ".join(prepared.sentences)
        sounds = {_SOUND.sub("", each.lower()) for each in _NAME.findall(text)}
        names = {zlib.crc32(each.replace("k", "c").encode()) for each in sounds}
        return np.array(sorted(names), dtype=np.int64)

    def candidates(self, columns, new):
        first = len(columns) - new
        found = [
            (newer, older)
            for older, newer in combinations(range(len(columns)), 2)
            if newer >= first and len(np.intersect1d(columns[newer], columns[older]))
        ]
        newer, older = np.array(found, dtype=np.int64).reshape(-1, 2).T
        return newer, older

    def log_odds(self, pairs):
        columns = pairs.columns[self.name]
        shared = [
            len(np.intersect1d(columns[a], columns[b]))
            for a, b in zip(pairs.newer, pairs.older)
        ]
        return np.minimum(4.0 * np.array(shared, dtype=np.float64), self.most)

    def reason(self, odds):
        values = {"subject": "names", "count": round(odds / 4)}
        return Reason("by {count} shared names", values)
'''
ENTRY = "[ustory.evidence]\nnames = named_people:NameEvidence\n"
ALL = " ".join([*PARTS, "names"])


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a package with one module and one entry point."""
    (tmp_path / "named_people.py").write_text(MODULE)
    about = tmp_path / "named_people-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: named_people\n")
    (about / "entry_points.txt").write_text(ENTRY)
    monkeypatch.syspath_prepend(str(tmp_path))
    caches = (registry.names, registry.find, load_evidence)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


def news(id_: str, hour: int, text: str) -> Article:
    return Article(id=id_, published_at=EPOCH + timedelta(hours=hour), text=text)


STREAM = [
    news("a1", 0, "Yesterday ministers met Ada Byron, Carl Gauss, Emmy Noether."),
    news("a2", 2, "That evening Adah Byrron, Karl Gaus plus Emi Nother left town."),
    news("a3", 3, "Nobody expects rain over northern valleys before weekends."),
]


def told(parts: str) -> Discovery:
    found = Discovery(Settings(parts=parts), encoder=TinyEncoder())
    list(found.add(STREAM))
    list(found.finish())
    return found


@pytest.mark.usefixtures("names")
def test_it_keeps_the_contract() -> None:
    check_evidence(load_evidence("names"))


@pytest.mark.parametrize("name", ["words", "meaning"])
def test_ours_keep_the_contract(name: str) -> None:
    check_evidence(load_evidence(name))


@pytest.mark.usefixtures("names")
def test_it_links_articles_and_is_named_in_decisions_and_reasons() -> None:
    without, found = told(" ".join(PARTS)), told(ALL)

    assert without.state.link.story == {}
    assert set(found.state.link.story) == {"a1", "a2"}
    assert found.state.link.links.evidence["names"].tolist() == [12.0]
    why = found.decision("a2")
    assert isinstance(why, LinkDecision)
    assert why.evidence["names"] == 12.0
    assert str(reason_of("names", why.evidence["names"])) == "by 3 shared names"


@pytest.mark.usefixtures("names")
def test_its_state_is_the_same_after_it_was_written_and_read() -> None:
    found = told(ALL)
    read, _, _ = thaw(freeze(found.state, found.settings), "here")

    assert_same(read, found.state)
    later = news("a4", 30, "Today Ada Byrron, Carl Gaus and Emmy Nother agreed.")
    again = Discovery(found.settings, encoder=TinyEncoder(), state=read)
    for each in (found, again):
        list(each.add([later]))
        list(each.finish())
    assert_same(again.state, found.state)
    assert again.state.link.story["a4"] == again.state.link.story["a1"]


@pytest.mark.usefixtures("names")
def test_a_text_is_matched_by_it_too() -> None:
    found = told(ALL)
    text = news("q", 5, "We saw how Addah Biron, Carll Gaus, even Emmi Noter smiled.")
    ready = prepare([text], load_pipeline("fast"), TinyEncoder(), Stopwatch())

    ((first, *_),) = match(found.state, ready, found.settings)

    assert first.story == found.state.link.story["a1"]
    assert set(first.links) <= {"a1", "a2"}


def test_what_is_not_registered_is_no_part() -> None:
    with pytest.raises(ConfigError, match=r"parts must be some of .*; got 'names'"):
        Settings(parts=ALL)


def test_evidence_that_is_gone_is_still_named() -> None:
    assert str(reason_of("nothing_such", 1.0)) == "by nothing_such likely"
