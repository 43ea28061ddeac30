"""Models that are saved while they train."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from os import PathLike
from typing import Any

from skparaphrase._threads import process_rank


class Checkpoint:
    """Save a model to a folder while it trains, to resume if the fit is interrupted.

    To resume, load the model, set `warm_start=True` and `max_epochs` to the number of
    epochs that are left, and call `fit`. The attribute `n_epochs_` counts those that
    are done.

    Parameters
    ----------
    folder : path-like
        Always holds a complete model, for :func:`skparaphrase.load`: that of the last
        epoch that was saved.
    every_n_epochs : int, default=1
        Save after each multiple of this number of epochs.

    Raises
    ------
    TypeError
        By `fit`, of an estimator that is not trained by epochs.
    ValueError
        By `fit`, if the folder holds something else, or if a parameter cannot be saved
        (see the method `save` of the model).

    See Also
    --------
    ScoreMonitor : Score an encoder after every epoch.

    Notes
    -----
    The folder holds what `save` does, and so neither the state of the optimizer nor
    random states. Training that is resumed therefore is not bit-identical to training
    that was not interrupted: the moments of the optimizer start from zero, the order of
    examples is drawn anew, and a linear schedule starts again. With
    an int as `random_state`, the same examples are held out for validation.

    With validation, the folder holds the last epoch, and not the best one so far.

    Saving takes the time of `save` after each epoch. If `torchrun` has started several
    processes, the first one saves. Fits of a grid search share their callbacks, and
    would overwrite each other's folder. `partial_fit` calls no callbacks.

    Examples
    --------
    >>> import tempfile
    >>> import skparaphrase
    >>> from skparaphrase.callback import Checkpoint
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ParagramEncoder
    >>> pairs = load_paraphrases().data
    >>> encoder = ParagramEncoder(max_epochs=2, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     encoder = encoder.set_callbacks(Checkpoint(f"{folder}/run")).fit(pairs)
    ...     resumed = skparaphrase.load(f"{folder}/run")
    >>> n_left = 5 - resumed.n_epochs_
    >>> resumed.set_params(warm_start=True, max_epochs=n_left).fit(pairs).n_epochs_
    5
    """

    def __init__(self, folder: str | PathLike[str], *, every_n_epochs: int = 1) -> None:
        if every_n_epochs < 1:
            raise ValueError(
                f"every_n_epochs must be at least 1; got {every_n_epochs}."
            )
        self.folder = folder
        self.every_n_epochs = every_n_epochs

    def setup(self, estimator: Any, context: Any) -> None:
        """Refuse estimators that are not trained by epochs."""
        if not hasattr(estimator, "save"):
            raise TypeError(
                f"{type(estimator).__name__} is not trained by epochs: set the "
                "Checkpoint on the model of skparaphrase inside it."
            )

    def teardown(self, estimator: Any, context: Any) -> None:
        """Do nothing."""

    on_fit_task_begin = teardown

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, fitted_estimator: Any = None
    ) -> bool:
        """Save after an epoch."""
        if context.task_name == "epoch" and process_rank() == 0:
            if fitted_estimator.n_epochs_ % self.every_n_epochs == 0:
                fitted_estimator.save(self.folder)
        return False
