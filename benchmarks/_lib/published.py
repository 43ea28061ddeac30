"""Published Pearson x 100 on textual similarity, on the data sets that are here.

By data set: Wieting et al. (2016), table 2; Arora et al. (2017), table 4; Charagram,
table 11. Their printed means of 2013 include SMT, which has a separate licence; the
means here do not, except for methods whose sets are not known one by one. They are
computed from the rows, and so may differ by 0.1 from the printed ones. Two printed
means of 2013 do not follow from the papers' own rows: GloVe+WR (printed 56.6, rows
57.3) and GloVe+W (44.0, rows 46.1).

"50%", "75%" and "max" are the median, the 75th percentile and the best of all systems
that took part in a task (Wieting et al., table 2).

The rows and the printed means of the percentiles were written down without the papers
at hand. A test compares the means of the rows with the printed ones, which agree within
0.1 (SICK is not part of a mean). Compare a single score with its paper before you quote
it.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from _lib.papers import sts_means

METHODS = (
    "PP", "projection", "DAN", "RNN", "iRNN", "LSTM", "LSTM with gate", "GloVe",
    "tfidf-GloVe", "PSL", "GloVe+WR", "PSL+WR", "Charagram",
    "50%", "75%", "max",
)  # fmt: skip
BY_SET = """
2012.MSRpar           42.6 43.7 40.3 18.6 43.4 16.1  9.3 47.7 50.3 41.6 35.6 43.3 59.7 51.5 57.6 73.4
2012.MSRvid           74.5 74.0 70.0 66.5 73.4 71.3 71.3 63.9 77.9 60.0 83.8 84.1 79.6 75.5 80.3 88.0
2012.SMTeuroparl      47.3 49.4 43.8 40.9 47.1 41.8 44.3 46.0 54.7 42.4 49.9 44.8 57.2 44.4 48.1 56.7
2012.OnWN             70.6 70.1 65.9 63.1 70.1 65.2 56.4 55.1 64.7 63.0 66.2 71.8 68.7 60.8 65.9 72.7
2012.SMTnews          58.4 62.8 60.0 51.3 58.1 60.8 51.0 49.6 45.7 57.0 45.6 53.6 65.2 40.1 45.4 60.9
2013.headlines        72.4 72.6 71.2 59.5 72.8 57.4 48.5 63.8 69.2 68.8 69.2 74.1 75.0 64.0 68.3 78.4
2013.OnWN             67.7 68.0 64.1 54.6 69.4 68.5 50.4 49.0 72.9 48.0 82.8 82.0 67.8 52.8 64.8 84.3
2013.FNWN             43.9 46.8 43.1 30.9 45.3 24.7 38.4 34.2 36.6 37.9 39.4 52.4 42.3 32.7 38.1 58.2
2013.SMT              39.2 39.8 38.3 33.8 39.4 30.1 28.8 22.3 29.6 31.0 37.9 38.5 43.6 31.8 34.6 40.4
2014.deft-forum       48.7 51.1 49.0 41.5 49.0 44.2 46.1 27.1 37.5 37.2 41.2 51.4 62.7 36.6 46.8 53.1
2014.deft-news        73.1 72.2 71.7 53.7 72.4 52.8 39.1 68.0 68.7 67.0 69.4 72.6 77.0 66.2 74.0 78.5
2014.headlines        69.7 70.8 69.2 57.5 70.2 57.5 50.9 59.5 63.7 65.3 64.7 70.1 74.3 67.1 75.4 78.4
2014.images           78.5 78.1 76.9 67.6 78.2 68.5 62.9 61.0 72.5 62.0 82.6 84.8 77.6 75.6 79.0 83.4
2014.OnWN             78.8 79.5 75.7 67.7 78.8 76.9 61.7 58.4 75.2 61.1 82.8 84.5 77.0 78.0 81.1 87.5
2014.tweet-news       76.4 75.8 74.5 58.0 76.9 58.7 48.2 51.2 65.1 64.7 70.1 77.5 79.1 64.7 72.2 79.2
2015.answers-forums   68.3 65.1 62.6 32.8 67.4 51.9 50.7 30.5 45.6 38.8 63.9 70.1 61.5 61.3 68.2 73.9
2015.answers-students 78.2 77.8 78.1 64.7 78.2 71.5 55.7 63.0 63.9 69.2 70.4 75.9 78.5 67.6 73.6 78.8
2015.belief           76.2 75.4 72.0 51.9 75.9 61.7 52.6 40.5 49.5 53.2 71.8 75.3 77.2 67.7 72.2 77.2
2015.headlines        74.8 75.2 73.5 65.3 75.1 64.0 56.6 61.8 70.9 69.0 70.7 75.9 78.7 74.2 80.8 84.2
2015.images           81.4 80.3 77.5 71.4 81.1 70.4 64.2 67.5 72.9 69.9 81.5 84.1 84.4 80.4 84.3 87.1
sick                  71.6 71.6 70.7 61.2 71.2 63.9 59.0 65.9 69.4 66.4 72.2 72.9 70.0 71.4 79.9 82.8
"""  # noqa: E501
WITH_SMT = ", 2013 with SMT"

N_SETS = {"2012": 5, "2013": 3, "2014": 6, "2015": 5, "SICK": 1}

# 2012 to 2015 and SICK. Arora et al., table 5; Charagram, table 3: 2013 with SMT. CSE,
# tables 1, 2 and 4, has no SMT.
BY_YEAR = {
    "GloVe+W": (54.0, 44.0, 59.4, 58.0, 70.5),
    "GloVe+R": (55.6, 53.9, 66.7, 69.8, 70.6),
    "PSL+W": (58.1, 57.7, 70.7, 70.3, 73.1),
    "PSL+R": (57.2, 56.0, 69.5, 72.7, 70.3),
    "charCNN": (56.5, 47.7, 64.7, 66.0, 62.9),
    "charLSTM": (40.1, 30.7, 46.8, 45.5, 50.3),
    "CSE": (63.3, 58.6, 72.1, 74.5, 71.9),
    "CSE on sentences": (62.0, 67.3, 75.0, 77.4, np.nan),
    "CSE on both": (63.0, 68.8, 76.3, 78.6, 73.0),
}


def published(method: str) -> dict[str, Any]:
    """Scores by data set, where they are known, and their means; see `sts_means`."""
    if method not in METHODS:
        names = ("2012.", "2013.", "2014.", "2015.", "sick")
        return sts_means(dict(zip(names, BY_YEAR[method], strict=True)))
    column = 1 + METHODS.index(method)
    lines = [line.split() for line in BY_SET.strip().splitlines()]
    scores = {line[0]: float(line[column]) for line in lines if line[0] != "2013.SMT"}
    return {**scores, **sts_means(scores)}


def mean_of_sets(
    means: Mapping[str, float], columns: Sequence[str] = tuple(N_SETS)
) -> float:
    """The mean over all data sets (without SMT), from those of years and SICK."""
    values = [means[column] for column in columns]
    return float(np.average(values, weights=[N_SETS[column] for column in columns]))


def label(method: str) -> str:
    """What a row of published scores is called."""
    known = method in METHODS or method.startswith("CSE")
    return f"published, {method}{'' if known else WITH_SMT}"
