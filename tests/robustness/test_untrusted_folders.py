"""Folders and files of unknown origin raise a ValueError that names them."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import io

import numpy as np
import pytest
import subjects
from forged import edit, seal
from numpy.testing import assert_array_equal
from refused import PUT, assert_refused, little_memory
from safetensors.numpy import load_file, save_file
from sklearn.base import clone

import skparaphrase
from skparaphrase.encoders import AverageEncoder, SIFEncoder, TfidfEncoder
from skparaphrase.storage._folders import write_safetensors
from skparaphrase.supervised import TextClassifier
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import (
    WordFrequencies,
    WordVectors,
    _storage,
    fit_subwords,
    save_word_vectors,
)

WORDS = ["a", "cat", "sleeps"]


@pytest.fixture
def classifier():
    vectors = WordVectors(WORDS, np.eye(3, 4))
    model = TextClassifier(SIFEncoder(vectors), max_epochs=1, random_state=0)
    return model.fit(["a cat", "sleeps"], np.array(["yes", "no"]))


@pytest.fixture
def folder(classifier, tmp_path):
    classifier.save(tmp_path / "model")
    return tmp_path / "model"


LABELS = ["no", "yes"]


def npy(descr, shape, n_bytes=64):
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": descr, "fortran_order": False, "shape": shape}
    )
    return file.getvalue() + bytes(n_bytes)


def pickled():
    file = io.BytesIO()
    np.save(file, np.array([{}], dtype=object), allow_pickle=True)
    return file.getvalue()


@pytest.fixture
def table(tmp_path):
    """A folder of a small table with n-grams."""
    vectors = fit_subwords(WordVectors(WORDS, np.eye(3, 4)), n_rows=8).astype("int8")
    save_word_vectors(vectors, tmp_path / "v")
    return tmp_path / "v"


def entries(**changes):
    return lambda folder: edit(folder / "metadata.json", **changes)


def content(name, raw):
    return lambda folder: (folder / name).write_bytes(raw)


def array(name, change):
    def forge(folder):
        path = folder / f"{name}.npy"
        np.save(path, change(np.load(path)))

    return forge


def tensor(name, values):
    return lambda folder: save_file({name: values}, folder / "arrays.safetensors")


def subwords(low, high, kind="crc32", factor=1.0):
    settings = {"ngram_range": [low, high], "kind": kind, "factor": factor}
    return entries(subwords=settings)


ENCODER = "encoder/metadata.json"
OF_MODELS = [
    (entries(attributes__classes_={"pickle": 1}), "KeyError: 'pickle'"),
    (entries(attributes__classes_={"mapping": None}), "No such file|classes_.json"),
    (entries(**{"attributes__../x_": {"table": None}}), "'../x_' is not the name of a"),
    (entries(attributes__x_={"model": None}), "There is no folder"),
    (entries(attributes=[]), "AttributeError"),
    (entries(**{"parameters__../encoder": {"model": None}}), "no par.* '../encoder'"),
    (entries(parameters__optimizer={"settings": ["Popen", {}]}), "no public class"),
    (entries(parameters__optimizer={"array": 1, "table": 1}), "too many values"),
    (entries(parameters__batch_size=[48]), "'batch_size' parameter"),
    (entries(kind="NoClass"), "contains 'NoClass', not"),
    *(
        (content(ENCODER, raw), r"encoder/metadata\.json is corrupt")
        for raw in (b"[" * 100_000, b"", b"3", b'{"version":')
    ),
    *(
        (content("arrays.safetensors", raw), r"(safetensors|model) is corrupt: ")
        for raw in (b"", b"\xff" * 8, b"\0" * 100, b"\x02\0\0\0\0\0\0\0{}{}")
    ),
    (tensor("transform", np.zeros(3)), "model is corrupt: "),
    (tensor("head_/output.weight", np.full(3, np.nan)), "safetensors is corrupt: "),
]
OF_TABLES = [
    *(
        (content("matrix.npy", raw), "is corrupt")
        for raw in (
            npy("<f4", (10**9, 4)),
            npy("<f4", (2**62, 2**62)),
            npy("<f4", (3, 4), n_bytes=47),
            npy("<U400000000", (3, 4)),
            npy([("a", "<f4")], (3, 4), n_bytes=48),
            npy("|O", (3, 4)),
            npy("<f4", (12,), n_bytes=48),
            pickled(),
            b"\x93NUMPY",
            b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535,
        )
    ),
    (array("matrix", lambda x: x * np.float32(np.nan)), "not finite|scale"),
    (array("words", lambda x: x[:-8]), "one row per word"),
    (array("words", lambda x: np.full(9, 255, np.uint8)), "can't decode"),
    (array("scale", lambda x: x[:-1]), "scale must be"),
    (array("subwords-matrix", lambda x: x[:0]), "n-grams are of"),
    (array("subwords-scale", lambda x: x * np.float32(np.nan)), "scale of the n-gr"),
    (subwords(1, 10**9), "v is corrupt: "),
    (subwords(3, 5, kind="other"), "v is corrupt: "),
    (subwords(3, 5, factor=float("nan")), "v is corrupt: "),
]


@pytest.mark.parametrize(
    ("fixture", "forge", "reason"),
    [("folder", *case) for case in OF_MODELS]
    + [("table", *case) for case in OF_TABLES],
    ids=range(len(OF_MODELS + OF_TABLES)),
)
def test_forged_folders(fixture, forge, reason, request):
    folder = request.getfixturevalue(fixture)
    forge(folder)
    seal(folder)
    assert_refused(folder, reason)


@pytest.mark.parametrize(
    "name", ["metadata.json", "arrays.safetensors", "encoder/vectors/matrix.npy"]
)
@pytest.mark.parametrize("kind", PUT)
def test_files_that_are_none(kind, name, folder):
    (folder / name).unlink()
    PUT[kind](folder / name)
    assert_refused(folder, r"not a file|no metadata|symbolic links|is missing")


@pytest.mark.parametrize("dtype", ["<U400000000", "(400000000,)f8"])
def test_labels_take_the_memory_of_their_texts(dtype, folder):
    edit(folder / "metadata.json", attributes__classes_={"labels": [dtype, LABELS]})
    with little_memory():
        assert skparaphrase.load(folder).classes_.tolist() == LABELS


def test_links_to_folders(folder):
    """Two of them to the folder itself are 2 ** 40 ways of 40 links."""
    for name in ("a_", "b_"):
        (folder / name).symlink_to(".", target_is_directory=True)
        edit(folder / "metadata.json", **{f"attributes__{name}": {"model": None}})
    assert_refused(folder, "a_ is a link to a folder")


def test_the_folder_itself_may_be_a_link(folder, tmp_path):
    (tmp_path / "current").symlink_to(folder, target_is_directory=True)
    assert skparaphrase.load(tmp_path / "current").predict(["a cat"]) == ["yes"]


def test_models_in_models_without_end(tmp_path):
    SIFEncoder().save(tmp_path / "model")
    path = tmp_path / "model/metadata.json"
    edit(path, attributes__a_={"model": None})
    content = path.read_text()
    for _ in range(400):
        path = path.parent / "a_/metadata.json"
        path.parent.mkdir()
        path.write_text(content)
    with pytest.raises(ValueError, match=r"is corrupt|it has no") as raised:
        skparaphrase.load(tmp_path / "model")
    assert len(str(raised.value)) < 10_000


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        "{}",
        '{"counts": {"a": NaN}, "total": 1}',
        f'{{"counts": {{"a": {10**400}}}, "total": {10**401}}}',
        '{"counts": {"a": [1]}, "total": 1}',
    ],
)
def test_frequencies(content, tmp_path):
    encoder = SIFEncoder(frequencies=WordFrequencies({"a": 1}))
    encoder.save(tmp_path / "model")
    (tmp_path / "model/frequencies.json").write_text(content)
    seal(tmp_path / "model")
    assert_refused(tmp_path / "model", r"frequencies\.json is corrupt")


@pytest.mark.parametrize("pattern", [r"(\w+)+!", 3, ["words"], None])
def test_patterns(pattern, classifier, tmp_path):
    model = clone(classifier.encoder).set_params(tokenizer=WordTokenizer(r"\S+"))
    classifier.set_params(encoder=model).save(tmp_path / "model")
    loaded = skparaphrase.load(tmp_path / "model", trusted=True)
    assert loaded.encoder.tokenizer.pattern == r"\S+"
    path = tmp_path / "model/encoder/metadata.json"

    def forge(pattern):
        tokenizer = {"settings": ["WordTokenizer", {"pattern": pattern}]}
        edit(path, parameters__tokenizer=tokenizer)
        seal(tmp_path / "model")

    forge(pattern)
    assert_refused(tmp_path / "model", r"encoder (has .*trust|is corrupt: .*hash)")
    forge("ptb")
    assert skparaphrase.load(tmp_path / "model").encoder.tokenizer.pattern == "ptb"


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("CharCNNEncoder", {"filters": [[2, 10**9]]}),
        ("CNNEncoder", {"filters": [[2, 10**9]]}),
        ("PairwiseInteractionRegressor", {"hidden_dim": 10**9}),
        ("SequenceTagger", {"dense_dim": 10**9}),
    ],
)
def test_sizes_that_models_cannot_have(name, changes, tmp_path):
    """They raise an error when the network is built."""
    [model] = subjects.fitted(name)
    model.save(tmp_path / "model")
    subjects.say(name, skparaphrase.load(tmp_path / "model"), ["a cat"])
    path = tmp_path / "model/metadata.json"
    edit(path, **{f"parameters__{k}": v for k, v in changes.items()})
    loaded = skparaphrase.load(tmp_path / "model")
    with (
        little_memory(),
        pytest.raises(ValueError, match=r"not have the par|must be"),
    ):
        subjects.say(name, loaded, ["a cat"])


def disagreeing(array):
    """Arrays of other shapes."""
    for axis in range(array.ndim):
        yield np.delete(array, 0, axis)
        yield np.concatenate([array, array.take([0], axis)], axis)
    yield array[np.newaxis]


@pytest.mark.parametrize("name", ["SIFEncoder", "PairClassifier", "CharCNNEncoder"])
def test_arrays_that_do_not_agree(name, tmp_path):
    """They raise an error, or do not change the outputs of the model."""
    model = subjects.fitted(name)[-1]
    model.save(tmp_path / "model")
    path = tmp_path / "model/arrays.safetensors"
    arrays, n_refused = load_file(path), 0
    for key, array in arrays.items():
        for other in disagreeing(array):
            write_safetensors(path, arrays | {key: other})
            seal(tmp_path / "model")
            try:
                loaded = skparaphrase.load(tmp_path / "model")
                found = subjects.say(name, loaded, subjects.TEXTS)
            except ValueError:
                n_refused += 1
            else:
                expected = subjects.say(name, model, subjects.TEXTS)
                assert_array_equal(found, expected, err_msg=key)
    assert n_refused >= 3


def test_weights_belong_to_the_words_of_a_version(tmp_path, monkeypatch):
    """The default table of another version has other rows."""
    for model in (SIFEncoder(), TfidfEncoder(), AverageEncoder()):
        model.fit(["a cat"]).save(tmp_path / "model")
        skparaphrase.load(tmp_path / "model")
        with monkeypatch.context() as patched:
            patched.setattr(_storage, "_fingerprint", lambda name: 7)
            assert_refused(tmp_path / "model", "of another version of skparaphrase")


def test_files_of_holes(folder, tmp_path):
    """8 GB that take no space on the disk, and do not fit into memory."""
    for path in (folder / "metadata.json", tmp_path / "counts.txt"):
        with path.open("wb") as file:
            file.truncate(2**33)
    assert_refused(folder, "[Mm]emory", n_bytes=2**26)
    assert_refused(tmp_path / "counts.txt", "[Mm]emory", WordFrequencies.read, 2**26)
