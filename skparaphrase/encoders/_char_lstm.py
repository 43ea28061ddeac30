"""Long short-term memory over characters (charLSTM)."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

from skparaphrase._compat import Interval, StrOptions
from skparaphrase.encoders._character_paraphrase import CharacterSequenceEncoder
from skparaphrase.vectors import WordVectors

if TYPE_CHECKING:
    from skparaphrase.nn import Composition


class CharLSTMEncoder(CharacterSequenceEncoder):
    r"""Last state of a long short-term memory over characters (charLSTM).

    The baseline of Wieting et al. (2016, Charagram): the network of
    :class:`LSTMEncoder` reads the characters of a text, with a space on each side.
    Trained on paraphrases with the loss of :class:`ParagramEncoder`. Defaults are the
    paper's setting for sentences.

    Parameters
    ----------
    embedding_dim : int, default=300
        Length of the character vectors.

    dim : int, default=300
        Length of the vectors.

    output_gate : bool, default=False
        False, the paper's choice for sentences, leaves the output gate out.

    peepholes : {"diagonal", "full"} or None, default="diagonal"
        From the cells to the gates: one weight per cell, as in the paper's code;
        matrices, as in its formulas; or none.

    loss : {"margin", "infonce", "distillation"}, default="margin"
        "margin" is the paper. "infonce", an addition of ours, is the cross-entropy of
        finding the second text of a pair among all second texts of the batch, and the
        first among the first. "distillation", another one, learns the vectors that a
        teacher gives texts, by their cosines: `fit(texts, vectors)`.

    margin : float, default=0.4
        The delta of the margin loss.

    temperature : float, default=0.1
        Divides the cosines in "infonce".

    negatives : {"max", "mix", "random"}, default="max"
        Negative examples of the margin loss: the most similar text of another pair; by
        a fair coin that or a random text; a random text. A random text may be of the
        own pair, as in the paper's code, unless `mask_identical`.

    negative_pool : {"both", "first"}, default="both"
        Negatives come from both texts of the other pairs, as in the paper's code, or
        from the first texts alone, as in its formula.

    mask_identical : bool, default=False
        Do not take a text as negative example whose string is that of the text or of
        its partner. The paper's code does take it.

    positive_from : float, default=None
        Where `y` holds graded scores: pairs with this score or more are paraphrases.

    optimizer : {"adagrad", "adam"}, default="adam"
        With eps inside the root for AdaGrad, as in the paper's code.

    learning_rate : float, default=0.001

    batch_size : int, default=100
        Pairs per step, and so the choice of negatives. A last single pair, which would
        have none, joins the batch before it.

    max_epochs : int, default=10
        Passes over the pairs. 0 leaves the initial parameters.

    clip_norm : float, default=None
        Scale the gradient of each array down to this norm.

    vectors_penalty : float, default=1e-6
        Lambda of the character vectors, which pulls them to zero. With sparse updates
        only those of the batch are pulled.

    composition_penalty : float, default=1e-6
        Lambda_c, which pulls all other parameters, biases included, to zero.

    ordered_first_epoch : bool, default=True
        Take the pairs in the order given in the first epoch (PPDB is sorted by
        confidence), and shuffle from the second.

    sparse_updates : bool, default=True
        Update the vectors of the batch's characters only; Adam's moments of the others
        stand still. False is the paper's code, whose steps cost as much as the table
        is large.

    lowercase : bool, default=True
        Lower-case the texts first.

    init : encoder, default=None
        A fitted encoder of this class whose characters and parameters training starts
        from (cumulative training: phrases, then sentences). In a pipeline or a grid
        search wrap it in :class:`~sklearn.frozen.FrozenEstimator`.

    warm_start : bool, default=False
        Another `fit` goes on from the fitted state, with optimiser and random state,
        for `max_epochs` more epochs.

    device : str, default="auto"
        "cpu", "cuda", or "auto": CUDA where there is one.

    random_state : int, RandomState instance or None, default=None
        Initial parameters, order of pairs and random negatives. The same seed gives the
        same encoder, to the bit, on one CPU with one number of threads.

    verbose : bool or int, default=False
        Print the loss of every epoch. For a progress bar, early stopping or scores see
        `set_callbacks` and :mod:`skparaphrase.callback`.

    Attributes
    ----------
    vectors_ : WordVectors
        The trained vectors; its words are the characters, and "<unk>" for all others.

    parameters_ : dict of str to ndarray
        As in :class:`LSTMEncoder`.

    teacher_axes_ : ndarray of shape (dim_teacher, dim)
        With "distillation", where the teacher has another number of dimensions: the
        map that its vectors went through, `vectors @ teacher_axes_`.

    loss_curve_ : list of float
        Mean loss of a pair in each epoch, without penalty.

    n_epochs_ : int
        Epochs trained.

    Notes
    -----
    `partial_fit` keeps the characters of its first call.

    Settings of :meth:`paper`: "phrases" (tables 3 and 11), "words" (table 1).

    References
    ----------
    J. Wieting, M. Bansal, K. Gimpel, K. Livescu, "Charagram: Embedding Words and
    Sentences via Character n-grams", EMNLP 2016.

    Examples
    --------
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import CharLSTMEncoder
    >>> encoder = CharLSTMEncoder(
    ...     embedding_dim=10, dim=20, max_epochs=1, random_state=0
    ... )
    >>> encoder.fit(load_paraphrases().data).transform(["A cat sleeps."]).shape
    (1, 20)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CharacterSequenceEncoder._parameter_constraints,
        "embedding_dim": [Interval(Integral, 1, None, closed="left")],
        "dim": [Interval(Integral, 1, None, closed="left")],
        "output_gate": ["boolean"],
        "peepholes": [StrOptions({"diagonal", "full"}), None],
    }

    def __init__(
        self,
        *,
        embedding_dim: int = 300,
        dim: int = 300,
        output_gate: bool = False,
        peepholes: str | None = "diagonal",
        loss: str = "margin",
        margin: float = 0.4,
        temperature: float = 0.1,
        negatives: str = "max",
        negative_pool: str = "both",
        mask_identical: bool = False,
        positive_from: float | None = None,
        optimizer: str = "adam",
        learning_rate: float = 0.001,
        batch_size: int = 100,
        max_epochs: int = 10,
        clip_norm: float | None = None,
        vectors_penalty: float = 1e-6,
        composition_penalty: float = 1e-6,
        ordered_first_epoch: bool = True,
        sparse_updates: bool = True,
        lowercase: bool = True,
        init: Any = None,
        warm_start: bool = False,
        device: str = "auto",
        random_state: Any = None,
        verbose: bool | int = False,
    ) -> None:
        super().__init__(
            loss=loss,
            margin=margin,
            temperature=temperature,
            negatives=negatives,
            negative_pool=negative_pool,
            mask_identical=mask_identical,
            positive_from=positive_from,
            optimizer=optimizer,
            learning_rate=learning_rate,
            batch_size=batch_size,
            max_epochs=max_epochs,
            clip_norm=clip_norm,
            vectors_penalty=vectors_penalty,
            composition_penalty=composition_penalty,
            ordered_first_epoch=ordered_first_epoch,
            sparse_updates=sparse_updates,
            lowercase=lowercase,
            init=init,
            warm_start=warm_start,
            device=device,
            random_state=random_state,
            verbose=verbose,
        )
        self.embedding_dim = embedding_dim
        self.dim = dim
        self.output_gate = output_gate
        self.peepholes = peepholes

    def _composition(self, vectors: WordVectors) -> "Composition":
        from skparaphrase.nn import LSTM

        return LSTM(
            vectors.dim,
            self.dim,
            output_gate=self.output_gate,
            peepholes=self.peepholes,
        )
