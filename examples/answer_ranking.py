"""Which candidate answers the question? Rank them by how their words interact.

    python examples/answer_ranking.py                # bundled questions
    python examples/answer_ranking.py answers.tsv    # qid, question, answer, label

A `PairwiseInteractionRanker`, logistic regression on features of the two sentences'
vectors, and the cosine of SIF vectors, which learns from no answers; all with word
vectors that are trained on paraphrases first. Three folds, with all candidates of a
question in one of them. Wrong answers of the bundled set share words with their
question, and the questions are few: there learning from answers gains little.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
import time

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skparaphrase.datasets import load_answers, load_paraphrases, read_answers
from skparaphrase.encoders import ParagramEncoder, SIFEncoder
from skparaphrase.interaction import PairwiseInteractionRanker
from skparaphrase.metrics import mean_average_precision, mean_reciprocal_rank
from skparaphrase.pairs import PairFeatures, PairSimilarity

started = time.perf_counter()
answers = read_answers(sys.argv[1]) if len(sys.argv) > 1 else load_answers()
X, y, query = answers.data, answers.target, answers.query
folds = list(GroupKFold(3, shuffle=True, random_state=0).split(X, groups=query))
print(f"{len(np.unique(query))} questions with {len(y)} candidates")

encoder = ParagramEncoder(loss="infonce", batch_size=256, random_state=0)
vectors = encoder.fit(load_paraphrases().data).vectors_
# So few answers teach a memory little: words are compared without their context, which
# is quicker, too. On thousands of pairs take the defaults.
contenders = {
    "cosine of SIF vectors": make_pipeline(SIFEncoder(vectors), PairSimilarity()),
    "logistic regression": make_pipeline(
        SIFEncoder(vectors),
        PairFeatures(),
        StandardScaler(),
        LogisticRegression(C=0.01, max_iter=1000),
    ),
    "word interaction": PairwiseInteractionRanker(
        vectors,
        context=False,
        limit=32,
        learning_rate=1e-3,
        batch_size=4,
        max_epochs=5,
        random_state=0,
    ),
}
chance = np.random.default_rng(0).random((100, len(y)))
means = [
    np.mean([metric(y, scores, query) for scores in chance])
    for metric in (mean_average_precision, mean_reciprocal_rank)
]
print(f"\n{'':24}MAP    MRR\n{'in random order':22} {means[0]:.3f}  {means[1]:.3f}")
for name, contender in contenders.items():
    scores = np.empty(len(y))
    for train, test in folds:
        model = clone(contender).fit(X[train], y[train])
        learns = hasattr(model, "decision_function")
        scores[test] = (model.decision_function if learns else model.predict)(X[test])
    print(
        f"{name:22} {mean_average_precision(y, scores, query):.3f}  "
        f"{mean_reciprocal_rank(y, scores, query):.3f}",
        flush=True,
    )

rows = test[query[test] == query[test[0]]]  # a question that the last model did not see
question, candidates = X[rows[0], 0], X[rows, 1]
print(f"\n{question}")
for place, i in enumerate(model.rank(question, candidates), start=1):
    mark = "right" if y[rows[i]] else ""
    print(f"{place:2} {mark:6}{scores[rows[i]]:6.2f}  {candidates[i]}")
print(f"\n{time.perf_counter() - started:.0f} s in all.")
