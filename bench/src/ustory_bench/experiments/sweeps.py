"""The task that sweeps share: run a system with these settings and score it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from statistics import fmean, median

from ustory.core.article import PreparedArticle
from ustory.core.errors import ConfigError
from ustory.core.settings import Settings
from ustory.engine.online import Engine
from ustory.scores.agreement import METRICS, Score, mean_metrics, score
from ustory.scores.significance import block_length, bootstrap_interval
from ustory.scores.windows import evaluate_assignments
from ustory_bench.runner.follow import SlideStories, follow, rows
from ustory_bench.runner.jobs import BenchPlan, Inputs, Job, Plain
from ustory_bench.runner.score import PROTOCOL, duration
from ustory_bench.runner.streams import Stream
from ustory_bench.system import Parameter, find_system

TASK = "ustory_bench.experiments.sweeps:measure"

OURS = ("ustory-auto", "ustory")
"""Our method without M and with it; sweeps of one method take the first there is."""

_DIGITS = 6
_WARM = 40  # articles; enough for stories to be found and to grow
_warmed: set[str] = set()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """The windows of a run that count, and the stream as a whole."""

    windows: Sequence[tuple[datetime, Score]]
    whole_stream: Score
    full: bool
    """False when no window reached W, and the shorter ones were scored instead."""
    block: int
    """Windows that make a block as long as a window, for intervals."""


def our_systems(plan: BenchPlan) -> list[str]:
    """Return our systems of the plan, `ustory-auto` where it has neither."""
    return [name for name in OURS if name in plan.systems] or [OURS[0]]


def sweep_job(
    plan: BenchPlan,
    stream: str,
    system: str,
    settings: Mapping[str, str] | None = None,
    parameters: Mapping[str, Parameter] | None = None,
    articles: int | None = None,
) -> Job:
    """Return the job of one point of a sweep, for `measure`.

    What equals the plan's settings or the system's defaults is left out, so that
    sweeps that pass through the same point ask for the same job.
    """
    usual = plan.settings_for(stream).to_dict()
    defaults = find_system(system).parameters
    arguments = {
        "system": system,
        "settings": {k: v for k, v in (settings or {}).items() if usual[k] != v},
        "parameters": {
            k: v for k, v in (parameters or {}).items() if defaults.get(k, ...) != v
        },
        "articles": articles,
    }
    return Job(
        system=system,
        stream=stream,
        encoder=plan.encoders[0],
        task=TASK,
        arguments={name: value for name, value in arguments.items() if value},
    )


def measure(
    inputs: Inputs,
    *,
    system: str,
    settings: Mapping[str, Plain] | None = None,
    parameters: Mapping[str, Parameter] | None = None,
    articles: int | None = None,
) -> dict[str, Plain]:
    """Run a system over the end of a stream; return its scores and times.

    `settings` and `parameters` are those that change; `articles` as `last_days` has
    it. The result is what `summary` returns, with the steps of our engine.
    """
    stream = last_days(inputs.stream, articles)
    chosen = inputs.settings.with_(settings or {})
    discoverer = find_system(system).make(chosen, inputs.encoder, **(parameters or {}))
    watch = discoverer.stopwatch.seconds if isinstance(discoverer, Engine) else {}
    told: list[SlideStories] = []
    clocks: list[dict[str, float]] = [{}]
    for each in follow(discoverer, stream.articles, chosen):
        told.append(each)
        clocks.append(dict(watch))
    scored = score_windows(told, stream, chosen)
    start = len(told) - len(timed(told, scored))
    found = summary(told, stream, scored, block_of(chosen))
    return {**found, "steps": _steps(clocks[start], clocks[-1], len(told) - start)}


def warm(inputs: Inputs, arguments: Mapping[str, Plain]) -> None:
    """Let a system load and compile what it needs, on a few articles.

    The times of `measure` are then those of a system that has been running. Once in a
    process is enough.
    """
    if arguments["system"] in _warmed:
        return
    _warmed.add(arguments["system"])
    settings = inputs.settings.with_(arguments.get("settings", {}))
    system = find_system(arguments["system"])
    made = system.make(settings, inputs.encoder, **arguments.get("parameters", {}))
    deque(follow(made, inputs.stream.articles[-_WARM:], settings), maxlen=0)


def last_days(stream: Stream, articles: int | None) -> Stream:
    """Return the end of a stream: the fewest whole days that hold so many articles.

    Its end and not its beginning, because collections tend to begin thinly.
    """
    if articles is None or articles >= len(stream.articles):
        return stream
    first = _day(stream.articles[-articles])
    kept = tuple(one for one in stream.articles if _day(one) >= first)
    return replace(stream, articles=kept)


def score_windows(
    told: Sequence[SlideStories], stream: Stream, settings: Settings
) -> Scored:
    """Return the scores of a run, in windows by time or by number of articles."""
    if isinstance(settings.window, int):
        return _by_number(told, stream, settings.window, block_of(settings))
    window, slide = duration(settings.window), duration(settings.slide)
    report = evaluate_assignments(stream.truth, rows(told), window, slide, PROTOCOL)
    return Scored(
        windows=report.windowed.windows,
        whole_stream=report.whole_stream,
        full=report.full_windows,
        block=block_of(settings),
    )


def block_of(settings: Settings) -> int:
    """Return how many slides make a window, rounded up.

    >>> block_of(Settings()), block_of(Settings(window=100, slide=25))
    (7, 4)
    """
    window, slide = settings.window, settings.slide
    if isinstance(window, int) and isinstance(slide, int):
        return -(-window // slide)
    return block_length(duration(window), duration(slide))


def timed(told: Sequence[SlideStories], scored: Scored) -> Sequence[SlideStories]:
    """Return the slides that times are of: all from the first scored window on."""
    start = scored.windows[0][0]
    return [each for each in told if each.end >= start]


def summary(
    told: Sequence[SlideStories], stream: Stream, scored: Scored, block: int
) -> dict[str, Plain]:
    """Return scores, their intervals, and seconds per slide, as JSON can hold them.

    `block` is how many slides make a block, for the interval of the seconds.
    """
    scores = [each for _, each in scored.windows]
    mean = mean_metrics(scores)
    seconds = [each.seconds for each in timed(told, scored)]
    return {
        "articles": len(stream.articles),
        "windows": len(scores),
        "full_windows": scored.full,
        "articles_per_window": round(fmean(each.articles for each in scores), 2),
        "stories_per_window": round(fmean(each.stories for each in scores), 2),
        "windowed": {m: round(getattr(mean, m), _DIGITS) for m in METRICS},
        "intervals": {
            m: _interval([getattr(each, m) for each in scores], scored.block)
            for m in METRICS
        },
        "whole_stream": {
            m: round(getattr(scored.whole_stream, m), _DIGITS) for m in METRICS
        },
        "seconds": {
            "slides": len(seconds),
            "mean": round(fmean(seconds), _DIGITS),
            "median": round(median(seconds), _DIGITS),
            "interval": _interval(seconds, block),
        },
    }


def _by_number(
    told: Sequence[SlideStories], stream: Stream, window: int, block: int
) -> Scored:
    """Return the scores of windows of equally many articles, which have no calendar."""
    truth = {a: label for a, label in stream.truth.items() if label is not None}
    full: list[tuple[datetime, Score]] = []
    early: list[tuple[datetime, Score]] = []
    last: dict[str, str | None] = {}
    for each in told:
        last.update(each.stories)
        inside = [article for article in each.stories if article in truth]
        if inside:
            found = [each.stories[a] for a in inside]
            scored = score([truth[a] for a in inside], found, PROTOCOL)
            reached = len(each.stories) >= window
            (full if reached else early).append((each.end, scored))
    if not full and not early:
        raise ConfigError(
            f"no window of {stream.name} holds an article with a true story; "
            "give a labelled stream"
        )
    return Scored(
        windows=full or early,
        whole_stream=score(
            list(truth.values()), [last.get(a) for a in truth], PROTOCOL
        ),
        full=bool(full),
        block=block,
    )


def _interval(values: Sequence[float], block: int) -> list[float] | None:
    """Return the 95 % interval of a mean; None where there are under two blocks."""
    if len(values) < 2 * block:
        return None
    found = bootstrap_interval(values, block)
    return [round(found.low, _DIGITS), round(found.high, _DIGITS)]


def _steps(
    before: Mapping[str, float], after: Mapping[str, float], slides: int
) -> dict[str, float] | None:
    """Return mean seconds per slide of each step; None where none was timed."""
    return {
        step: round((total - before.get(step, 0.0)) / slides, 9)
        for step, total in sorted(after.items())
    } or None


def _day(one: PreparedArticle) -> date:
    return one.article.published_at.astimezone(UTC).date()
