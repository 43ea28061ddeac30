"""
Tune the hyperparameters of SIF
===============================

The SIF paper has two hyperparameters: `a` of
:class:`~skparaphrase.encoders.SIFEncoder`, and the number of components that
:class:`~skparaphrase.decomposition.CommonComponentRemoval` removes. We tune them on one
set of graded pairs and evaluate them on another.

For your own files, with columns score, sentence1 and sentence2, run::

    python examples/plot_sif_tuning.py train.tsv test.tsv
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Graded pairs
# ------------
# Pairs that share a sentence are in the same half; otherwise the score on the second
# half would be too optimistic.

import sys

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import GridSearchCV, GroupShuffleSplit
from sklearn.pipeline import make_pipeline

from skparaphrase.datasets import load_graded_pairs, read_pairs
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.metrics import pearson_scorer, spearman_scorer
from skparaphrase.model_selection import pair_groups
from skparaphrase.pairs import PairSimilarity

if len(sys.argv) > 1:
    (train_pairs, train_gold), (test_pairs, test_gold) = (
        read_pairs(path, score="score", return_X_y=True) for path in sys.argv[1:3]
    )
else:
    pairs, gold = load_graded_pairs(return_X_y=True)
    split = GroupShuffleSplit(1, test_size=0.5, random_state=0)
    train, test = next(split.split(pairs, groups=pair_groups(pairs)))
    train_pairs, train_gold = pairs[train], gold[train]
    test_pairs, test_gold = pairs[test], gold[test]

# %%
# Search
# ------
# The plot shows the mean of Pearson's r over five folds.

search = GridSearchCV(
    make_pipeline(SIFEncoder(), CommonComponentRemoval(), PairSimilarity()),
    {
        "sifencoder__a": [3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4],
        "commoncomponentremoval__n_components": [0, 1, 2, 3],
    },
    scoring={"pearson": pearson_scorer, "spearman": spearman_scorer},
    refit="pearson",
).fit(train_pairs, train_gold)

scores = pd.DataFrame(search.cv_results_).pivot(
    index="param_commoncomponentremoval__n_components",
    columns="param_sifencoder__a",
    values="mean_test_pearson",
)
fig, ax = plt.subplots(layout="constrained")
image = ax.imshow(scores)
ax.set_xticks(range(scores.shape[1]), scores.columns)
ax.set_yticks(range(scores.shape[0]), scores.index)
ax.set(xlabel="a", ylabel="components removed", title="Pearson's r")
fig.colorbar(image, shrink=0.6)
plt.show()

# %%
# Evaluation on the other half
# ----------------------------
# The settings of the paper were chosen on other data, so tuning is worthwhile.

print("best on the training pairs:", search.best_params_)
print(f"\n{'on the test pairs':30} Pearson x 100")
plain = make_pipeline(AverageEncoder(), PairSimilarity()).fit(test_pairs)
contenders = {
    "average": plain,
    "SIF, paper (a=1e-3, 1 component)": make_pipeline(
        SIFEncoder(a=1e-3), CommonComponentRemoval(1), PairSimilarity()
    ).fit(train_pairs),
    "SIF, tuned": search.best_estimator_,
}
for name, pipe in contenders.items():
    print(f"{name:34} {100 * pearson_scorer(pipe, test_pairs, test_gold):.1f}")
