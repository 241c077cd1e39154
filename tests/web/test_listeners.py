"""Nobody can listen everybody else away."""

from __future__ import annotations

import pytest

from ustory.web.errors import ApiError
from ustory.web.guards import Places
from ustory.web.limits import Limits


def _refused(places: Places, caller: str, *, keyed: bool = False) -> ApiError:
    with pytest.raises(ApiError) as refused:
        places.take(caller, keyed=keyed)
    assert (refused.value.headers or {})["Retry-After"] == "30"
    return refused.value


def test_one_listener_too_many_is_told_to_come_back() -> None:
    places = Places(Limits(listeners=1, keyed_listeners=0.5))
    places.take("a", keyed=True)

    assert _refused(places, "b", keyed=True).status_code == 503
    places.leave("a", keyed=True)
    places.take("b", keyed=True)


def test_one_caller_without_a_key_has_a_few_places_only() -> None:
    places = Places(Limits(listeners=20, listeners_per_address=2))
    places.take("a", keyed=False)
    places.take("a", keyed=False)

    assert _refused(places, "a").status_code == 429
    places.take("b", keyed=False)


def test_a_share_of_the_places_is_kept_for_keys() -> None:
    places = Places(Limits(listeners=8, keyed_listeners=0.25))
    for number in range(6):
        places.take(f"address {number}", keyed=False)

    assert _refused(places, "one more").status_code == 503
    places.take("mine", keyed=True)
    places.take("mine", keyed=True)
    assert _refused(places, "mine", keyed=True).status_code == 503
