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
    in_order_of,
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
    """Semantic search: find the texts that are most similar to a query.

    Texts are ranked by the cosine of their vectors with the query's. They can be added,
    replaced and removed, and a search can be limited to some of them. Several threads
    may search and update at the same time: each call uses a consistent snapshot of the
    texts.

    Parameters
    ----------
    encoder : transformer, default=None
        Maps texts to vectors. None is :func:`skparaphrase.load_pretrained`. A fitted
        encoder is used unchanged; an unfitted one is cloned and fitted on the texts. In
        a grid search, wrap a fitted encoder in a
        :class:`~sklearn.frozen.FrozenEstimator`.
    neighbors : estimator, default=None
        An unfitted index: any estimator with `fit` and `kneighbors`, such as
        :class:`~sklearn.neighbors.NearestNeighbors` or an approximate index of another
        library (:ref:`many_texts`). It is fitted on unit vectors, for which Euclidean
        distance and cosine give the same order (except for texts without a known word,
        whose vectors are zero). None compares queries with all texts, exactly and in
        blocks of limited memory. It cannot be combined with `lexical`.
    lexical : vectorizer or "char_wb", default=None
        Also compare the texts by their words, with a vectorizer that has sparse output,
        such as :class:`~sklearn.feature_extraction.text.TfidfVectorizer`. "char_wb" is
        ``TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)``,
        which finds names, codes, sizes and word forms, and takes about 1,100 bytes per
        sentence; ``TfidfVectorizer()`` takes 90. It is fitted like `encoder`, and its
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
        The fitted `neighbors` of the first block of texts, if it has an index; see
        Notes.
    payload_ : dict of str to ndarray of shape (n_texts,)
        The columns of the payload: int64, float64, bool, or object for other types.

    See Also
    --------
    ParaphraseMiner : Finds the most similar pairs among many texts.
    skparaphrase.metrics.RetrievalScorer : Measures how well an encoder ranks.

    Notes
    -----
    Added texts form new blocks, and small blocks are joined: adding, replacing or
    removing a text takes 0.3 ms among a million. The first search reads all vectors
    once, which takes a second for a million. With `neighbors`, each block of at least
    1,024 texts has an index, and texts of smaller blocks are compared one by one.
    Removed texts stay in their block and are skipped, until half of all texts are
    removed.

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
        state = self._state  # one state, whatever other threads do
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
        """The lock of updates in this process; a forked child has its own."""
        return self.__dict__.setdefault(f"_lock_{os.getpid()}", RLock())

    def __getstate__(self) -> dict[str, Any]:
        kept = {k: v for k, v in vars(self).items() if not k.startswith("_lock_")}
        if kept.pop("_state", None) is None:
            return kept
        with self._lock:  # Prepares blocks and index for the next update.
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
        """Embed and store the texts to search.

        Parameters
        ----------
        X : array-like of str of shape (n_texts,), or ndarray of shape (n_texts, dim)
            Texts, or only their vectors.
        y : ignored
        ids : array-like of shape (n_texts,), default=None
            Distinct names of the texts: integers, strings or other hashable values
            (:meth:`save` supports only integers, floats and strings). None takes the
            index of a pandas Series or frame if it is distinct, otherwise positions
            from 0.
        vectors : ndarray of shape (n_texts, dim), default=None
            Vectors that the encoder has already computed for the texts, such as a file
            written by :func:`~skparaphrase.io.transform_to_file`. They may have any
            length. A float32 array whose vectors have length 1 is not copied, and may
            be memory-mapped.
        payload : frame, dict of columns, or list of dicts, default=None
            Other columns to return with hits, with one value per text, in order
            (:meth:`save` supports only numbers, strings, booleans, None and lists of
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
                    "lexical and neighbors exclude each other, because an index "
                    "compares only vectors. Omit one of them."
                )
            if self.lexical is not None and texts is None:
                raise ValueError("lexical needs texts, but X contains only vectors.")
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
        """Add texts, without fitting the encoder again.

        The payload must have the same columns as before. Default ids continue after the
        largest id used so far, even if a Series has the default index.

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
            If an id exists already; :meth:`upsert` replaces its text.
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
        """Add texts, or replace texts with the same ids.

        A replaced text moves to the end. For a Series with the default index, pass
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
                    f"The new rows must have the columns {sorted(has)} of the search; "
                    f"got {sorted(gets)}."
                )
            block = make_block(state.encoder, state.lexical, new)
            _check_width(block.columns["vector"], state)
            self._state = state.put(block, self.neighbors)
        return self

    def remove(self, ids: ArrayLike) -> Self:
        """Remove texts. The other texts keep their ids.

        Ids of removed texts are not used again as default ids.

        Parameters
        ----------
        ids : array-like of shape (n_removed,), or a single id
            A tuple is read as a list of ids; to remove the id ``("a", 1)``, pass
            ``[("a", 1)]``.

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
            raise TypeError("remove expects ids, not a mask; pass ids_[mask].")
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
            Number of texts per query; all texts if there are fewer.
        mask : callable or array-like of bool of shape (n_texts,), default=None
            The texts to search, by position, or by id if it is a pandas Series whose
            index has the ids. A callable gets a dict of columns, "id", "text" and the
            columns of the payload, and returns such an array: ``lambda columns:
            columns["price"] < 10``. Use a callable if other threads update the search,
            because positions may change. These searches are exact, even with
            `neighbors`.
        threshold : float, default=None
            Leave out hits with a smaller score. The number of columns is the largest
            number of hits of a query; empty places have row -1, score NaN, and None in
            other fields.
        groups : str or array-like of shape (n_texts,), default=None
            Return only the best hit of each group, such as the best passage of a
            document, for `k` groups. Pass the name of a column of the payload, the
            group of each position, or a pandas Series whose index has the ids. Missing
            values are one group. These searches are also exact.
        as_frame : bool, default=False
            If True, return a pandas DataFrame.

        Returns
        -------
        hits : Hits or DataFrame
            The most similar text comes first; the order of scores that differ only by
            rounding is arbitrary. A query without a known word has no hits. A frame has
            one line per hit, and one line with missing values for a query without hits.
            Its index is the index of the queries if they are a Series, otherwise their
            positions. Its columns are `query_row`, `query`, `id`, `row`, `text`, the
            columns of the payload, and `score`. Hits are a Bunch that is displayed as a
            table, with the fields

            - query_id : pandas index of shape (n_queries,) if the queries are a Series,
              otherwise an ndarray of positions
            - query : ndarray of shape (n_queries,), dtype object; positions for vectors
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
                raise ValueError("With lexical, queries must be texts, not vectors.")
            words = read_words(state.lexical, state.encoder, queries)
            weight = self.lexical_weight  # The parameter may have changed since `fit`.
            check_real(weight, "lexical_weight", min_val=0, max_val=1)
        if vectors is None:
            vectors = embed(state.encoder, queries)
        _check_width(vectors, state)
        if callable(mask):
            mask = mask({name: state.column(name) for name in state.names})
        if mask is not None:
            mask = _check_mask(mask, state.column("id"))
        asked = Rows(vectors, words)
        if groups is None:
            score, row = state.nearest(asked, k, weight, mask)
        else:
            if isinstance(groups, str):
                if groups not in (names := sorted(state.names)):
                    raise ValueError(f"groups={groups!r}: no such column in {names}.")
                groups = state.column(groups)
            groups = in_order_of(state.column("id"), groups, "groups")
            codes = group_codes(groups)
            check_consistent_length(codes, state.rows)
            searched = np.ones(len(codes), dtype=bool) if mask is None else mask
            score, row = best_of_groups(
                lambda rows, k: state.nearest(asked.take(rows), k, weight, searched),
                len(vectors),
                k,
                np.where(searched, codes, -1),
            )
        is_blank = ~vectors.any(axis=1)  # no word is known, and none is found
        if words is not None:
            is_blank &= np.diff(words.indptr) == 0
        score[is_blank] = -np.inf
        hits = make_hits(state, query_id, queries, score, row, threshold)
        return hits.to_frame() if as_frame else hits


def _check_width(vectors: UnitVectors, state: State) -> None:
    dim = state.blocks[0].columns["vector"].shape[1]
    if vectors.shape[1] != dim:
        raise ValueError(
            f"The vectors have {vectors.shape[1]} dimensions, but the searched vectors "
            f"have {dim}: use the same encoder for both."
        )


def _check_mask(mask: ArrayLike, ids: Column) -> Mask:
    mask, n = np.asarray(without_masks(in_order_of(ids, mask, "mask"))), len(ids)
    if mask.dtype != bool or mask.shape != (n,):
        raise ValueError(
            f"mask must be a boolean array of length {n}, such as "
            "np.isin(search.ids_, wanted), or a function that returns one; got shape "
            f"{mask.shape} and dtype {mask.dtype}."
        )
    return mask
