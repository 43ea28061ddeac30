"""
Tables with text columns
========================

An encoder transforms one column of texts. For two columns of texts next to numeric
columns, use scikit-learn's :class:`~sklearn.compose.ColumnTransformer` or skrub's
``TableVectorizer``. The columns can be embedded separately, or together as pairs, which
gives different features.

This example needs skrub (``pip install skrub``).
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# A table
# -------
# The table contains pairs of sentences, their numbers of words, and a similarity score
# from 0 to 5. Pairs that share a sentence are in the same fold.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skrub import ApplyToCols, TableVectorizer

from skparaphrase.datasets import load_graded_pairs
from skparaphrase.encoders import SIFEncoder
from skparaphrase.metrics import pearson_scorer
from skparaphrase.model_selection import pair_groups
from skparaphrase.pairs import PairFeatures

pairs, gold = load_graded_pairs(return_X_y=True)
table = pd.DataFrame(pairs, columns=["first", "second"])
for side in ("first", "second"):
    table[f"{side} words"] = table[side].str.split().str.len()
texts, numbers = ["first", "second"], ["first words", "second words"]
print(table.head(3).to_string(max_colwidth=32))

# %%
# scikit-learn
# ------------
# For one column, an encoder returns a vector for each text. For two columns, it returns
# vectors of pairs, of shape (n_pairs, 2, dim).
# :class:`~skparaphrase.pairs.PairFeatures` combines them into one row for each pair, as
# `ColumnTransformer` requires.

alone = ColumnTransformer(
    [
        ("first", SIFEncoder(), "first"),
        ("second", SIFEncoder(), "second"),
        ("numbers", StandardScaler(), numbers),
    ]
)
as_pair = ColumnTransformer(
    [
        ("pair", make_pipeline(SIFEncoder(), PairFeatures()), texts),
        ("numbers", StandardScaler(), numbers),
    ]
)
frame = as_pair.set_output(transform="pandas").fit_transform(table)
print(frame.iloc[:3, [0, 1, 128, 129, -1]].round(2).to_string())

# %%
# skrub
# -----
# `TableVectorizer` detects text columns, and embeds each with a clone of the encoder
# instead of its own `StringEncoder`. For pairs, use `ApplyToCols` with both columns.
# The first step "passthrough" makes it pass them together; otherwise, the encoder would
# receive one column at a time.

own = TableVectorizer()
embedded = TableVectorizer(high_cardinality=SIFEncoder())
pair = make_pipeline("passthrough", SIFEncoder(), PairFeatures())
paired = ApplyToCols(pair, cols=texts)  # keeps the numeric columns

# %%
# Comparison
# ----------
# A linear model cannot compute the similarity of two concatenated vectors. It needs the
# products and differences of the pair.

models = {
    "numbers only": ColumnTransformer([("numbers", "passthrough", numbers)]),
    "skrub, StringEncoder, each column": own,
    "skrub, SIF, each column": embedded,
    "ColumnTransformer, SIF, each column": alone,
    "skrub, SIF, pair": paired,
    "ColumnTransformer, SIF, pair": as_pair,
}
groups = pair_groups(pairs)
scores = {}
for name, features in models.items():
    model = make_pipeline(features, StandardScaler(), RidgeCV(np.logspace(0, 4, 9)))
    scores[name] = cross_val_score(
        model, table, gold, groups=groups, cv=GroupKFold(3), scoring=pearson_scorer
    )
    print(f"{name:36} r {scores[name].mean():.2f} +- {scores[name].std():.2f}")

figure, ax = plt.subplots(figsize=(6.4, 2.8), layout="constrained")
means = [score.mean() for score in scores.values()]
spread = [score.std() for score in scores.values()]
colors = ["C1" if "pair" in name else "C0" for name in scores]
ax.barh(list(scores), means, xerr=spread, color=colors, alpha=0.6, capsize=2)
ax.invert_yaxis()
ax.axvline(0, color="black", linewidth=0.8)
ax.set(xlabel="Pearson's r with the gold scores, 3 folds")
ax.spines[["top", "right", "left"]].set_visible(False)
ax.tick_params(left=False)
plt.show()
