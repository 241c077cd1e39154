"""How the true stories of a stream live: how large, how long, how many at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from ustory.core.arrays import Counts, Indices, Vector
from ustory.core.spans import EPOCH, microseconds

_DAY = microseconds(timedelta(days=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lives:
    """The lives of true stories; shares are of stories unless they say otherwise."""

    stories: int
    story_days: int
    """Pairs of a story and a calendar day on which it has an article."""
    largest: int
    median_size: float
    singletons: float
    """Share with one article."""
    small: float
    """Share with fewer articles than asked for."""
    articles_in_small: float
    """Share of the articles that are in such stories."""
    one_day: float
    """Share whose articles are all of one day."""
    median_days: float
    longest_days: float
    outlive_window: float
    """Share that live longer than a window."""
    revived: float
    """Share that fall silent for longer than a window, and come back."""
    alive_mean: float
    """Stories with an article in the window, over the windows that hold any."""
    alive_most: int
    overlapping: float
    """Other stories whose lives overlap with that of a story, on average."""


def lives_of(
    labels: Sequence[str],
    times: Sequence[datetime],
    window: timedelta,
    slide: timedelta,
    least: int,
) -> Lives:
    """Return how the stories live of which articles have these labels and times.

    Windows are the calendar's: those that end a multiple of the slide after the
    epoch. `least` is the size under which a story counts as small.
    """
    moments = np.array([microseconds(each - EPOCH) for each in times], dtype=np.int64)
    _, story = np.unique(np.array(labels, dtype=object), return_inverse=True)
    order = np.lexsort((moments, story))
    story, moments = story[order], moments[order]
    starts = np.flatnonzero(np.diff(story, prepend=-1))
    sizes = np.diff(starts, append=len(story))
    first, last = moments[starts], moments[starts + sizes - 1]
    same = np.diff(story) == 0
    gaps = np.diff(moments)[same] > microseconds(window)
    alive_mean, alive_most = _alive(story, moments, window, slide)
    days = np.unique(np.stack([story, moments // _DAY]), axis=1)
    return Lives(
        stories=len(starts),
        story_days=days.shape[1],
        largest=int(sizes.max()),
        median_size=float(np.median(sizes)),
        singletons=float(np.mean(sizes == 1)),
        small=float(np.mean(sizes < least)),
        articles_in_small=float(sizes[sizes < least].sum() / sizes.sum()),
        one_day=float(np.mean(first // _DAY == last // _DAY)),
        median_days=float(np.median(last - first) / _DAY),
        longest_days=float((last - first).max() / _DAY),
        outlive_window=float(np.mean(last - first > microseconds(window))),
        revived=len(np.unique(story[1:][same][gaps])) / len(starts),
        alive_mean=alive_mean,
        alive_most=alive_most,
        overlapping=float(_overlaps(first, last).mean()),
    )


def _alive(
    story: Indices, moments: Indices, window: timedelta, slide: timedelta
) -> tuple[float, int]:
    """Return how many stories have an article in a window: on average, and at most.

    An article that arrives in slide k is in the windows that end with slide k and
    the W/S − 1 after it.
    """
    arrives = moments // microseconds(slide)
    stays = -(-microseconds(window) // microseconds(slide))
    begins, ends = _runs(story, arrives, stays)
    everything = np.zeros_like(arrives)
    any_begins, any_ends = _runs(everything, np.sort(arrives), stays)
    windows = int((any_ends - any_begins).sum())
    return float((ends - begins).sum() / windows), _most_at_once(begins, ends)


def _runs(story: Indices, arrives: Indices, stays: int) -> tuple[Indices, Indices]:
    """Return the first slide of each unbroken stay, and the first after it.

    Rows are sorted by story and time.
    """
    parted = np.diff(story, prepend=-1) != 0
    parted |= np.diff(arrives, prepend=0) > stays
    begins = np.flatnonzero(parted)
    ends = np.append(begins[1:], len(story)) - 1
    return arrives[begins], arrives[ends] + stays


def _most_at_once(begins: Indices, ends: Indices) -> int:
    # At one slide, those that end do so before those that begin.
    at = np.concatenate([ends, begins])
    step = np.repeat([-1, 1], len(begins))
    return int(np.cumsum(step[np.argsort(at, kind="stable")]).max())


def _overlaps(first: Indices, last: Indices) -> Vector:
    """Return, for each life, how many others share a moment with it."""
    begun: Counts = np.searchsorted(np.sort(first), last, side="right")
    over: Counts = np.searchsorted(np.sort(last), first, side="left")
    return (begun - over - 1).astype(np.float64)
