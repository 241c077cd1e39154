"""Algorithm 1 on one page: what happens in every slide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from threadpoolctl import ThreadpoolController

from ustory.core.edit import refuse_unknown_edits
from ustory.core.protocols import Encoder, Executor
from ustory.core.settings import Settings
from ustory.core.story import Event, Slide
from ustory.core.threads import thread_count
from ustory.encode.gist import with_gist_encoder
from ustory.engine.draft import PaperDraft
from ustory.engine.executors import InlineExecutor
from ustory.engine.links_mode import advance_links
from ustory.engine.paper_mode import (
    BackgroundStorySums,
    Tools,
    assign_articles,
    discover_stories,
)
from ustory.engine.prepare import Stopwatch, stamp
from ustory.engine.snapshot.states import (
    freeze,
    refuse_other_settings,
    refuse_other_size,
    thaw,
)
from ustory.engine.state import State
from ustory.engine.state_changes import Withdrawn, without
from ustory.engine.window_intake import take_in
from ustory.links.pairing import Spread
from ustory.links.watched_matcher import WatchedMatcher
from ustory.window.panes import day_of


class Engine:
    """USTORY: unsupervised online story discovery (Def 1).

    Satisfies `Discoverer`. It holds settings; all it learns is in the state.
    """

    def __init__(
        self,
        settings: Settings,
        encoder: Encoder,
        stopwatch: Stopwatch | None = None,
        matcher: WatchedMatcher | None = None,
        executor: Executor | None = None,
    ) -> None:
        self.settings = settings = with_gist_encoder(settings)
        self.stopwatch = stopwatch or Stopwatch()
        self._seeker = matcher
        threads = ThreadPoolExecutor(thread_count(), thread_name_prefix="ustory")
        self._executor = executor or InlineExecutor(threads=threads)
        self._tools = Tools(settings, encoder, self.stopwatch, threads, self._executor)
        self._blas = ThreadpoolController()

    def begin(self) -> State:
        """Return the state before the first slide."""
        return State()

    def advance(self, state: State, slide: Slide) -> tuple[State, Sequence[Event]]:
        """Take in one slide; the given state is left as it was.

        In mode `links` see `advance_links`; in mode `paper` this is Algorithm 1,
        which scores all unassigned articles against the stories at the start of the
        slide. In both modes the order of its articles does not matter.
        """
        refuse_unknown_edits(slide.edits)
        arrived = (prepared.article for prepared in slide.articles)
        state = replace(
            state,
            edits=(*state.edits, *slide.edits),
            languages=state.languages.after(arrived, day_of(slide.end)),
        )
        with self._blas.limit(limits=1):  # threads must not change a sum
            if self.settings.mode == "links":
                return advance_links(
                    state,
                    slide,
                    self.settings,
                    self.stopwatch,
                    self._seeker,
                    self._spread(slide),
                )
            background = BackgroundStorySums(self._tools)
            moved = take_in(
                state, slide, self.settings, self.stopwatch, background.begin
            )
            draft = PaperDraft.of(moved, slide.end)
            draft.expired = [id_ for id_ in state.stories if id_ not in moved.stories]
            if not draft.stories:
                discover_stories(draft, self._tools)  # lines 4–5
            assign_articles(draft, self._tools, background)  # lines 6–10
            discover_stories(draft, self._tools)  # line 11
        return draft.finish(), draft.events()

    def assignments(self, state: State) -> Mapping[str, str | None]:
        """Return the story of each article in the window, None for unassigned."""
        return {
            article: record.decision.story if record.decision else None
            for article, record in state.records.items()
        }

    def without(self, state: State, gone: Withdrawn) -> State:
        """Return a state without articles, as if they had not been in its window."""
        return without(state, gone)

    def freeze(self, state: State) -> bytes:
        """Write the state down, with the settings and the encoder it was made with."""
        return freeze(state, self._in_force)

    def thaw(self, data: bytes) -> State:
        """Read back what `freeze` wrote, bit for bit; other settings are refused."""
        state, settings, _ = thaw(data, "the frozen state")
        refuse_other_settings(settings, self._in_force, "the frozen state")
        refuse_other_size(state, self._tools.encoder, "the frozen state")
        return state

    def _spread(self, slide: Slide) -> Spread:
        """Return a function that runs the search of each shard on the executor."""
        executor, number = self._executor, stamp(slide.end)
        return lambda task, shards, shared: executor.map(
            task, shards, executor.share(number, shared)
        )

    @property
    def _in_force(self) -> Settings:
        return replace(self.settings, encoder=self._tools.encoder.name)
