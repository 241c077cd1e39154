"""Every way ustory says no: the rule broken, what was given, what to do."""

from __future__ import annotations

_MAX_ERROR_TEXT = 300


class UStoryError(Exception):
    """Base of all errors that are the input's or the caller's, not ours."""


class ConfigError(UStoryError, ValueError):
    """A setting, a flag or a name that cannot be used."""


class InputError(UStoryError, ValueError):
    """A record that breaks a rule, with its file, its line and its kind.

    `kind` is one of `PROBLEM_KINDS`: skipped records are counted by it.
    """

    def __init__(self, kind: str, reason: str, *, file: str, line: int) -> None:
        super().__init__(
            f"{file}, line {line}: {reason}" if line else f"{file}: {reason}"
        )
        self.kind = kind
        self.reason = reason
        self.file = file
        self.line = line


class MissingExtraError(UStoryError, ImportError):
    """An optional part that is not installed; the message says how to install it."""

    def __init__(self, what: str, extra: str, package: str = "ustory") -> None:
        wanted = f"'{package}[{extra}]'" if extra else package
        super().__init__(
            f"{what} is not installed; install it with: pip install {wanted}"
        )
        self.extra = extra


class StateError(UStoryError, ValueError):
    """A state file that is damaged, foreign or from another version."""


class WorkerError(UStoryError, RuntimeError):
    """Workers that ended, one after the other, at the same piece of work."""


class PackageError(UStoryError, RuntimeError):
    """A compiled package that failed at what it was given, whatever it threw."""

    def __init__(self, package: str, error: BaseException) -> None:
        said = " ".join(str(error).split())[:200]
        super().__init__(f"{package} failed: {type(error).__name__}: {said}")
        self.package = package


PROBLEM_KINDS = {
    "broken-json": "the line is not JSON",
    "not-an-object": "the line is JSON, but not an object",
    "not-utf8": "the bytes are not UTF-8",
    "bad-field": "a field has a type that cannot be read",
    "missing-date": "there is no publication date",
    "bad-date": "the publication date cannot be read",
    "future-date": "the publication date is more than a day in the future",
    "no-text": "there is neither a title nor a text",
    "too-large": "the article is larger than the limit",
    "duplicate-id": "an article with this id is already in the window",
    "empty-file": "the file holds no article",
    "damaged": "the file is damaged from here on",
    "replaced": "what was read before is gone: a file was cut or replaced",
}
"""What can be wrong with a record; the keys are what `--on-error skip` counts."""


def error_text(error: BaseException) -> str:
    """Return an error in words, at most 300 characters; ours need no class name."""
    text = " ".join(str(error).split())
    if not isinstance(error, UStoryError):
        text = f"{type(error).__name__}: {text}"
    return text[:_MAX_ERROR_TEXT]
