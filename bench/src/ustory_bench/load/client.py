"""The few requests that a load makes of a service."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, NoReturn

from ustory.core.errors import ConfigError, MissingExtraError, UStoryError

_TIMEOUT = 120.0
_LONGEST_PAUSE = 30.0


class Client:
    """A connection to a service, for any number of threads. Mutable.

    Proxies of the environment are passed by: they would be measured, too.
    """

    def __init__(self, address: str, key: str | None = None) -> None:
        try:
            import httpx  # noqa: PLC0415 - optional
        except ImportError as error:
            raise MissingExtraError("httpx", "serve") from error
        self._address = address
        self._errors = httpx.HTTPError
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.Client(
            base_url=address, headers=headers, timeout=_TIMEOUT, trust_env=False
        )
        self.refused = 0
        """How often the service asked to be left alone for a while."""

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def check(self) -> None:
        """Refuse an address where no service of ours answers."""
        found = self._get("/healthz")
        if not isinstance(found, dict) or "version" not in found:
            self._refuse("something answers there, but it is no `ustory serve`")

    def post(self, articles: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Send articles until they are taken, and return their receipts."""
        while True:
            answer = self._asked("POST", "/api/articles", {"articles": list(articles)})
            if answer.status_code != 429:
                break
            self.refused += 1
            wait = float(answer.headers.get("Retry-After", 1))
            time.sleep(min(wait, _LONGEST_PAUSE))
        receipts: list[dict[str, Any]] = self._read(answer)["receipts"]
        return receipts

    def progress(self) -> dict[str, Any]:
        """Return the last slide that is done, and how many wait."""
        found: dict[str, Any] = self._asked("GET", "/readyz").json()
        return found

    def operations(self) -> dict[str, Any]:
        """Return how the service works."""
        found: dict[str, Any] = self._get("/api/operations")
        return found

    def _get(self, path: str) -> Any:  # noqa: ANN401 - JSON
        return self._read(self._asked("GET", path))

    def _asked(self, method: str, path: str, json: Any = None) -> Any:  # noqa: ANN401
        try:
            return self._http.request(method, path, json=json)
        except self._errors as error:
            self._refuse(f"it cannot be reached ({error})")

    def _read(self, answer: Any) -> Any:  # noqa: ANN401 - of a package that is optional
        if answer.status_code in (401, 403):
            raise ConfigError(
                f"the service at {self._address} needs an API key that it knows; give "
                "it with --key, or in USTORY_API_KEYS"
            )
        try:
            found = answer.json()
        except ValueError:
            found = None
        if answer.status_code != 200 or found is None:
            self._refuse(f"it answered {answer.status_code}: {answer.text[:200]}")
        return found

    def _refuse(self, reason: str) -> NoReturn:
        raise UStoryError(
            f"a load needs a running service at {self._address}, and {reason}; start "
            "one with `ustory serve`, or give its address with --against"
        )
