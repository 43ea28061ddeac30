"""Tune SIF on one set of graded pairs, report on another.

    python examples/sif_tuning.py                       # bundled data
    python examples/sif_tuning.py train.tsv test.tsv    # score, sentence1, sentence2

The parameters of the paper: `a` of the weights, and how many components to remove.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys

from sklearn.model_selection import GridSearchCV, GroupShuffleSplit
from sklearn.pipeline import make_pipeline

from skparaphrase.datasets import load_similarity, read_scored_pairs
from skparaphrase.decomposition import CommonComponentRemoval
from skparaphrase.encoders import AverageEncoder, SIFEncoder
from skparaphrase.metrics import pearson_scorer, spearman_scorer
from skparaphrase.model_selection import pair_groups
from skparaphrase.pairs import PairSimilarity

if len(sys.argv) == 3:
    train_pairs, train_gold = read_scored_pairs(sys.argv[1], return_X_y=True)
    test_pairs, test_gold = read_scored_pairs(sys.argv[2], return_X_y=True)
else:
    pairs, gold = load_similarity(return_X_y=True)
    split = GroupShuffleSplit(1, test_size=0.5, random_state=0)
    train, test = next(split.split(pairs, groups=pair_groups(pairs)))
    train_pairs, train_gold = pairs[train], gold[train]
    test_pairs, test_gold = pairs[test], gold[test]

search = GridSearchCV(
    make_pipeline(SIFEncoder(), CommonComponentRemoval(), PairSimilarity()),
    {
        "sifencoder__a": [3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4],
        "commoncomponentremoval__n_components": [0, 1, 2, 3],
    },
    scoring={"pearson": pearson_scorer, "spearman": spearman_scorer},
    refit="pearson",
    n_jobs=2,
).fit(train_pairs, train_gold)

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
