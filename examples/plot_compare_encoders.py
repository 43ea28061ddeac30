"""
Compare the encoders of the papers
==================================

We train nine encoders on the same paraphrases. Then we train one in stages, combine a
word-level with a character-level encoder, and tune the hyperparameters of all steps.

Encoders of words start from the pretrained encoder, so a thousand pairs are enough for
a gain. Encoders of characters learn everything from the pairs, and need many more:
the table ``wieting_encoders`` of the benchmarks trains them on a hundred times as many.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Training pairs and graded pairs
# -------------------------------
# Half of the graded pairs are used for tuning, and the other half for evaluation. The
# halves share no sentence.

import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, GroupKFold, GroupShuffleSplit
from sklearn.pipeline import make_pipeline

import skparaphrase
from skparaphrase.datasets import load_graded_pairs, load_paraphrases
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import (
    CharagramEncoder,
    CharCNNEncoder,
    CNNEncoder,
    DeepAveragingEncoder,
    IdentityRNNEncoder,
    LSTMEncoder,
    ParaphraseEncoder,
    ProjectionEncoder,
    RNNEncoder,
)
from skparaphrase.metrics import STSScorer, pearson_scorer
from skparaphrase.model_selection import pair_groups
from skparaphrase.pairs import EncoderUnion, PairSimilarity

paraphrases = load_paraphrases().data  # (1140, 2)
graded, gold = load_graded_pairs(return_X_y=True)  # (570, 2) texts, grades 0 to 5
groups = pair_groups(graded)
split = GroupShuffleSplit(1, test_size=0.5, random_state=0)
half, rest = next(split.split(graded, groups=groups))
report = STSScorer((graded[rest], gold[rest]))

# %%
# Nine encoders, one interface
# ----------------------------
# The networks compute the average of the word vectors plus what they learn, so they
# start with the score of the pretrained encoder, too.

encoders = {
    "pretrained, not trained": skparaphrase.load_pretrained(),
    "PP": ParaphraseEncoder(),
    "projection": ProjectionEncoder(),
    "DAN": DeepAveragingEncoder(),
    "iRNN": IdentityRNNEncoder(),
    "RNN": RNNEncoder(),
    "LSTM": LSTMEncoder(),
    "CSE": CNNEncoder(),
    "Charagram": CharagramEncoder(),
    "charCNN": CharCNNEncoder(),
}
results = {}
print(f"{'':24}{'first':>9}{'last':>7}")
print(f"{'':24}{'loss':>9}{'loss':>7}{'seconds':>9}{'Pearson x 100':>15}")
for name, encoder in encoders.items():
    start = time.perf_counter()
    if hasattr(encoder, "random_state"):
        encoder.set_params(random_state=0).fit(paraphrases)
    seconds = time.perf_counter() - start
    results[name] = 100 * report(encoder)
    losses = getattr(encoder, "loss_curve_", None)
    shown = f"{losses[0]:9.2f}{losses[-1]:7.2f}" if losses else " " * 16
    print(f"{name:24}{shown}{seconds:9.1f}{results[name]:15.1f}")

figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
colors = ["C1" if "har" in name else "C0" for name in results]
colors[0] = "0.7"
bars = ax.barh([*results], [*results.values()], color=colors)
ax.bar_label(bars, fmt="%.1f", padding=3)
ax.axvline(results["pretrained, not trained"], color="grey", linestyle=":")
ax.invert_yaxis()
ax.set(xlabel="Pearson x 100 on held-out pairs", title="Trained on 1,140 paraphrases")
ax.spines[["top", "right"]].set_visible(False)

# %%
# Cumulative training: short texts first
# --------------------------------------
# Train on short texts, then fine-tune on sentences with ``init``. With so few short
# texts, this makes no difference.

length = np.array([[len(text.split()) for text in pair] for pair in paraphrases])
short = length.max(axis=1) <= 5
first = ParaphraseEncoder(random_state=0).fit(paraphrases[short])
alone = ParaphraseEncoder(random_state=0).fit(paraphrases[~short])
both = ParaphraseEncoder(init=first, random_state=0).fit(paraphrases[~short])
for name, n_pairs, encoder in (
    ("short texts", short.sum(), first),
    ("sentences", (~short).sum(), alone),
    ("short, then sentences", len(short), both),
):
    print(f"{name:22} {n_pairs:5} pairs{100 * report(encoder):8.1f}")

# %%
# A union of words and characters
# -------------------------------
# Character n-grams help slightly if words are misspelt, and hurt otherwise.

rng = np.random.default_rng(0)


def misspell(text):
    """Swap two neighbouring letters in every second word of five letters or more."""
    words = text.split()
    for i, word in enumerate(words):
        if len(word) >= 5 and rng.random() < 0.5:
            j = rng.integers(1, len(word) - 2)
            words[i] = word[:j] + word[j + 1] + word[j] + word[j + 2 :]
    return " ".join(words)


misspelt = graded.copy()
misspelt[:, 1] = [misspell(text) for text in graded[:, 1]]
report_misspelt = STSScorer((misspelt[rest], gold[rest]))
words = make_pipeline(FrozenEstimator(encoders["PP"]), CommonComponentRemoval(0))
characters = FrozenEstimator(encoders["Charagram"])  # not fitted again
members = [("words", words), ("characters", characters)]
weights = [0, 0.1, 0.2, 0.4, 1]
scores = []
for weight in weights:
    union = EncoderUnion(members, weights={"characters": weight}).fit(graded[half])
    scores.append([100 * report(union), 100 * report_misspelt(union)])
    print(f"weight {weight:<5} as written {scores[-1][0]:.1f}  ", end="")
    print(f"misspelt {scores[-1][1]:.1f}")

figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
ax.plot(weights, scores, "o-", label=["as written", "misspelt"])
ax.set(xlabel="weight of characters", ylabel="Pearson x 100")
ax.set_title("A union of words and characters")
ax.legend()
ax.spines[["top", "right"]].set_visible(False)

# %%
# A grid search over all steps
# ----------------------------
# The search uses the misspelt texts of the first half. Pairs that share a sentence are
# in the same fold.

pipe = make_pipeline(EncoderUnion(members), PairSimilarity())
grid = {
    "encoderunion__weights": [{"characters": weight} for weight in (0, 0.2, 0.4)],
    "encoderunion__words__commoncomponentremoval__n_components": [0, 1, 2],
}
search = GridSearchCV(pipe, grid, scoring=pearson_scorer, cv=GroupKFold(5))
search.fit(misspelt[half], gold[half], groups=groups[half])
for name, value in search.best_params_.items():
    print(f"{name.split('__', 1)[1]:46} {value}")
score = search.score(misspelt[rest], gold[rest])
print(f"{'Pearson x 100, cross-validated':46} {100 * search.best_score_:.1f}")
print(f"{'on the other half':46} {100 * score:.1f}")
plt.show()
