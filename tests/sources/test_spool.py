"""What is laid aside comes back in order, in memory or out of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ustory.sources.files import dataset
from ustory.sources.files.dataset import Spool

keys = st.integers(min_value=-(2**63), max_value=2**63 - 1)
lines = st.binary(max_size=20).map(lambda data: data.replace(b"\n", b" "))


@given(st.lists(st.tuples(keys, lines)))
def test_lines_come_back_by_key_and_equal_keys_as_they_came(
    given_: list[tuple[int, bytes]],
) -> None:
    with Spool() as spool:
        for key, line in given_:
            spool.add(key, line)
        found = [(key, line.removesuffix(b"\n")) for key, line in spool.in_order()]

    assert found == sorted(given_, key=lambda pair: pair[0])


def test_much_goes_to_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "_IN_MEMORY", 10)

    with Spool() as spool:
        for key in (3, 1, 2):
            spool.add(key, b"line %d" % key)
        assert [line for _, line in spool.in_order()] == [
            b"line 1\n", b"line 2\n", b"line 3\n",
        ]  # fmt: skip
