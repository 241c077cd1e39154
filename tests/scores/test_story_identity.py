"""Whether stories keep their identity, drawn slide by slide.

A picture has a row per article and a column per slide: a letter is the found story
that the article is in, `-` that it is in none, `.` that it is not in the window.
The first letter of an article's name is its true story.

    x1  AAA..
    x2  .AAA.
    x3  ...BB

x goes by A; when B also holds one of its articles, A stays.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import ConfigError
from ustory.scores.agreement import score
from ustory.scores.identity import Follower, IdentityReport, followed, identity
from ustory.scores.windows import AssignmentRow, evaluate_assignments

DAY = timedelta(days=1)
START = datetime(2024, 3, 1, tzinfo=UTC)

Picture = Mapping[str, str]


def rows(picture: Picture) -> Iterator[AssignmentRow]:
    for slide in range(max(map(len, picture.values()))):
        for article, line in picture.items():
            if line[slide] != ".":
                story = None if line[slide] == "-" else line[slide]
                yield AssignmentRow(START + (slide + 1) * DAY, article, story)


def dates(picture: Picture) -> dict[str, datetime]:
    """Publish each article an hour before the end of the slide that brought it."""
    arrived = {a: len(line) - len(line.lstrip(".")) for a, line in picture.items()}
    return {a: START + (n + 1) * DAY - DAY / 24 for a, n in arrived.items()}


def truth(picture: Picture) -> dict[str, str | None]:
    return {article: article[0] for article in picture}


def seen(picture: Picture) -> IdentityReport:
    return identity(truth(picture), dates(picture), rows(picture))


def test_as_long_as_no_other_id_holds_more_nothing_switches() -> None:
    report = seen({"x1": "AAA..", "x2": ".AAA.", "x3": "...BB"})

    # In the fourth slide A and B hold an article each, and A stays; the fifth brings
    # x nothing new, so that it is not asked again.
    assert report.continuity.switches == 0
    assert report.continuity.fragments_per_story == 2


def test_a_switch_comes_when_another_id_holds_more() -> None:
    kept = seen({"x1": "AAAA", "x2": "AAAA", "x3": ".BBB", "x4": "..BB"})
    left = seen({"x1": "AAAA", "x2": "AAAA", "x3": ".BBB", "x4": "..BB", "x5": "...B"})

    assert kept.continuity.switches == 0
    assert left.continuity.switches == 1
    assert left.continuity.switches_per_story == 1
    assert left.continuity.unswitched == 0


def test_going_back_is_another_switch() -> None:
    report = seen({"x1": "ABA", "x2": "ABA"})

    assert report.continuity.switches == 2
    assert report.continuity.fragments_per_story == 1
    assert report.moved == 0


def test_a_new_id_for_the_same_articles_is_a_switch_and_no_fragment() -> None:
    report = seen({"x1": "AB", "x2": "AB", "y1": "CC", "y2": "CC"})

    assert report.continuity.switches == 1
    assert report.continuity.switches_per_story == 0.5
    assert report.continuity.unswitched == 0.5
    assert report.continuity.in_one_piece == 1
    assert report.moved == 2


def test_articles_that_leave_the_window_switch_nothing() -> None:
    # B alone is left in the third slide; then x goes on as A, as it always did.
    report = seen({"x1": "AA..", "x2": "AA..", "x3": ".BBB", "x4": "...A"})

    assert report.continuity.switches == 0


def test_a_story_lost_for_a_while_is_measured_against_what_it_last_went_by() -> None:
    back = seen({"x1": "A-A", "x2": "A-A"})
    gone = seen({"x1": "A-B", "x2": "A-B"})

    assert back.continuity.switches == 0
    assert gone.continuity.switches == 1


def test_fragments_are_those_of_the_settled_stories() -> None:
    report = seen({"x1": "AB", "x2": "AC", "x3": "A-", "y1": "DD", "y2": "DD"})

    assert report.continuity.fragments_per_story == 1.5
    assert report.continuity.in_one_piece == 0.5


def test_first_stories_and_settled_ones_are_scored_apart() -> None:
    picture = {"x1": "-AB", "x2": ".CB", "y1": "--D", "y2": "EED"}
    stories = list(truth(picture).values())
    true = [story for story in stories if story is not None]

    report = seen(picture)

    assert report.arrival == score(true, [None, "C", None, "E"], "singleton")
    assert report.first == score(true, ["A", "C", "D", "E"], "singleton")
    assert report.settled == score(true, ["B", "B", "D", "D"], "singleton")
    assert report.moved == 3
    assert report.settled.bcubed_f1 == 1 > report.first.bcubed_f1


def test_a_story_is_detected_when_an_arrival_meets_an_earlier_article() -> None:
    report = seen({"x1": "AAA", "x2": ".BB", "x3": "..B"})

    assert report.detection.detected == 1
    assert report.detection.mean_articles == 3
    assert report.detection.by_second_article == 0
    # published an hour before the first slide's end, detected two days after it
    assert report.detection.mean_hours == 49


def test_a_story_put_together_after_its_articles_arrived_is_not_detected_by_it() -> (
    None
):
    late = seen({"x1": "-A", "x2": "-A"})
    later = seen({"x1": "-A.", "x2": "-A.", "x3": "..A"})

    assert (late.detection.detected, late.detection.share) == (0, 0)
    assert late.detection.mean_hours is late.detection.median_articles is None
    assert later.detection.mean_articles == 3


def test_two_articles_of_one_slide_can_detect_their_story() -> None:
    report = seen({"x1": "A", "x2": "A"})

    assert report.detection.by_second_article == 1
    assert report.detection.median_articles == 2
    assert report.detection.median_hours == 1


def test_an_earlier_article_that_left_the_window_still_counts() -> None:
    report = seen({"x1": "A..", "x2": "..A"})

    assert report.detection.by_second_article == 1


def test_within_a_slide_articles_arrive_as_they_were_published() -> None:
    picture = {"x1": "B", "x2": "A", "x3": "A"}
    when = {"x1": START, "x2": START + DAY / 4, "x3": START + DAY / 2}
    turned = {"x1": START + DAY / 2, "x2": START, "x3": START + DAY / 4}

    third, second = (
        identity(truth(picture), each, rows(picture)) for each in (when, turned)
    )

    assert third.detection.mean_articles == 3
    assert second.detection.mean_articles == 2


def test_stories_of_one_article_have_no_identity_to_keep() -> None:
    report = seen({"x1": "AB", "y1": "C-"})

    assert report.detection.stories == report.continuity.matched == 0
    assert report.detection.share is report.continuity.switches_per_story is None
    assert report.figures()["detection_share"] != report.figures()["detection_share"]


def test_where_nothing_is_assigned_nothing_is_detected_or_matched() -> None:
    report = seen({"x1": "--", "x2": ".-", "y1": "--"})

    assert (report.detection.share, report.detection.mean_articles) == (0, None)
    assert report.continuity.matched == report.continuity.switches == 0
    assert report.continuity.fragments_per_story is report.continuity.unswitched is None
    assert report.first == report.settled == report.arrival
    assert report.settled.found == 0


def test_one_true_story_is_followed_like_any_other() -> None:
    report = seen({"x1": "AA", "x2": ".A", "x3": ".B"})

    assert report.detection.stories == 1
    assert report.continuity.fragments_per_story == 2
    assert report.settled.ami == report.settled.ari == 0


def test_unlabelled_and_missing_articles_take_no_part_and_are_unassigned() -> None:
    picture = {"x1": "A", "x2": "A", "u1": "A"}
    told: dict[str, str | None] = {"x1": "x", "x2": "x", "u1": None, "y1": "y"}

    report = identity({**told, "y2": "y"}, {}, rows(picture))

    assert report.detection.stories == 2
    assert report.detection.detected == report.continuity.matched == 1
    assert report.settled.articles == 4
    assert report.settled.bcubed_recall == pytest.approx(3 / 4)


def test_without_a_date_an_article_counts_as_published_when_its_slide_ended() -> None:
    picture = {"x1": "AA", "x2": ".A"}

    assert identity(truth(picture), {}, rows(picture)).detection.mean_hours == 24


def test_figures_are_all_numbers_under_names_of_their_own() -> None:
    report = seen({"x1": "AA", "x2": ".A"})

    figures = report.figures()

    assert figures["first_ami"] == report.first.ami
    assert figures["continuity_fragments_per_story"] == 1
    assert figures["detection_by_second_article"] == 1
    assert all(type(value) is float for value in figures.values())


@pytest.mark.parametrize(
    ("told", "given", "protocol", "said"),
    [
        ({"x1": None}, [], "paper", "scores need a labelled stream"),
        ({"x1": "x"}, [], "paper", "no row was given"),
        ({"x1": "x"}, [], "both", "singleton, paper"),
        ({"x1": "x"}, [AssignmentRow(START, "q", "1")], "paper", "no article 'q'"),
        ({"x1": "x"}, [AssignmentRow(START, "x1", "1")] * 2, "paper", "listed twice"),
    ],
)
def test_what_cannot_be_followed_is_refused_in_words(
    told: dict[str, str | None], given: list[AssignmentRow], protocol: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        identity(told, {}, given, protocol)


def test_a_date_without_a_zone_is_refused() -> None:
    when = {"x1": START.replace(tzinfo=None)}

    with pytest.raises(ConfigError, match=r"must carry a time zone.*'x1'"):
        identity({"x1": "x"}, when, [AssignmentRow(START, "x1", "1")])


lines = st.text("ABC-", min_size=1, max_size=4)


@st.composite
def pictures(draw: st.DrawFn) -> Picture:
    """Draw up to eight articles that stay in the window for four slides at most."""
    picture = {}
    for number in range(draw(st.integers(1, 8))):
        line = "." * draw(st.integers(0, 4)) + draw(lines)
        picture[draw(st.sampled_from("xyz")) + str(number)] = line.ljust(8, ".")
    return picture


def by_definition(picture: Picture) -> tuple[int, int, list[int]]:
    """Return switches, matched stories and articles until detection, the long way."""
    switches, matched, detected = 0, 0, []
    when = dates(picture)
    for true in sorted({article[0] for article in picture}):
        own = sorted((a for a in picture if a[0] == true), key=lambda a: (when[a], a))
        if len(own) < 2:
            continue
        went_by: list[str] = []
        for slide in range(8):
            now, before = (
                {a: picture[a][slide - back] if slide >= back else "." for a in own}
                for back in (0, 1)
            )
            held = Counter(now[a] for a in own if now[a] not in ".-")
            if held and any(now[a] not in (".", before[a]) for a in own):
                best = [s for s in dict.fromkeys(held) if held[s] == max(held.values())]
                went_by.append(
                    went_by[-1] if went_by and went_by[-1] in best else best[0]
                )
        switches += sum(a != b for a, b in pairwise(went_by))
        matched += bool(went_by)
        detected += _detected(picture, own)
    return switches, matched, detected


def _detected(picture: Picture, own: list[str]) -> list[int]:
    for number, article in enumerate(own):
        slide = len(picture[article]) - len(picture[article].lstrip("."))
        story = picture[article][slide]
        met = {picture[e][: slide + 1].rstrip(".")[-1] for e in own[:number]}
        if story != "-" and story in met:
            return [number + 1]
    return []


@given(pictures())
def test_any_run_is_counted_as_defined(picture: Picture) -> None:
    switches, matched, detected = by_definition(picture)

    report = seen(picture)

    assert report.continuity.switches == switches
    assert report.continuity.matched == matched
    assert report.detection.detected == len(detected)
    if detected:
        assert report.detection.mean_articles == pytest.approx(
            sum(detected) / len(detected)
        )
        assert report.detection.by_second_article == pytest.approx(
            detected.count(2) / report.detection.stories
        )


@given(pictures(), st.permutations("ABC"))
def test_what_stories_are_called_does_not_matter(
    picture: Picture, names: list[str]
) -> None:
    table = str.maketrans("ABC", "".join(names))
    renamed = {article: line.translate(table) for article, line in picture.items()}

    assert seen(renamed) == seen(picture)


@given(pictures(), st.randoms(use_true_random=False))
def test_the_order_of_rows_within_a_slide_does_not_matter(
    picture: Picture, random: Random
) -> None:
    order = list(picture)
    random.shuffle(order)
    shuffled = {article: picture[article] for article in order}

    again = identity(truth(picture), dates(picture), rows(shuffled))

    assert again == seen(picture)


@given(pictures())
def test_one_pass_gives_scores_and_identity(picture: Picture) -> None:
    follower = Follower(truth(picture), dates(picture))

    report = evaluate_assignments(
        truth(picture), rows(picture), 4 * DAY, DAY, "paper", follower.see
    )

    found = followed(follower, "paper")
    assert found == identity(truth(picture), dates(picture), rows(picture), "paper")
    assert found.settled == report.whole_stream
