"""Numbers in bytes against Python's own `float`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skparaphrase.vectors._formats import NotDecimalError, parse_decimals

digits = st.text("0123456789", max_size=10)
plain = st.builds(
    lambda s, a, b: f"{s}{a}.{b}", st.sampled_from(["", "-"]), digits, digits
)
numbers = st.one_of(
    plain.filter(lambda text: any(c.isdigit() for c in text)),
    st.floats(allow_nan=False).map(repr),
    st.floats(-100, 100, width=32).map(lambda x: f"{x:.6f}"),
    st.floats(-1, 1).map(lambda x: f"{x:.5g}"),
    st.integers(-(10**17), 10**17).map(str),
)


def parse(texts):
    body = " ".join(texts).encode() + b" "
    array = np.frombuffer(bytes(8) + body, dtype=np.uint8)
    lengths = np.array([len(text.encode()) for text in texts], dtype=np.int64)
    starts = 8 + np.concatenate([[0], np.cumsum(lengths + 1)[:-1]])
    ends = starts + lengths
    points = [text.encode().rfind(b".") for text in texts]
    dots = np.where(np.array(points) >= 0, starts + points, ends)
    return parse_decimals(array, starts, ends, dots)


@given(st.lists(numbers, min_size=1, max_size=20))
def test_values_are_those_of_float(texts):
    np.testing.assert_array_equal(parse(texts), [float(text) for text in texts])


@given(st.text("0123456789.-+eE_x,:/ab", min_size=1, max_size=12))
def test_what_is_no_number_is_told(text):
    try:
        if "_" in text:
            raise ValueError
        expected = float(text)
    except ValueError:
        with pytest.raises(NotDecimalError) as caught:
            parse(["1.5", text, "2"])
        assert caught.value.position == 1
    else:
        np.testing.assert_array_equal(parse(["1.5", text]), [1.5, expected])


def test_the_position_of_a_wrong_number_is_told():
    texts = [str(i / 8) for i in range(10)]
    np.testing.assert_array_equal(parse(texts), np.arange(10) / 8)
    with pytest.raises(NotDecimalError, match="'7x' is not a number") as caught:
        parse([*texts, "7x"])
    assert caught.value.position == 10
