"""The reader of tagged sentences."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skparaphrase.datasets import read_tagged

TAGGED = "token\tlemma\ttag\n\nThe\tthe\tDET\n#\t#\tSYM\n\n  \n\nYes\t\tINTJ\n"
SENTENCES = [["The", "#"], ["Yes"]]
TAGS = [["DET", "SYM"], ["INTJ"]]


@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
def test_tagged_files(file, bom, line_end, end):
    content = bom + TAGGED.removesuffix("\n") + end
    path = file("a.tsv", content.replace("\n", line_end))
    bunch = read_tagged(path)
    assert (bunch.data, bunch.target) == (SENTENCES, TAGS)
    assert str(path) in bunch.DESCR
    assert read_tagged(str(path), return_X_y=True) == (SENTENCES, TAGS)
    by_name = read_tagged(path, columns=("tag", "token"))
    assert (by_name.data, by_name.target) == (TAGS, SENTENCES)
    by_position = read_tagged(path, columns=(0, 2))
    assert by_position.data == [["token"], *SENTENCES]


def test_other_tagged_files(file):
    path = file("a.txt", "EU NNP  B-NP I-ORG\nrejects VBZ B-VP O\n\nPeter NNP B-NP B\n")
    X, y = read_tagged(path, columns=(0, 3), return_X_y=True)
    assert X == [["EU", "rejects"], ["Peter"]]
    assert y == [["I-ORG", "O"], ["B"]]
    for content, columns in (("token\ttag\n\n\n", None), ("", (0, 1))):
        found = read_tagged(file("a.tsv", content), columns=columns, return_X_y=True)
        assert found == ([], [])
    for columns in ((), ("token",), (0, 1, 2), "ab"):
        with pytest.raises(ValueError, match="columns must be two names"):
            read_tagged(path, columns=columns)
    with pytest.raises(ValueError, match="counted from 0; got -1"):
        read_tagged(path, columns=(0, -1))


CONLLU = """\
# sent_id = 1
# text = Vámonos al # mar
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\tV\t_\t0\troot\t_\t_
2\tnos\tnosotros\tPRON\tP\t_\t1\tobj\t_\t_
3\t#\t#\tSYM\tS\t_\t1\tdep\t_\t_
3.1\tvamos\tir\tVERB\tV\t_\t_\t_\t0:root\t_

# text = a b
1\ta b\t_\tNOUN\tN\t_\t0\troot\t_\t_

"""


@pytest.mark.parametrize("name", ["a.conllu", "a.CONLLU"])
@pytest.mark.parametrize(
    ("columns", "tags"),
    [
        (None, [["VERB", "PRON", "SYM"], ["NOUN"]]),
        (("FORM", "XPOS"), [["V", "P", "S"], ["N"]]),
        ((1, "DEPREL"), [["root", "obj", "dep"], ["root"]]),
        ((1, 4), [["V", "P", "S"], ["N"]]),
    ],
)
def test_conllu(file, name, columns, tags):
    X, y = read_tagged(file(name, CONLLU), columns=columns, return_X_y=True)
    assert X == [["Vamos", "nos", "#"], ["a b"]]
    assert y == tags


ROW = "1\ta\t_\tX\tY\t_\t_\t_\t_\t_\n"


@pytest.mark.parametrize(
    ("name", "content", "columns", "message"),
    [
        ("a.tsv", "", None, ", line 1: no column 'token'; the header is "),
        (
            "a.tsv",
            "\ntoken\tupos\n",
            None,
            r", line 2: no column 'tag'; the header is \['token', 'upos'\]",
        ),
        ("a.tsv", TAGGED + "x\n", None, ", line 9: expected 3 columns or more, got 1"),
        ("a.tsv", "a\tX\n\nb\t\n", (0, 1), ", line 3: no tag in column 1"),
        ("a.tsv", "a\tX\n\tY\n", (0, 1), ", line 2: no token in column 0"),
        ("a.tsv", "a X\n\n\nb\n", (0, 1), ", line 4: expected 2 columns .* got 1"),
        ("a.tsv", b"a\tX\n\n\xff\tY\n", (0, 1), ", line 3: not utf-8"),
        ("a.conllu", ROW + "2\tb\t_\tX\n", None, ", line 2: expected 10 .* got 4"),
        ("a.conllu", ROW + ROW[1:], None, ", line 2: '' is not an ID"),
        ("a.conllu", "#\n" + ROW.replace("1", "x"), None, ", line 2: 'x' is not an ID"),
        ("a.conllu", ROW.replace("X", ""), None, ", line 1: no tag in column 3"),
        ("a.conllu", ROW, ("FORM", "POS"), ": no column 'POS'; the header is "),
    ],
)
def test_errors_of_tagged_files_name_file_and_line(
    file, name, content, columns, message
):
    path = file(name, content)
    with pytest.raises(ValueError, match=f"{re.escape(str(path))}{message}"):
        read_tagged(path, columns=columns)


CELLS = st.text(
    st.characters(codec="utf-8", exclude_characters="\t\r\n"), min_size=1, max_size=5
)


@given(
    sentences=st.lists(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5)),
    line_end=st.sampled_from(["\n", "\r\n"]),
)
def test_what_is_written_is_read(tmp_path_factory, sentences, line_end):
    path = tmp_path_factory.mktemp("tagged") / "a.tsv"
    lines = ["token\ttag", *("\n".join(map("\t".join, s)) + "\n" for s in sentences)]
    path.write_bytes("\n".join(lines).replace("\n", line_end).encode())
    X, y = read_tagged(path, return_X_y=True)
    assert X == [[token for token, _ in sentence] for sentence in sentences]
    assert y == [[tag for _, tag in sentence] for sentence in sentences]


@pytest.mark.data
@pytest.mark.parametrize("column", ["upos", "xpos"])
def test_published_tags(evaluation, column):
    path = evaluation("pos/dev.tsv")
    X, y = read_tagged(path, columns=("token", column), return_X_y=True)
    assert len(X) == len(y) == 2001
    assert sum(map(len, X)) == sum(map(len, y)) == 25147
    if column == "upos":
        assert len({tag for tags in y for tag in tags}) == 17
