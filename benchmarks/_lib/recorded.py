"""Tables of the papers, made again from recorded results."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import argparse
import json
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from _lib import RESULTS

Make = Callable[[Any, Any, int], Sequence[str]]  # script, results, number of seeds


def _plain(script: Any, results: Any, _: int) -> Any:
    return script.report(results)


def _seeded(script: Any, results: Any, n_seeds: int) -> Any:
    return script.report(argparse.Namespace(seeds=n_seeds), results)


def _split(results: Any, n_parts: int) -> dict[tuple[str, ...], Any]:
    return {tuple(key.split(", ", n_parts - 1)): of for key, of in results.items()}


def _sif(script: Any, results: Any, n_seeds: int) -> Any:
    return _seeded(script, _split(results, 2), n_seeds)


def _supervised(script: Any, results: Any, n_seeds: int) -> Any:
    results = dict(results)
    priors, rates = results.pop("seconds of priors"), results.pop("speed")
    args = argparse.Namespace(seeds=n_seeds)
    return script.report(args, _split(results, 3), priors, rates)


def _amount(script: Any, results: Any, _: int) -> Any:
    curves = {
        name: {int(size): of for size, of in curve.items()}
        for name, curve in results.items()
        if name != "start"
    }
    return script.report(results["start"], curves)


def _weights(script: Any, results: Any, n_seeds: int) -> Any:
    return [
        *script.report_margins(results["margins"]),
        "",
        *script.report_rare(results["rare"], results["sets"], n_seeds),
        "",
        *script.report_weights(
            results["weights"], results["rank correlations"], n_seeds
        ),
    ]


def _cumulative(script: Any, results: Any, n_seeds: int) -> Any:
    results = dict(results)
    begin, shown = results.pop("start"), results.pop("examples")
    return [
        *script.report(begin, _split(results, 2), n_seeds),
        *script.report_examples(shown["pairs"]),
    ]


def _sts(script: Any, rows: Any, _: int) -> Any:
    names = [key for key in rows[0] if key[:2] == "20" and "." in key]
    return script.report(rows, [*names, "sick"])


MAKERS: dict[str, Make] = {
    "sts": _sts,
    "wieting_encoders": _plain,
    "charagram_words": _plain,
    "charagram_ngrams": _plain,
    "charagram_neighbors": _plain,
    "charagram_tagging": _plain,
    "charagram_unknown_and_length": _seeded,
    "charagram_convergence": _seeded,
    "wieting_amount": _amount,
    "wieting_margins_and_weights": _weights,
    "wieting_supervised": _supervised,
    "sif_supervised": _sif,
    "cse_cumulative": _cumulative,
    "cse_supervised": _seeded,
    "cse_widths": lambda script, results, n_seeds: script.report(results, n_seeds),
    "cse_pairs": _plain,
    "interaction_matrices": _plain,
    "interaction_similarity": _plain,
    "interaction_ranking": _plain,
    "parameter_counts": _plain,
    "shortfalls": _plain,
    "wieting_words": _plain,
}


def made_again(name: str) -> str:
    """The table of a script in `papers`, from its recorded results."""
    found = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    results = found["rows"] if name == "sts" else found["results"]
    lines = MAKERS[name](import_module(name), results, found.get("seeds", 1))
    versions = ", ".join(f"{key} {value}" for key, value in found["versions"].items())
    return "\n".join([*lines, "", versions]) + "\n"


def write_again() -> None:
    """Write all tables again, for example after a change of their text."""
    for name in MAKERS:
        (RESULTS / f"{name}.md").write_text(made_again(name), "utf-8")
