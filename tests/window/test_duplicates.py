"""No two articles of a window have one id, and the refusal knows no order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.core.errors import InputError
from ustory.window.duplicates import refuse_duplicates

IDS = st.lists(st.sampled_from("abcd"), max_size=5)


def refusal(ids: list[str], held: set[str]) -> str | None:
    """Return the message of the refusal, None if there is none."""
    try:
        refuse_duplicates(ids, held, "slide")
    except InputError as error:
        return f"{error.kind}: {error}"
    return None


@given(IDS, st.sets(st.sampled_from("abcd")))
def test_ids_that_come_twice_or_are_held_are_refused(
    ids: list[str], held: set[str]
) -> None:
    fine = len(set(ids)) == len(ids) and not held & set(ids)

    assert (refusal(ids, held) is None) == fine
    assert refusal(ids[::-1], held) == refusal(ids, held)


def test_the_refusal_names_the_id_and_what_to_do() -> None:
    with pytest.raises(InputError, match="id 'a' is already in the window; ids must"):
        refuse_duplicates(["b", "a"], {"a", "b"}, "slide")
