from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ustory.cli.report import sparkline

DAY = date(2024, 3, 4)


@given(
    st.dictionaries(st.integers(0, 99), st.integers(1, 50), min_size=1),
    st.integers(1, 40),
)
def test_a_sparkline_fits_and_its_top_is_the_busiest_stretch(
    counts: dict[int, int], width: int
) -> None:
    days = {DAY + timedelta(days=day): count for day, count in counts.items()}
    line = sparkline(days, DAY, DAY + timedelta(days=99), width)

    assert len(line) <= width
    assert "█" in line
    together = -(-100 // width)
    empty = [n for n in range(len(line)) if not any(d // together == n for d in counts)]
    assert [n for n, bar in enumerate(line) if bar == "·"] == empty
