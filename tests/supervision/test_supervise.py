"""The kind of examples in `X` and `y`, in memory and on disk."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
from few_words import MASK, PAIRS, TEXTS, make_encoder  # of the tests
from numpy.testing import assert_array_equal

from skparaphrase.losses import CoSENTLoss
from skparaphrase.supervision._supervise import supervise


def trained(X, y=None, **changes):
    return make_encoder(**changes).fit(X, y).vectors_.matrix


@pytest.fixture(params=["list", "Parquet"])
def container(request, to_parquet):
    """Takes rows."""
    return list if request.param == "list" else to_parquet


# Paraphrases


@pytest.mark.parametrize("y", [MASK, MASK.astype(int), MASK.astype(float).tolist()])
def test_y_marks_paraphrases(y, container):
    """The type of the marks and the storage of the pairs make no difference."""
    assert_array_equal(trained(container(PAIRS), y), trained(PAIRS, MASK))


# Kinds

TRIPLETS = [(*pair, TEXTS[100 + i]) for i, pair in enumerate(PAIRS)]
SCORES = np.random.RandomState(4).randint(6, size=40) / 2
LABELS = np.random.RandomState(5).randint(7, size=200)
NAMES = np.array([f"class {label}" for label in LABELS])
VECTORS_OF_TEXTS = np.random.RandomState(6).randn(200, 8)
KINDS = {
    "pairs": (PAIRS, None),
    "triplets": (TRIPLETS, None),
    "labels": (TEXTS, NAMES),
    "scores": (PAIRS, SCORES),
    "vectors": (TEXTS, VECTORS_OF_TEXTS),
}


@pytest.mark.parametrize(
    ("X", "y", "kind"),
    [
        (PAIRS, None, "pairs"),
        (PAIRS, MASK, "marks"),
        (PAIRS, np.ones(40), "pairs"),
        (PAIRS, SCORES, "scores"),
        (PAIRS, -MASK.astype(float), "scores"),
        (TRIPLETS, None, "triplets"),
        (TEXTS, LABELS, "labels"),
        (TEXTS, NAMES, "labels"),
        (TEXTS, LABELS % 2 > 0, "labels"),
        (TEXTS, VECTORS_OF_TEXTS, "vectors"),
        (PAIRS, VECTORS_OF_TEXTS[:80].reshape(40, 2, 8), "vectors"),
    ],
)
def test_shapes_and_values_decide_the_kind(X, y, kind):
    for container in (list, lambda X: np.array(X, dtype=object)):
        assert supervise(container(X), y).kind.name == kind


@pytest.mark.parametrize(
    ("X", "y", "changes", "message"),
    [
        (PAIRS, SCORES, {"loss": "margin"},
         "hold graded pairs, but the loss .* loss='auto' selects .* such as y >= 4"),
        (PAIRS, np.full(40, 0.5), {}, "All scores are 0.5: there is no order"),
        (PAIRS, np.ones(40), {"loss": "cosent"}, "All scores are 1: there is no order"),
        (PAIRS, np.where(MASK, 1, -1), {}, "-1 and 1.*y > 0"),
        (PAIRS, ["yes", "no"] * 20, {}, "y contains str.*booleans"),
        (PAIRS, MASK[:-1], {}, "inconsistent numbers of samples"),
        (PAIRS, np.full(40, np.nan), {}, "NaN"),
        (PAIRS, np.zeros(40), {"loss": "margin"},
         r"Found 0 samples \(paraphrases\).*minimum of 2"),
        (PAIRS, np.arange(40) == 7, {"loss": "margin"},
         "Found 1 samples.*minimum of 2"),
        (PAIRS[:1], None, {}, "Found 1 samples.*minimum of 2"),
        ([], None, {}, "Found 0 samples.*minimum of 2"),
        (PAIRS, None, {"loss": "cosent"},
         "hold paraphrases, but the loss learns from graded pairs.*'auto'"),
        (TRIPLETS, np.ones(40), {}, r"X has triplets.*omit y"),
        ([[*triplet, "w1"] for triplet in TRIPLETS], None, {}, r"shape \(\d+, 4\)"),
        (TEXTS, LABELS, {"loss": "cosent"},
         "hold labelled texts, but .* graded pairs"),
        (TEXTS, None, {}, r"shape \(200,\) and y is None.*FrozenEstimator\(encoder\)"),
        (TEXTS, LABELS[:-1], {}, "inconsistent numbers of samples"),
        (TEXTS, np.linspace(0, 1, 200), {}, "Unknown label type: continuous"),
        (TEXTS, np.where(LABELS > 2, np.nan, 1.0), {}, "NaN"),
        (TEXTS, np.where(LABELS > 2, None, NAMES), {}, r"y\[\d\] is None: drop"),
        (TEXTS, np.zeros(200, int), {}, "of at least two texts are needed; got 1"),
        (TEXTS[:6], [*"abcdef"], {}, "got 0"),
        (TEXTS[:6], [0, 0, 0, 1, 1, 1], {"validation_fraction": 0.6},
         "are needed to train on; got 1"),
        ([("un", "known"), ("no", "word")], None, {}, "No word of the texts"),
        (PAIRS, np.full((40, 8), 0.5), {"loss": "infonce"},
         "hold a teacher's vectors, but the loss learns from labelled"),
        (PAIRS, np.full((40, 8), 0.5), {},
         r"shape \(40, 2, 'dim'\).*got shape \(40, 8\)"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_what_cannot_be_learned_from(X, y, changes, message, container):
    encoder = make_encoder(**changes)
    with pytest.raises(ValueError, match=message):
        encoder.fit(container(X), y)
    assert not hasattr(encoder, "vectors_")
    if "validation_fraction" not in changes:
        with pytest.raises(ValueError, match=message):
            encoder.partial_fit(container(X), y)


@pytest.mark.parametrize("loss", ["auto", "margin"])
@pytest.mark.parametrize("kind", ["triplets", "labels", "scores"])
def test_every_container_trains_to_the_same_bits(kind, loss, container):
    if (kind, loss) == ("scores", "margin"):
        loss = CoSENTLoss(20)
    # Some texts have two labels.
    (X, y), settings = KINDS[kind], {"loss": loss, "validation_fraction": 0.2}
    wanted, found = (make_encoder(**settings) for _ in range(2))
    for method in ("fit", "partial_fit"):
        getattr(wanted, method)(X, y)
        getattr(found, method)(container(X), y)
        assert_array_equal(found.vectors_.matrix, wanted.vectors_.matrix)
        assert found.loss_curve_ == wanted.loss_curve_
    assert wanted.loss_curve_[1] < wanted.loss_curve_[0]


def test_three_columns_of_other_names_are_no_triplets_in_silence():
    table = pd.DataFrame(TRIPLETS, columns=["group", "sentence1", "sentence2"])
    with pytest.warns(UserWarning, match=r"'group'.*X\[\['sentence1', 'sentence2'\]\]"):
        make_encoder().fit(table)
    make_encoder().fit(table.set_axis(["anchor", "positive", "negative"], axis=1))
    make_encoder().fit(table.to_numpy())


def test_a_loss_names_kinds_that_exist():
    class Misspelt(CoSENTLoss):
        learns_from = frozenset({"pairs", "triplet"})

    with pytest.raises(
        ValueError, match=r"Misspelt\.learns_from contains \['triplet'\]"
    ):
        supervise(PAIRS, loss=Misspelt())


def test_labels_that_look_like_texts_warn():
    first, second = zip(*PAIRS, strict=True)
    second = [*second[:-1], second[0]]  # two texts of one class
    with pytest.warns(UserWarning, match=r"pass list\(zip\(X, y\)\) as X"):
        supervise(first, [f"now {text} here" for text in second])
    supervise(first, [f"label of {i % 5}" for i in range(len(first))])
    supervise(first, [f"label{i // 2}" for i in range(len(first))])
