"""Numbers at the end of lines against Python's float."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

HARD = (
    "0 -0 +0 -0.0 . + - +- -. 5. .5 +.5 -.5 --1 +-1 1- 1.2.3 1..2 1e 1e5 1E-05 e5 0x10"
)
HARD += " 1_0 _1 1_ inf -inf Infinity nan -nan NaN infinit 1e400 -1e400 1e-400 4.9e-324"
HARD += " 2.2250738585072011e-308 1.7976931348623157e308 1e22 1e23 8.5e-23 0.1 0.3 1/2"
HARD += " 9007199254740991 9007199254740992 9007199254740993 -9007199254740993 2,5 ٣"
HARD += " 900719925474099.3 .9007199254740993 0.9007199254740993 9007199254740993."
HARD += " 12345678901234567 123456789012345678 1234567890123456789 12345678901234567890"
HARD += " 18446744073709551616 100000000000000016777216 00000000000000000000000001"
HARD += " 0.00000000000000001 0.000000000000000001 .0000000000000000000000000000001"
HARD += (
    " 0.50000000000000000 0.500000000000000000 0.5000000000000000000000000 5\0 1\x1c"
)
HARD += " \xa01 1\x85 \x00 1" + "0" * 400
numbers = st.one_of(
    st.floats().map(repr),
    st.floats(width=32).map(str),
    st.floats(-100, 100).map(lambda x: f"{x:.6f}"),
    st.floats(-1, 1).map(lambda x: f"{x:.9g}"),
    st.integers(-(10**20), 10**20).map(str),
    st.from_regex(r"[+-]?[0-9]{0,19}\.?[0-9]{0,19}", fullmatch=True).filter(bool),
    st.from_regex(r"[+-]?[0-9]{1,9}\.[0-9]{1,9}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
    st.sampled_from(HARD.split(" ")),
    st.text(st.sampled_from("0159.+-eE_ \t"), min_size=1, max_size=6),
)
blanks = st.sampled_from([" "] * 5 + ["\t", "  ", "\r\n", "\x0b\x0c"])
words = st.sampled_from(
    ["a", "at name@domain.com", "1999", "x 5", "", " ", "_", "é\xa0"]
)


def parse(core, line, n):
    """The position where the numbers begin, and the bits of the numbers."""
    out = np.empty(n)
    stop = core.parse_numbers(line, out)
    return stop, out.tobytes() if stop else b""


def slow_parse(line, n):
    rest, values = line.rstrip(), []
    for _ in range(n):
        field = [b"", *rest.split()][-1]
        try:
            values.append(float(field.replace(b"_", b"no number")))
        except ValueError:
            return 0, b""
        rest = rest.removesuffix(field).rstrip()
    return len(rest), np.array(values[::-1]).tobytes() if rest else b""


@settings(max_examples=1000)
@given(
    words, st.lists(st.tuples(blanks, numbers), max_size=5), blanks, st.integers(1, 5)
)
def test_any_lines(core, word, fields, end, n):
    line = (word + "".join(map("".join, fields)) + end).encode()
    assert parse(core, line, n) == slow_parse(line, n)
    assert parse(core, line.rstrip(), n) == slow_parse(line.rstrip(), n)


@pytest.mark.parametrize("text", HARD.split(" "))
def test_hard_numbers(core, text):
    for line in (f"a {text}", f"a {text} 1", f"a 1 {text}\n", f"{text} 1", text):
        for n in (1, 2):
            line = line.encode() if isinstance(line, str) else line
            assert parse(core, line, n) == slow_parse(line, n)


def test_lines_without_numbers(core):
    for line in (b"", b" ", b"\n", b"a", b"1", b" 1"):
        assert parse(core, line, 1) == (0, b"")


def test_decimals_of_every_length(core):
    rng = np.random.default_rng(0)
    for size in range(1, 25):
        for _ in range(200):
            digits = "".join(rng.choice([*"0123456789"], size))
            point = rng.integers(size + 1)
            text = rng.choice(["", "-", "+"]) + digits[:point] + "." + digits[point:]
            line = f"a {text}".encode()
            assert parse(core, line, 1) == (1, np.array(float(text)).tobytes())
