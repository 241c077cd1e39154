"""The demo stream under guidance: stories found and named, pairs honoured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.links.following import GuidedRun, Told, demo_slides, follow, labels
from ustory.engine.snapshot.columns import Columns, codec_of
from ustory.links.guidance import Guidance, Watched
from ustory.links.guided import Guided

QUAKES = (
    Watched(
        name="Kestrel Bay",
        keywords=("earthquake", "tsunami"),
        entities=("Kestrel Bay", "Port Sella"),
    ),
    Watched(
        name="Ostry Ridge",
        keywords=("earthquake",),
        entities=("Ostry Ridge", "Karvelia"),
    ),
)


def named(told: Sequence[Told], name: str) -> set[str]:
    """Return all articles that were ever in the watched story."""
    return {a for t in told for a, s in t.story.items() if t.names.get(s) == name}


def of_label(label: str) -> list[str]:
    return [article for article, known in labels().items() if known == label]


@pytest.mark.parametrize("label", ["kestrel-bay-earthquake", "ostry-ridge-earthquake"])
def test_a_watched_story_is_found_and_named(label: str) -> None:
    told = follow(Guidance(watched=QUAKES))
    name = {"k": "Kestrel Bay", "o": "Ostry Ridge"}[label[0]]
    found = Counter(labels()[article] for article in named(told, name))
    assert found[label] >= 0.5 * len(of_label(label))
    assert found[label] >= 0.8 * found.total()
    ids = {story for t in told for story, known in t.names.items() if known == name}
    assert len(ids) == 1, "a watched story keeps its id"


def test_a_watched_story_is_one_from_its_first_article_on() -> None:
    first = demo_slides()[0]
    told = follow(Guidance(watched=QUAKES), [first])
    assert "Kestrel Bay" in told[0].names.values()


def test_an_example_names_a_story() -> None:
    probe = Watched(
        name="Helios",
        examples=(
            "The Helios probe reached the asteroid and then fell silent. Engineers of "
            "the space agency try to restore contact with the spacecraft.",
        ),
    )
    found = named(follow(Guidance(watched=(probe,))), "Helios")
    assert len(found) >= 4
    assert {labels()[article] for article in found} == {"helios-probe"}


def test_a_timeline_bounds_a_watched_story() -> None:
    since = datetime(2024, 3, 7, tzinfo=UTC)
    late = tuple(replace(watched, since=since) for watched in QUAKES)
    for slide, told in zip(demo_slides(), follow(Guidance(watched=late)), strict=True):
        assert not told.names or slide.end > since
    assert follow(Guidance(watched=late))[-1] != follow(Guidance(watched=QUAKES))[-1]


def test_two_watched_stories_are_never_one() -> None:
    same = replace(QUAKES[0], name="Twin")
    for told in follow(Guidance(watched=(*QUAKES, same))):
        assert len(set(told.names.values())) == len(told.names)


def test_articles_together_are_in_one_story_at_every_slide() -> None:
    kestrel, trial = of_label("kestrel-bay-earthquake"), of_label("brennick-trial")
    said = Guidance(together=((kestrel[0], trial[0]), (trial[0], kestrel[-1])))
    assert any(t.story.get(trial[0]) != t.story.get(kestrel[0]) for t in follow(None))
    met = 0
    for told in follow(said):
        inside = {told.story[a] for a in (kestrel[0], trial[0]) if a in told.story}
        met += len(inside)
        assert len(inside) <= 1
    assert met > 0


def test_articles_apart_are_never_in_one_story() -> None:
    plain = follow(None)
    last = {a: s for told in plain for a, s in told.story.items()}
    story, _ = Counter(last.values()).most_common(1)[0]
    members = [article for article, s in last.items() if s == story]
    said = Guidance(apart=(tuple(members[:3]),))
    for told in follow(said):
        inside = [told.story[a] for a in members[:3] if a in told.story]
        assert len(set(inside)) == len(inside)


def test_without_guidance_nothing_changes() -> None:
    # the second says much, but of articles and words that are not in the stream
    elsewhere = Guidance(
        watched=(
            Watched(name="Nowhere", keywords=("zyzzyva",), examples=("Zyzzyva.",)),
        ),
        together=(("x-1", "x-2"), ("a-0001", "x-3")),
        apart=(("a-0002", "x-4"),),
    )
    plain = follow(None)
    assert follow(Guidance()) == plain
    assert follow(elsewhere) == plain


def test_the_order_of_articles_in_a_slide_does_not_matter() -> None:
    said = Guidance(watched=QUAKES, apart=(("a-0001", "a-0002"),))
    backwards = [replace(s, articles=list(s.articles)[::-1]) for s in demo_slides()]
    assert follow(said, backwards) == follow(said)


def test_what_is_remembered_survives_a_snapshot() -> None:
    run = GuidedRun(Guidance(watched=QUAKES, apart=(("a-0001", "b-0001"),)))
    for slide in demo_slides():
        run.advance(slide)
        columns: Columns = {}
        codec_of(Guided).write([run.guided], "guided", columns)
        assert codec_of(Guided).read(1, "guided", columns) == [run.guided]
    assert run.guided.stories.keys() == {"Kestrel Bay", "Ostry Ridge"}
