"""Semantic search."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import os
from collections.abc import Callable
from threading import RLock
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import HasMethods, check_int, check_real, fit_context
from skparaphrase._estimator import store_parameters
from skparaphrase._frames import without_masks
from skparaphrase._math import UnitVectors
from skparaphrase._nearest import Rows
from skparaphrase._typing import Encoder, Index, Texts
from skparaphrase.search._base import (
    TextComparer,
    embed,
    fitted_encoder,
    fitted_lexical,
    read_words,
)
from skparaphrase.search._columns import (
    Column,
    Columns,
    Given,
    as_list,
    first_free_id,
    group_codes,
    read_columns,
    read_queries,
)
from skparaphrase.search._hits import make_hits
from skparaphrase.search._state import (
    Mask,
    State,
    best_of_groups,
    make_block,
    with_index,
)


class SemanticSearch(TextComparer):
    """Find the texts whose vectors have the largest cosine with that of a query.

    Texts can be added, replaced and removed, and a search can be limited to some of
    them. Several threads may search and update at once: each call uses the texts of one
    moment.

    Parameters
    ----------
    encoder : transformer, default=None
        Maps texts to vectors. None is :func:`skparaphrase.load_pretrained`. A fitted
        encoder is used as it is; any other is cloned and fitted to the texts. In a grid
        search, put a fitted one in a :class:`~sklearn.frozen.FrozenEstimator`.
    neighbors : estimator, default=None
        An index, unfitted: any estimator with `fit` and `kneighbors`, such as
        :class:`~sklearn.neighbors.NearestNeighbors` or an approximate one of another
        library (:ref:`many_texts`). It is fitted to unit vectors, for which Euclidean
        distance and cosine give the same order (but for texts without a known word,
        whose vectors are zero). None compares with all texts: exact, in blocks of
        bounded memory. Not with `lexical`.
    lexical : vectorizer or "char_wb", default=None
        Compares the texts by their words, too: a vectorizer with sparse output, such as
        :class:`~sklearn.feature_extraction.text.TfidfVectorizer`. "char_wb" is
        ``TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)``,
        which finds names, codes, sizes and word forms, and takes some 1,100 bytes for a
        sentence; ``TfidfVectorizer()`` takes 90. It is fitted like `encoder`; its
        vectors are scaled to length 1.
    lexical_weight : float, default=0.5
        The score of a text is `1 - lexical_weight` times the cosine of the vectors plus
        `lexical_weight` times the cosine of the words. It can be changed after `fit`.

    Attributes
    ----------
    encoder_ : transformer
        The fitted encoder.
    lexical_ : vectorizer or None
        The fitted `lexical`.
    ids_ : ndarray of shape (n_texts,)
        The ids of the texts.
    texts_ : ndarray of shape (n_texts,), dtype object, or None
        None if vectors were given without texts.
    vectors_ : ndarray of shape (n_texts, dim), float32
        The unit vectors of the texts; zero for a text without a known word.
    neighbors_ : estimator or None
        The fitted `neighbors` of the first block of texts, if it has one; see Notes.
    payload_ : dict of str to ndarray of shape (n_texts,)
        The columns of the payload: int64, float64, bool, or object for all else.

    See Also
    --------
    ParaphraseMiner : The most similar pairs among many texts.
    skparaphrase.metrics.RetrievalScorer : How well an encoder ranks.

    Notes
    -----
    Texts that are added make blocks, and blocks are joined, so that there are never
    many: adding, replacing or removing a text takes 0.3 ms among a million. The first
    search reads all vectors once, in a second for a million. With `neighbors`, each
    block of at least 1,024 texts has an index, and the texts of others are compared one
    by one. Removed texts stay in their block and are skipped, until half of all are
    gone.

    Examples
    --------
    >>> from skparaphrase.search import SemanticSearch
    >>> texts = ["Where is my parcel?", "I want my money back.", "Do you sell bikes?"]
    >>> search = SemanticSearch().fit(texts)
    >>> hits = search.search("The package has not arrived.", k=2)
    >>> print(hits.text[0, 0])
    Where is my parcel?
    """

    _state: State

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TextComparer._parameter_constraints,
        "neighbors": [HasMethods(["fit", "kneighbors"]), None],
    }

    def __init__(
        self,
        encoder: Encoder | None = None,
        neighbors: Index | None = None,
        *,
        lexical: Any = None,
        lexical_weight: float = 0.5,
    ) -> None:
        store_parameters(self, locals())

    @property
    def encoder_(self) -> Encoder:
        """The fitted encoder."""
        return self._state.encoder

    @property
    def lexical_(self) -> Any:
        """The fitted vectorizer of words, or None."""
        return self._state.lexical

    @property
    def ids_(self) -> Column:
        """The ids of the texts."""
        return self._state.column("id")

    @property
    def texts_(self) -> Column | None:
        """The texts, if there are any."""
        state = self._state
        return state.column("text") if "text" in state.names else None

    @property
    def vectors_(self) -> UnitVectors:
        """The unit vectors of the texts."""
        return self._state.column("vector")

    @property
    def payload_(self) -> Columns:
        """The columns of the payload."""
        state = self._state  # one moment, whatever other threads do
        names = [name for name in state.names if name not in ("id", "text")]
        return {name: state.column(name) for name in names}

    @property
    def neighbors_(self) -> Index | None:
        """The fitted index, or None."""
        return self._state.blocks[0].index

    def __len__(self) -> int:
        check_is_fitted(self)
        return len(self._state)

    def __sklearn_is_fitted__(self) -> bool:
        return "_state" in vars(self)

    @property
    def _lock(self) -> Any:
        """Held by updates of this process, and not by its parent at a fork."""
        return self.__dict__.setdefault(f"_lock_{os.getpid()}", RLock())

    def __getstate__(self) -> dict[str, Any]:
        kept = {k: v for k, v in vars(self).items() if not k.startswith("_lock_")}
        if kept.pop("_state", None) is None:
            return kept
        with self._lock:  # The next one need not join blocks, nor build an index.
            self._state = self._state.compacted(self.neighbors)
            return kept | self._state.attributes()

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        attributes = dict(attributes)
        if "ids_" in attributes:
            attributes["_state"] = State.of(attributes)
        self.__dict__.update(attributes)

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Texts,
        y: object = None,
        *,
        ids: ArrayLike | None = None,
        vectors: ArrayLike | None = None,
        payload: Any = None,
    ) -> Self:
        """Embed the texts that are searched.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,), or ndarray of shape (n_texts, dim)
            Texts, or their vectors alone.
        y : ignored
        ids : array-like of shape (n_texts,), default=None
            Distinct names of the texts: integers, strings or any other hashable values
            (of which :meth:`save` takes integers, floats and strings).
            None takes the index of a pandas Series or frame if it is distinct, and
            positions from 0 otherwise.
        vectors : ndarray of shape (n_texts, dim), default=None
            The vectors of texts that the encoder has embedded already, such as the file
            that :func:`~skparaphrase.io.transform_to_file` has written. They may have
            any length. A float32 array whose vectors have length 1 is not copied, and
            may be memory-mapped.
        payload : frame, dict of columns, or list of dicts, default=None
            Other columns that hits contain, with a value for each text, in order (of
            which :meth:`save` takes numbers, strings, booleans, None and lists of
            these).

        Returns
        -------
        self : SemanticSearch
        """
        with self._lock:
            columns = read_columns((X, ids, vectors, payload), 0)
            texts: Any = columns.get("text")
            if self.lexical is not None and self.neighbors is not None:
                raise ValueError(
                    "lexical and neighbors exclude each other: an index finds texts by "
                    "their vectors alone. Leave one of them out."
                )
            if self.lexical is not None and texts is None:
                raise ValueError("lexical needs texts; X holds vectors alone.")
            encoder = fitted_encoder(self.encoder, texts)
            lexical = fitted_lexical(self.lexical, encoder, texts)
            block = with_index(make_block(encoder, lexical, columns), self.neighbors)
            living = np.ones(len(block), dtype=bool)
            next_id = first_free_id(columns["id"], 0)
            self._state = State(encoder, lexical, (block,), living, next_id)
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(
        self,
        X: Texts,
        y: object = None,
        *,
        ids: ArrayLike | None = None,
        vectors: ArrayLike | None = None,
        payload: Any = None,
    ) -> Self:
        """Add texts. The encoder stays.

        The payload has the same columns as before. Positions continue after the largest
        id that there has been, also where a Series has the default index.

        Parameters
        ----------
        X, y, ids, vectors, payload
            As in :meth:`fit`.

        Returns
        -------
        self : SemanticSearch

        Raises
        ------
        ValueError
            If there is a text with an id already; :meth:`upsert` replaces it.
        """
        return self._put((X, ids, vectors, payload), replace=False)

    def upsert(
        self,
        X: Texts,
        *,
        ids: ArrayLike | None = None,
        vectors: ArrayLike | None = None,
        payload: Any = None,
    ) -> Self:
        """Add texts, or replace those with the same ids.

        A text that is replaced moves to the end. A Series with the default index needs
        `ids`.

        Parameters
        ----------
        X, ids, vectors, payload
            As in :meth:`partial_fit`.

        Returns
        -------
        self : SemanticSearch
        """
        return self._put((X, ids, vectors, payload), replace=True)

    def _put(self, given: Given, replace: bool) -> Self:
        with self._lock:
            if "_state" not in vars(self):
                X, ids, vectors, payload = given
                return self.fit(X, ids=ids, vectors=vectors, payload=payload)
            state = self._state
            new = read_columns(given, state.next_id, () if replace else state, replace)
            if not len(new["id"]):
                return self
            has, gets = {*state.names}, {*new} - {"vector"}
            if len(state) and has != gets:
                raise ValueError(
                    f"The search has the columns {sorted(has)}, and the new rows "
                    f"{sorted(gets)}; give the same."
                )
            block = make_block(state.encoder, state.lexical, new)
            _check_width(block.columns["vector"], state)
            self._state = state.put(block, self.neighbors)
        return self

    def remove(self, ids: ArrayLike) -> Self:
        """Remove texts. Those that stay keep their ids.

        Ids of removed texts are given to no others.

        Parameters
        ----------
        ids : array-like of shape (n_removed,), or a single id
            A tuple is a list of ids; pass `[("a", 1)]` to remove the id `("a", 1)`.

        Returns
        -------
        self : SemanticSearch

        Raises
        ------
        KeyError
            If there is no text with an id.
        """
        check_is_fitted(self)
        asked = as_list(ids)
        if any(isinstance(name, (bool, np.bool_)) for name in asked):
            raise TypeError("remove takes ids, not a mask; pass ids_[mask].")
        with self._lock:
            rows = [self._state.find(name) for name in asked]
            if None in rows:
                name = asked[rows.index(None)]
                raise KeyError(f"There is no text with the id {name!r}.")
            self._state = self._state.remove(rows, self.neighbors)
        return self

    def search(
        self,
        queries: Texts,
        k: int = 10,
        *,
        mask: ArrayLike | Callable[[Columns], ArrayLike] | None = None,
        threshold: float | None = None,
        groups: ArrayLike | None = None,
        as_frame: bool = False,
    ) -> Any:
        """Find the most similar texts for each query.

        Parameters
        ----------
        queries : str, array-like of str of shape (n_queries,), or ndarray
            Texts, or their vectors, shape (n_queries, dim) or (dim,).
        k : int, default=10
            Number of texts for each query; all of them if there are fewer.
        mask : callable or array-like of bool of shape (n_texts,), default=None
            The texts to search, by position. A callable gets the columns by name: "id",
            "text" and those of the payload, and returns such an array:
            ``lambda columns: columns["price"] < 10``. If other threads update the
            search, only a callable knows the positions. These searches are exact, also
            with `neighbors`.
        threshold : float, default=None
            Leave out hits with a smaller score. There are as many columns as the query
            with the most hits has; empty places have row -1, score nan, and None for
            all else.
        groups : str or array-like of shape (n_texts,), default=None
            Only the best hit of each group counts, such as the best passage of a
            document: there are hits of `k` groups. The name of a column of the payload,
            or groups by position; after a removal, those of positions from 0 are
            `groups[ids_]`. Missing values are one group. These searches are exact, too.
        as_frame : bool, default=False
            Return a frame of pandas.

        Returns
        -------
        hits : Hits or DataFrame
            The most similar text first; scores that differ only by rounding are in any
            order. A frame has a line for each hit, and one with missing values for a
            query without hits. Its index is that of the queries, if these are a Series,
            and else their positions; its columns are `query_row`, `query`, `id`, `row`,
            `text`, those of the payload, and `score`.
            Hits are a Bunch, which is displayed as a table, with the fields

            - query_id : pandas index of shape (n_queries,) if the queries are a Series,
              and else an ndarray of positions
            - query : ndarray of shape (n_queries,), dtype object; of vectors, positions
            - id : ndarray of shape (n_queries, k)
            - row : ndarray of int of shape (n_queries, k), the position in `texts_`
            - text : ndarray of shape (n_queries, k), dtype object, if there are texts
            - each column of the payload : ndarray of shape (n_queries, k)
            - score : ndarray of shape (n_queries, k), the cosine; with `lexical`, the
              weighted sum of two cosines
        """
        check_is_fitted(self)
        k, state = check_int(k, "k"), self._state
        if threshold is not None:
            check_real(threshold, "threshold")
        query_id, queries, vectors = read_queries(queries)
        words, weight = None, 0.0
        if state.lexical is not None:
            if vectors is not None:
                raise ValueError("With lexical, queries are texts, not vectors.")
            words = read_words(state.lexical, state.encoder, queries)
            weight = self.lexical_weight  # It may have changed since `fit`.
            check_real(weight, "lexical_weight", min_val=0, max_val=1)
        if vectors is None:
            vectors = embed(state.encoder, queries)
        _check_width(vectors, state)
        if callable(mask):
            mask = mask({name: state.column(name) for name in state.names})
        if mask is not None:
            mask = _check_mask(mask, len(state))
        asked = Rows(vectors, words)
        if groups is None:
            score, row = state.nearest(asked, k, weight, mask)
        else:
            if isinstance(groups, str):
                if groups not in (names := sorted(state.names)):
                    raise ValueError(f"groups={groups!r} is no column of {names}.")
                groups = state.column(groups)
            codes = group_codes(groups)
            check_consistent_length(codes, state.rows)
            searched = np.ones(len(codes), dtype=bool) if mask is None else mask
            score, row = best_of_groups(
                lambda rows, k: state.nearest(asked.take(rows), k, weight, searched),
                len(vectors),
                k,
                np.where(searched, codes, -1),
            )
        hits = make_hits(state, query_id, queries, score, row, threshold)
        return hits.to_frame() if as_frame else hits


def _check_width(vectors: UnitVectors, state: State) -> None:
    dim = state.blocks[0].columns["vector"].shape[1]
    if vectors.shape[1] != dim:
        raise ValueError(
            f"The vectors have {vectors.shape[1]} dimensions, and those that are "
            f"searched {dim}: use the same encoder for both."
        )


def _check_mask(mask: ArrayLike, n: int) -> Mask:
    mask = np.asarray(without_masks(mask))
    if mask.dtype != bool or mask.shape != (n,):
        raise ValueError(
            f"mask must be an array of a bool for each of the {n} texts, such as "
            "np.isin(search.ids_, wanted), or a function that returns one; got shape "
            f"{mask.shape} and dtype {mask.dtype}."
        )
    return mask
