from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ustory.encode import minilm
from ustory.encode.minilm import filled, of_fixed_shape, within_budget

Lengths = st.lists(st.integers(2, 256), max_size=60)


@given(Lengths)
def test_batches_cover_each_sentence_once_within_the_budget(lengths: list[int]) -> None:
    batches = list(within_budget(lengths))

    places = [place for batch in batches for place in batch.places]
    assert sorted(places) == list(range(len(lengths)))
    assert [lengths[place] for place in places] == sorted(lengths)
    for mine, (rows, width) in batches:
        assert rows == len(mine)
        assert width == max(lengths[place] for place in mine)
        assert rows * width <= minilm.BUDGET


@given(Lengths, Lengths)
def test_a_fixed_shape_is_given_by_the_length_alone(
    lengths: list[int], company: list[int]
) -> None:
    shapes: dict[int, tuple[int, int]] = {}
    for all_of_them in (lengths, company, lengths + company):
        batches = list(of_fixed_shape(all_of_them))
        places = [place for batch in batches for place in batch.places]
        assert sorted(places) == list(range(len(all_of_them)))
        for mine, shape in batches:
            assert len(mine) <= shape[0]
            for place in mine:
                length = all_of_them[place]
                assert length <= shape[1] < length + 8
                assert shapes.setdefault(length, shape) == shape


def test_a_fixed_batch_is_full_before_another_begins() -> None:
    batches = list(of_fixed_shape([32] * 9))

    assert [len(batch.places) for batch in batches] == [4, 4, 1]
    assert {batch.shape for batch in batches} == {(4, 32)}


def test_a_long_sentence_is_alone() -> None:
    assert [batch.shape for batch in of_fixed_shape([250, 256])] == [(1, 256)] * 2


def test_padding_is_masked_and_an_empty_row_has_one_token() -> None:
    ids, mask = filled([[7, 8], [9, 10, 11]], (3, 4))

    assert ids.tolist() == [[7, 8, 0, 0], [9, 10, 11, 0], [0, 0, 0, 0]]
    assert mask.tolist() == [[1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 0, 0]]
