"""Threads that update and search one index; `make soak` does more of it."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import contextlib
import os
import signal
import sys
import threading
import warnings
from pathlib import Path

import pytest

from skparaphrase.search import SemanticSearch, _state

sys.path.append(str(Path(__file__).parents[1] / "robustness"))
from thread_attacks import INDEXES, use_in_threads


@pytest.mark.parametrize("kind", ["exact", "fitted again"])
def test_nothing_is_lost_or_misaligned(kind, tmp_path):
    done = use_in_threads(kind, 0, tmp_path, n_threads=6)
    assert done.total() == 72


@pytest.mark.integration
@pytest.mark.parametrize("kind", ["faiss", "usearch"])
def test_nor_beside_an_index_of_another_library(kind, tmp_path):
    pytest.importorskip(kind)
    assert type(INDEXES[kind]).__name__.lower().startswith(kind)
    use_in_threads(kind, 0, tmp_path, n_threads=6)


@pytest.mark.integration
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_reads_words_that_a_thread_of_its_parent_is_reading(monkeypatch):
    pytest.importorskip("bm25s")
    is_reading, may_go_on = threading.Event(), threading.Event()
    tokens = _state._tokens

    def wait(texts, ids=False):
        if ids and not is_reading.is_set():
            is_reading.set()
            may_go_on.wait()
        return tokens(texts, ids)

    monkeypatch.setattr(_state, "_tokens", wait)
    search = SemanticSearch().fit(["Do you sell bikes?"])
    thread = threading.Thread(target=lambda: search.search("bikes", hybrid=True))
    thread.start()
    is_reading.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        signal.alarm(20)  # ends it
        is_found = False
        with contextlib.suppress(BaseException):
            is_found = search.search("bikes", hybrid=True).id.item() == 0
        os._exit(not is_found)
    status = os.waitpid(child, 0)[1]
    may_go_on.set()
    thread.join()
    assert status == 0
