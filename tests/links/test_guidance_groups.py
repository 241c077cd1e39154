"""What was said of articles holds, whatever their links are."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, count

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import ConfigError
from ustory.links.constraint_graph import LinkedWindow
from ustory.links.guidance import Guidance, Watched
from ustory.links.guided import Guided, guided_stories, watched_names
from ustory.links.joining import GroupEvidence
from ustory.links.watched_matcher import WatchedMatch
from ustory.links.word_scan import Rows

Links = Mapping[tuple[int, int], float]


def unlike(articles: int) -> GroupEvidence:
    """Return evidence of articles that have no word in common."""
    none = np.zeros(0, dtype=np.int64)
    ones = np.ones(articles, dtype=np.float32)
    words = Rows(np.arange(articles + 1), np.arange(articles), ones)
    own = np.arange(articles)
    return GroupEvidence((none, none), np.zeros(0), words, np.ones(articles), own)


def window(links: Links, articles: int, before: Mapping[str, str]) -> LinkedWindow:
    pairs = sorted(links)
    ends = np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)
    weight = np.array([links[pair] for pair in pairs], dtype=np.float64)
    names = [f"a{i}" for i in range(articles)]
    rows = ends[:, 0], ends[:, 1]
    return LinkedWindow(names, rows, weight, before, unlike(articles))


def clique(*rows: int, weight: float = 0.9) -> dict[tuple[int, int], float]:
    return dict.fromkeys(combinations(rows, 2), weight)


def settled(
    links: Links,
    articles: int,
    guidance: Guidance,
    before: Mapping[str, str] | None = None,
    guided: Guided | None = None,
) -> tuple[dict[str, str], Guided]:
    numbers = count(100)
    return guided_stories(
        window(links, articles, before or {}),
        guided or Guided(),
        guidance,
        lambda: f"s{next(numbers)}",
    )


def matching(*articles: str, name: str = "W") -> dict[str, WatchedMatch]:
    return {article: WatchedMatch(name=name, strength=0.9) for article in articles}


WATCHED = (Watched(name="W", keywords=("x",)), Watched(name="V", keywords=("y",)))


def test_articles_together_are_in_one_story_without_a_link() -> None:
    said = Guidance(together=(("a0", "a3"), ("a3", "elsewhere")))
    story, _ = settled(clique(0, 1, 2), 5, said)
    assert story["a0"] == story["a3"] == story["a1"]
    assert "a4" not in story


def test_of_two_articles_apart_the_one_with_weaker_links_leaves() -> None:
    links = {**clique(0, 1, 2, 3), (0, 4): 0.5, (1, 4): 0.5, (2, 4): 0.5}
    plain, _ = settled(links, 5, Guidance())
    assert len(set(plain.values())) == 1
    story, _ = settled(links, 5, Guidance(apart=(("a4", "a0"),)))
    assert len({story[f"a{i}"] for i in range(4)}) == 1
    assert story.get("a4") != story["a0"]


def test_those_that_lean_to_the_one_that_leaves_go_with_it() -> None:
    links = {**clique(0, 1, 2, 3, 4, 5), **clique(6, 7, 8)}
    links |= {(low, high): 0.7 for low in range(6) for high in (6, 7, 8)}
    plain, _ = settled(links, 9, Guidance())
    assert len(set(plain.values())) == 1
    story, _ = settled(links, 9, Guidance(apart=(("a0", "a8"), ("a0", "a7"))))
    assert story["a0"] not in (story.get("a7"), story.get("a8"))


def test_a_story_that_was_cut_stays_cut_in_the_same_way() -> None:
    before = {f"a{i}": "s1" if i < 4 else "s2" for i in range(7)}
    story, _ = settled(clique(*range(9)), 9, Guidance(apart=(("a0", "a5"),)), before)
    assert {a: story[a] for a in before} == before


def test_an_article_is_together_with_one_that_left_the_window() -> None:
    before = {"a0": "s1", "a1": "s1", "a2": "s2", "a3": "s2"}
    links = {**clique(0, 1), **clique(2, 3, 4)}
    said = Guidance(together=(("gone", "a4"),))
    guided = Guided(departed={"gone": "s1"})
    story, after = settled(links, 5, said, before, guided)
    assert story == {**before, "a4": "s1"}
    assert after.departed == {"gone": "s1"}


def test_an_article_stays_apart_from_one_that_left_the_window() -> None:
    before = {"a0": "s1", "a1": "s1"}
    said = Guidance(apart=(("gone", "a2"),))
    plain, _ = settled(clique(0, 1, 2), 3, Guidance(), before)
    assert plain["a2"] == "s1"
    guided = Guided(departed={"gone": "s1"})
    story, _ = settled(clique(0, 1, 2), 3, said, before, guided)
    assert story == before


def test_an_article_that_left_is_followed_when_its_story_is_merged() -> None:
    before = {f"a{i}": "s1" if i < 3 else "s2" for i in range(6)}
    guided = Guided(departed={"gone": "s2", "lost": "s3"})
    said = Guidance(apart=(("gone", "a9"),))
    story, after = settled(clique(*range(6)), 6, said, before, guided)
    assert set(story.values()) == {"s1"}
    assert after.departed == {"gone": "s1"}


def test_the_story_round_a_watched_one_has_its_name_from_the_first_article() -> None:
    said = Guidance(watched=WATCHED)
    story, guided = settled({}, 2, said, guided=Guided(matches=matching("a1")))
    assert story == {"a1": "s100"}
    assert watched_names(guided, story) == {"s100": "W"}


def test_a_watched_story_that_comes_back_has_its_old_id() -> None:
    said = Guidance(watched=WATCHED)
    guided = Guided(matches=matching("a0", "a1"), stories={"W": "s7"})
    story, after = settled(clique(0, 1), 2, said, guided=guided)
    assert story == {"a0": "s7", "a1": "s7"}
    assert after.stories == {"W": "s7"}


def test_a_story_loses_the_name_when_no_article_speaks_of_it_any_more() -> None:
    said = Guidance(watched=WATCHED)
    before = {"a0": "s7", "a1": "s7"}
    story, after = settled(clique(0, 1), 2, said, before, Guided(stories={"W": "s7"}))
    assert story == before
    assert after.stories == {"W": "s7"}
    assert watched_names(after, story) == {}


def test_two_watched_stories_never_share_a_story() -> None:
    matches = {**matching("a0", "a1"), **matching("a4", "a5", name="V")}
    said = Guidance(watched=WATCHED)
    story, guided = settled(clique(*range(6)), 6, said, guided=Guided(matches=matches))
    assert watched_names(guided, story).keys() == {story["a0"], story["a4"]}
    assert story["a0"] == story["a1"] != story["a4"] == story["a5"]


def test_an_article_id_cannot_pass_for_a_watched_story() -> None:
    said = Guidance(watched=WATCHED)
    numbers = count(100)
    rows = np.zeros(0, dtype=np.int64)
    odd = LinkedWindow(["\0W", "a1"], (rows, rows), np.zeros(0), {}, unlike(2))
    guided = Guided(matches=matching("a1"))
    story, _ = guided_stories(odd, guided, said, lambda: f"s{next(numbers)}")
    assert story == {"a1": "s100"}


ARTICLES = 9
names = st.integers(0, ARTICLES - 1).map("a{}".format)
entries = st.lists(
    st.lists(names, min_size=2, max_size=3, unique=True).map(tuple), max_size=4
).map(tuple)
weights = st.sampled_from((0.2, 0.5, 0.9, 1.0))
pairs = st.tuples(st.integers(0, ARTICLES - 1), st.integers(0, ARTICLES - 1)).filter(
    lambda pair: pair[0] < pair[1]
)


@given(
    st.dictionaries(pairs, weights, max_size=36),
    entries,
    entries,
    st.dictionaries(names, st.sampled_from(("s1", "s2", "s3"))),
    st.dictionaries(names, st.sampled_from("WV")),
)
def test_what_was_said_holds_for_any_links(
    links: Links,
    together: tuple[tuple[str, ...], ...],
    apart: tuple[tuple[str, ...], ...],
    before: dict[str, str],
    matched: dict[str, str],
) -> None:
    try:
        said = Guidance(watched=WATCHED, together=together, apart=apart)
    except ConfigError:
        said = Guidance(watched=WATCHED, together=together)
    matches = {a: WatchedMatch(name=n, strength=0.8) for a, n in matched.items()}
    before = {f"a{i}": before[f"a{i}"] for i in range(ARTICLES) if f"a{i}" in before}
    guided = Guided(matches=matches)
    story, after = settled(links, ARTICLES, said, before, guided)
    for entry in said.together:
        assert len({story[article] for article in entry}) == 1
    for entry in said.apart:
        for one, other in combinations(entry, 2):
            assert one not in story or story[one] != story.get(other)
    assert len(set(after.stories.values())) == len(after.stories)
    assert settled(links, ARTICLES, said, before, guided) == (story, after)
    assert set(story) <= {f"a{i}" for i in range(ARTICLES)}
