"""Every knob of the method in one frozen object, with the paper's symbols."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from ustory.core import registry
from ustory.core.errors import ConfigError
from ustory.core.spans import Span, common_pane, format_span, microseconds, parse_span

MODES = ("links", "paper")
PARTS = ("lead", "meaning", "time", "chance", "copies", "revival", "review")
REPRESENTATIONS = ("ThemSentMean", "ThemSentConc", "IndSentMean", "IndSentConc")
INITIAL = ("own-theme", "mean")
SEED_COUNTS = ("silhouette", "log-means")
SEED_MEMBERS = ("sure", "all")
STORY_SPANS = ("story", "window")
NO_GIST = "none"
"""The `gist_encoder` of a run in which gists do not count."""
MAX_TEMPERATURE = 500
"""e^T must stay a number."""

_SPANS = ("window", "slide", "pane")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Hyperparameters, with the paper's symbols and defaults."""

    window: Span = timedelta(days=7)
    """Size of the sliding window (W): a duration, or a number of articles."""

    slide: Span = timedelta(days=1)
    """How far the window moves at a time (S), in the unit of `window`."""

    pane: Span | None = None
    """Granularity of story summaries; any common divisor of W and S, gcd by default."""

    mode: str = "links"
    """How stories are found: `links` between articles, or as in the `paper`."""

    parts: str = "lead meaning time chance copies revival review"
    """What mode `links` uses besides words; ablations leave some out."""

    keywords: int = 10
    """Thematic keywords kept per story or article (N)."""

    temperature: float = 2.0
    """Inverse temperature of the confidence softmax (T); strictest near e."""

    min_articles: int | None = None
    """Articles a new story needs (M); None lets `seed_count` choose the seeds."""

    seed_count: str = "silhouette"
    """How many seeds to try when M is None: `silhouette` or `log-means`."""

    seed_restarts: int = 10
    """k-means++ starts per seeding; the lowest inertia wins."""

    seed_steps: int = 0
    """Lloyd steps after each start, at most; the paper only picks centres."""

    seed_members: str = "sure"
    """Which articles of a seed its story keeps: those `sure` of it, or `all`."""

    scoring: str = "tfidf"
    """Keyword scoring function (Eq. 1): `tfidf`, `bm25l` or a registered one."""

    divergence: str = "js-root"
    """Keyword similarity (Eq. 4): `js-root`, `js-root-e`, `js`, `kl` or `emd`."""

    representation: str = "ThemSentMean"
    """How sentences make an article (Sec. 6.3): one of the paper's four strategies."""

    initial: str = "own-theme"
    """Embedding of unassigned articles: `own-theme`, or `mean` for speed (Sec. 6.4)."""

    sentences: int | None = None
    """Sentences used per article (Fig. 5): most thematic or first ones; None is all."""

    story_span: str = "story"
    """Decay δ_C of Eq. 3: the story's own span, or `window` for W."""

    time_aware: bool = True
    """False is the ablation without recency and time relevance."""

    theme_aware: bool = True
    """False is the ablation without theme relevance; the divergence stays."""

    encoder: str = "wordllama"
    """Sentence encoder, by name; `ustory encoders` lists them."""

    gist_encoder: str = "auto"
    """Encoder of title and lead as one text, for stories in several languages and in
    other words: its name, `none`, or `auto`, which is `multilingual` where that is
    installed when a state or a database begins."""

    text: str = "fast"
    """Text pipeline: `fast`, or `spacy` for the paper's."""

    seed: int = 0
    """Seed of all randomness."""

    def __post_init__(self) -> None:
        """Refuse what cannot work, naming the field and the remedy."""
        for name in _SPANS:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, parse_span(value))
        _check_types(self)
        _check_ranges(self)
        _check_choices(self)
        _check_tiling(self)
        _check_mode(self)

    @classmethod
    def paper(cls, **changes: Any) -> Settings:  # noqa: ANN401 - any field
        """Return the paper's setting: N = 10, T = 2, and M = 8 as for Newsfeed."""
        return cls(**{"mode": "paper", "min_articles": 8, **changes})

    @classmethod
    def authors(cls, **changes: Any) -> Settings:  # noqa: ANN401 - any field
        """Return the paper's setting as the authors' script reads it.

        What the script does otherwise, and what has no setting, is in
        docs/the-paper/the-authors-script.md.
        """
        read: dict[str, Any] = {
            "divergence": "js-root-e",
            "story_span": "window",
            "seed_steps": 300,
            "seed_members": "all",
        }
        return cls.paper(**{**read, **changes})

    @classmethod
    def load(cls, path: Path, base: Settings | None = None) -> Settings:
        """Read a TOML file of fields over `base`, the defaults when None."""
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(f"cannot read settings from {path}: {error}") from error
        return (base or cls()).with_(table, where=str(path))

    def with_(self, changes: Mapping[str, Any], where: str = "settings") -> Settings:
        """Return a copy with `changes` applied; unknown names are refused."""
        known = {field.name for field in fields(self)}
        unknown = sorted(set(changes) - known)
        if unknown:
            raise ConfigError(
                f"{where}: no setting named {unknown[0]!r}; known are: "
                + ", ".join(sorted(known))
            )
        return replace(self, **changes)

    @property
    def pane_size(self) -> Span:
        """The given pane, else gcd(W, S)."""
        return (
            self.pane if self.pane is not None else common_pane(self.window, self.slide)
        )

    @property
    def minimum(self) -> int:
        """Articles that must stay for a seed to become a story: M, or a pair."""
        return self.min_articles if self.min_articles is not None else 2

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that `with_` reads back."""
        table = asdict(self)
        for name in _SPANS:
            if table[name] is not None:
                table[name] = format_span(table[name])
        return table


def _check_types(settings: Settings) -> None:
    kinds: dict[str, tuple[type, ...]] = {
        "keywords": (int,), "temperature": (int, float), "seed": (int,),
        "seed_restarts": (int,), "seed_steps": (int,), "scoring": (str,),
        "divergence": (str,), "encoder": (str,), "text": (str,),
        "gist_encoder": (str,),
        "mode": (str,), "parts": (str,),
        "min_articles": (int, type(None)), "sentences": (int, type(None)),
    }  # fmt: skip
    for name, allowed in kinds.items():
        value = getattr(settings, name)
        if isinstance(value, bool) or not isinstance(value, allowed):
            raise ConfigError(f"{name} must be {_words(allowed)}, got {value!r}")
    for name in ("time_aware", "theme_aware"):
        if not isinstance(getattr(settings, name), bool):
            raise ConfigError(
                f"{name} must be true or false, got {getattr(settings, name)!r}"
            )


def _words(kinds: tuple[type, ...]) -> str:
    names = {
        int: "a whole number",
        float: "a number",
        str: "a name",
        type(None): "left out",
    }
    return " or ".join(names[kind] for kind in kinds)


def _check_ranges(settings: Settings) -> None:
    least = {"keywords": 1, "seed_restarts": 1, "seed_steps": 0, "seed": 0}
    for name, bound in least.items():
        if getattr(settings, name) < bound:
            raise ConfigError(
                f"{name} must be at least {bound}, got {getattr(settings, name)}"
            )
    if not 0 < settings.temperature <= MAX_TEMPERATURE:
        raise ConfigError(
            f"temperature must be between 0 and {MAX_TEMPERATURE}, got "
            f"{settings.temperature}; the paper uses 2, and e is the strictest"
        )
    if settings.min_articles is not None and settings.min_articles < 1:
        raise ConfigError(
            f"min_articles must be at least 1, got {settings.min_articles}; "
            "leave it out to let the data choose"
        )
    if settings.sentences is not None and settings.sentences < 1:
        raise ConfigError(
            f"sentences must be at least 1, got {settings.sentences}; "
            "leave it out for all"
        )


def _check_choices(settings: Settings) -> None:
    choices = {
        "mode": MODES,
        "representation": REPRESENTATIONS, "initial": INITIAL,
        "seed_count": SEED_COUNTS, "seed_members": SEED_MEMBERS,
        "story_span": STORY_SPANS,
        "scoring": registry.names("scorings"),
        "divergence": registry.names("divergences"),
    }  # fmt: skip
    for name, allowed in choices.items():
        if getattr(settings, name) not in allowed:
            raise ConfigError(
                f"{name} must be one of {', '.join(allowed)}; "
                f"got {getattr(settings, name)!r}"
            )


_OF_THE_PAPER = (
    "temperature", "min_articles", "seed_count", "seed_restarts", "seed_steps",
    "seed_members", "divergence", "representation", "initial", "sentences",
    "theme_aware",
)  # fmt: skip
"""Settings that mode `links` has no use for."""


def _check_mode(settings: Settings) -> None:
    known = dict.fromkeys([*PARTS, *registry.names("evidence")])
    known.pop("words", None)  # always counts
    for name in ("gist", "carried_names"):  # `gist_encoder` says whether they count
        known.pop(name, None)
    unknown = set(settings.parts.split()) - set(known)
    if unknown:
        raise ConfigError(
            f"parts must be some of {', '.join(known)}, with blanks between "
            f"them; got {min(unknown)!r}"
        )
    if settings.mode == "paper":
        if settings.gist_encoder not in ("auto", NO_GIST):
            raise ConfigError(
                "gist_encoder is a setting of mode links; the paper's method has no "
                f"use for it: got {settings.gist_encoder!r}: leave it out"
            )
        return
    for field in fields(Settings):
        if field.name in _OF_THE_PAPER:
            value = getattr(settings, field.name)
            if value != field.default:
                raise ConfigError(
                    f"{field.name} is a setting of the paper's method, and mode links "
                    f"has no use for it; got {value!r}: leave it out, or set mode = "
                    "'paper' as well (--preset paper)"
                )


def _check_tiling(settings: Settings) -> None:
    window, slide = settings.window, settings.slide
    pane = settings.pane if settings.pane is not None else common_pane(window, slide)
    sizes = [_ticks(span) for span in (window, slide, pane)]
    if min(sizes) < 1:
        raise ConfigError("window, slide and pane must be longer than nothing")
    if sizes[1] > sizes[0]:
        raise ConfigError(
            f"slide ({format_span(slide)}) must not be longer than window "
            f"({format_span(window)}): articles would fall between two windows"
        )
    if type(pane) is not type(window) or sizes[0] % sizes[2] or sizes[1] % sizes[2]:
        raise ConfigError(
            f"pane ({format_span(pane)}) must divide both window "
            f"({format_span(window)}) and slide ({format_span(slide)}); "
            "leave it out for the largest that does"
        )


def _ticks(span: Span) -> int:
    return span if isinstance(span, int) else microseconds(span)
