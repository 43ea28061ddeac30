"""Encoders side by side."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import Bunch, Tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from skparaphrase._compat import (
    BaseComposition,
    StrOptions,
    VisualBlock,
    fit_context,
    get_output_config,
    name_estimators,
    routing_enabled,
)
from skparaphrase._docs import DocumentedOnline
from skparaphrase._output import LastAxisTransformer
from skparaphrase.pairs._members import (
    check_floats,
    check_members,
    check_shapes,
    check_weights,
    fit_member,
    identity,
    is_word,
    kept,
    of_one_column,
    root_mean_square,
    set_tags,
    transform_member,
    unit,
)

_Transformers = Sequence[tuple[str, Any]]
_Weights = Mapping[str, float] | ArrayLike | None


class LastAxisUnion(LastAxisTransformer, DocumentedOnline, BaseComposition):
    r"""Vectors of several encoders, side by side on the last axis.

    What :class:`~sklearn.pipeline.FeatureUnion` is for rows, for texts and for pairs:
    members that give vectors of shape (n, d1) and (n, d2), or (n, 2, d1) and
    (n, 2, d2), make vectors of shape (n, d1 + d2), or (n, 2, d1 + d2). Encoders of
    words and of characters err on different texts, and their union is often better
    than either.

    Parameters
    ----------
    transformers : list of tuple (str, transformer)
        Names and members. A member is an encoder, a pipeline that starts with one, or
        any transformer that adds or changes the last axis only. "drop" leaves a member
        out; "passthrough" stands for the input itself, which must then be numbers.

    weights : dict of str to float or array-like of shape (n_members,), default=None
        How much each member counts in the cosine; at least 0. A member that a dict
        does not name, and every member if None, has weight 1. The vectors of a member
        are multiplied by the square root of its weight, so that the inner product of
        two vectors of the union is the weighted sum of the members' inner products.
        May be changed after `fit`.

    scale : {"unit", "rms"} or None, default="unit"
        What the vectors of a member are divided by first. See Notes.

        - "unit": each by its length. Zero vectors stay zero.
        - "rms": all by one number, the root mean square of their lengths in `fit`.
          Long vectors stay longer than short ones, as a linear model may want.
        - None: nothing.

    n_jobs : int, default=None
        Members worked on at a time. None is 1, unless in a
        :func:`joblib.parallel_config` context; -1 is all processors.

    verbose : bool, default=False
        Print the time that the fit of each member took.

    Attributes
    ----------
    transformers_ : list of tuple (str, transformer)
        Fitted clones, without those that are dropped. The clone of a
        :class:`~sklearn.frozen.FrozenEstimator` is itself.

    named_transformers_ : Bunch
        The same by name.

    lengths_ : dict of str to float or None
        With ``scale="rms"``, the root mean square length of each member's vectors.

    n_features_in_ : int
        That of the first member that has one; encoders of texts have none.

    feature_names_in_ : ndarray of str objects
        That of the first member that has them.

    See Also
    --------
    make_last_axis_union : The same without names.
    sklearn.pipeline.FeatureUnion : For results of two dimensions.

    Notes
    -----
    The cosine of two vectors side by side is

    .. math:: \frac{\sum_i w_i \, \langle u_i, v_i \rangle}
              {\sqrt{\sum_i w_i |u_i|^2} \sqrt{\sum_i w_i |v_i|^2}}

    over members :math:`i` of weight :math:`w_i`. With ``scale="unit"``, all
    :math:`|u_i| = |v_i| = 1`, so it is the mean of the members' cosines, weighted
    by :math:`w_i`. Where both texts have a zero vector in a member, it is the mean over
    the other members. With the other scales, a member counts for more in texts whose
    vectors happen to be long, and with None, a member whose vectors are all long drowns
    the others.

    On the STS sets of 2012 to 2014 "unit" did best in every union tried: averages of
    word vectors, SIF or trained, with averages of trained character n-grams or with
    reduced tf-idf of characters, :class:`CommonComponentRemoval
    <skparaphrase.decomposition.CommonComponentRemoval>` behind each, and each scale at
    its best weights. It gained 0.02 to 0.4 points of 100 on "rms", 0.1 to 3.3 on None.
    Removal of one component did better within the members than once behind the
    union, by 0.3 to 1.4 points.

    Sparse results of members, which have two dimensions, make the union sparse.

    Fit parameters go to the members as in `FeatureUnion`: to all, or as requested with
    metadata routing. Those of `transform` are not routed.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from skparaphrase.decomposition import CommonComponentRemoval
    >>> from skparaphrase.encoders import AverageEncoder, SIFEncoder
    >>> from skparaphrase.pairs import LastAxisUnion, PairSimilarity
    >>> pairs = [("A cat sleeps.", "A cat is asleep."), ("It rained.", "Buy bread!")]
    >>> union = LastAxisUnion(
    ...     [
    ...         ("sif", make_pipeline(SIFEncoder(), CommonComponentRemoval())),
    ...         ("average", AverageEncoder()),
    ...     ],
    ...     weights={"average": 0.5},
    ... )
    >>> union.fit_transform(pairs).shape
    (2, 2, 256)
    >>> union.transform(["A cat sleeps."]).shape
    (1, 256)
    >>> first, second = make_pipeline(union, PairSimilarity()).fit(pairs).predict(pairs)
    >>> bool(first > second)
    True
    """

    transformers_: list[tuple[str, Any]]
    lengths_: dict[str, float] | None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "transformers": [list, tuple],
        "weights": [Mapping, "array-like", None],
        "scale": [StrOptions({"unit", "rms"}), None],
        "n_jobs": [int, np.integer, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        transformers: _Transformers,
        *,
        weights: _Weights = None,
        scale: str | None = "unit",
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.transformers = transformers
        self.weights = weights
        self.scale = scale
        self.n_jobs = n_jobs
        self.verbose = verbose

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, and with `deep` the members and theirs, as "name__parameter"."""
        return self._get_params("transformers", deep=deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, members by their names, or parameters of members."""
        self._set_params("transformers", **params)
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Fit every member.

        Parameters
        ----------
        X : array-like
            Whatever all members take; an iterator is read once.

        y : array-like, default=None
            Given to every member.

        **params : dict
            Given to the `fit` of the members.

        Returns
        -------
        self : LastAxisUnion

        Raises
        ------
        ValueError, TypeError
            For names, members or weights that are none. What a member raises has a
            note with its name.
        """
        self._fit("fit", kept(X), y, params)
        return self

    @fit_context(prefer_skip_nested_validation=False)
    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit every member and transform the same input, in one go.

        Parameters
        ----------
        X : array-like
        y : array-like, default=None
        **params : dict
            As for `fit`.

        Returns
        -------
        vectors : ndarray or csr_matrix
            As of `transform`.
        """
        X = kept(X)
        return self._side_by_side(self._fit("fit_transform", X, y, params), X)

    def transform(self, X: Any) -> Any:
        """Vectors of all members, scaled and side by side.

        Parameters
        ----------
        X : array-like
            An iterator is read once.

        Returns
        -------
        vectors : ndarray of shape (..., d1 + d2 + ...)
            A frame if `set_output` asks for one and there are two dimensions; a sparse
            matrix if a member gives one.

        Raises
        ------
        ValueError
            If members differ in the other axes, or if vectors to be scaled are not
            finite.
        """
        check_is_fitted(self)
        X = kept(X)
        results = Parallel(n_jobs=self.n_jobs)(
            delayed(transform_member)(name, member, X)
            for name, member in self.transformers_
        )
        return self._side_by_side(results, X)

    @property
    def named_transformers_(self) -> Bunch:
        """The fitted members by name."""
        return Bunch(**dict(self.transformers_))

    @property
    def n_features_in_(self) -> int:
        """Length of the rows seen in `fit`, where a member knows it."""
        return self._of_first_member("n_features_in_")

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Names of the columns seen in `fit`, where a member knows them."""
        return self._of_first_member("feature_names_in_")

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Names that the members give, behind the name of the member and "__".

        Parameters
        ----------
        input_features : array-like of str, default=None
            Given to the members.

        Returns
        -------
        names : ndarray of str objects
        """
        check_is_fitted(self)
        names = []
        for name, member in self.transformers_:
            if not hasattr(member, "get_feature_names_out"):
                raise AttributeError(
                    f"Member {name!r} ({type(member).__name__}) does not provide "
                    "get_feature_names_out."
                )
            given = member.get_feature_names_out(input_features)
            names += [f"{name}__{feature}" for feature in given]
        return np.asarray(names, dtype=object)

    def get_metadata_routing(self) -> MetadataRouter:
        """Which member gets which fit parameters."""
        router = MetadataRouter(owner=self)
        for name, member in self._members():
            mapping = MethodMapping().add(caller="fit", callee="fit")
            mapping.add(caller="fit_transform", callee="fit_transform")
            mapping.add(caller="fit_transform", callee="fit")
            router.add(**{name: member}, method_mapping=mapping)
        return router

    def _members(self) -> list[tuple[str, Any]]:
        """Names and transformers, without those that are dropped."""
        return [
            (name, identity() if is_word(member, "passthrough") else member)
            for name, member in self.transformers
            if not is_word(member, "drop")
        ]

    def _weights(self) -> dict[str, float]:
        return check_weights(self.weights, [name for name, _ in self.transformers])

    def _fit(self, method: str, X: Any, y: Any, params: dict[str, Any]) -> list[Any]:
        """Fit clones of the members. Their results, where they are needed."""
        check_members(self.transformers)
        self._validate_names([name for name, _ in self.transformers])
        self._weights()
        members = self._members()
        if routing_enabled():
            routed = process_routing(self, method, **params)
        else:
            routed = {
                name: {"fit": params, "fit_transform": params} for name, _ in members
            }
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(fit_member)(
                method,
                name,
                clone(member),
                X,
                y,
                routed[name],
                keep=method == "fit_transform" or self.scale == "rms",
                message=f"({i} of {len(members)}) {name}" if self.verbose else None,
            )
            for i, (name, member) in enumerate(members, 1)
        )
        results = [result for _, result in fitted]
        lengths = None
        if self.scale == "rms":
            lengths = {
                name: root_mean_square(check_floats(name, result))
                for (name, _), result in zip(members, results, strict=True)
            }
        self.lengths_ = lengths
        self.transformers_ = [
            (name, member)
            for (name, _), (member, _) in zip(members, fitted, strict=True)
        ]
        return results

    def _side_by_side(self, results: list[Any], X: Any) -> Any:
        if self.scale == "rms" and self.lengths_ is None:
            raise NotFittedError("scale='rms' needs lengths that only fit computes.")
        names = [name for name, _ in self.transformers_]
        results = [
            result if sparse.issparse(result) else np.asarray(result)
            for result in results
        ]
        check_shapes(names, results)
        weights = self._weights()
        blocks = [
            self._scaled(name, result, weights.get(name, 1.0))
            for name, result in zip(names, results, strict=True)
        ]
        if any(map(sparse.issparse, blocks)):
            if get_output_config("transform", self)["dense"] != "default":
                raise ValueError(
                    "Frames cannot hold the sparse results of members. Reduce them, or "
                    "use set_output(transform='default')."
                )
            return sparse.hstack(blocks).tocsr()
        return self._wrap(np.concatenate(blocks, axis=-1), X)

    def _scaled(self, name: str, result: Any, weight: float) -> Any:
        factor = float(np.sqrt(weight))
        if self.scale is not None:
            result = check_floats(name, result)
        if self.scale == "unit":
            return unit(result, factor)
        if self.scale == "rms":
            assert self.lengths_ is not None
            factor /= self.lengths_[name] or 1.0
        return result if factor == 1 else result * factor

    def _of_first_member(self, attribute: str) -> Any:
        check_is_fitted(self)
        for _, member in self.transformers_:
            if hasattr(member, attribute):
                return getattr(member, attribute)
        raise AttributeError(f"No member of this LastAxisUnion has {attribute}.")

    @property
    def _n_features_out(self) -> int:
        return len(self.get_feature_names_out())

    @property
    def __single_column_transformer__(self) -> bool:
        """For skrub, as of encoders: each text column to a union of its own."""
        if not any(of_one_column(member) for _, member in self.transformers):
            raise AttributeError("No member takes single columns.")
        return True

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "transformers_")

    def _sk_visual_block_(self) -> VisualBlock:
        names, members = zip(*self.transformers, strict=True)
        return VisualBlock("parallel", members, names=names)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        try:
            set_tags(tags, [member for _, member in self._members()])
        except (TypeError, ValueError):  # not tuples; fit says so
            pass
        return tags


def make_last_axis_union(
    *transformers: Any,
    weights: _Weights = None,
    scale: str | None = "unit",
    n_jobs: int | None = None,
    verbose: bool = False,
) -> LastAxisUnion:
    """Make a :class:`LastAxisUnion` of members named after their classes.

    Parameters
    ----------
    *transformers : transformers
        Members of one class are numbered: "pipeline-1", "pipeline-2".

    weights : array-like of shape (n_members,) or dict, default=None
    scale : {"unit", "rms"} or None, default="unit"
    n_jobs : int, default=None
    verbose : bool, default=False
        As of `LastAxisUnion`.

    Returns
    -------
    union : LastAxisUnion

    Examples
    --------
    >>> from skparaphrase.encoders import AverageEncoder, SIFEncoder
    >>> from skparaphrase.pairs import make_last_axis_union
    >>> union = make_last_axis_union(SIFEncoder(), AverageEncoder(), weights=[1, 0.5])
    >>> [name for name, _ in union.transformers]
    ['sifencoder', 'averageencoder']
    """
    return LastAxisUnion(
        name_estimators(transformers),
        weights=weights,
        scale=scale,
        n_jobs=n_jobs,
        verbose=verbose,
    )
