"""Checkpoints, from which a fit that was killed is resumed."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from skparaphrase._threads import process_rank
from skparaphrase.callback._identity import (
    Identity,
    differences,
    fingerprint,
    fit_identity,
)
from skparaphrase.storage._checkpoints import (
    CheckpointFolder,
    read_checkpoint,
    read_seed,
)


class Checkpoint:
    """Write the state of training to a folder, and resume a fit that was killed.

    Run the same script again with the same parameters and data: `fit` finds the
    checkpoint, trains the remaining epochs, and gives bit-identical results (on the
    same kind of machine, with the same number of threads): vectors, parameters, losses,
    validation scores and best epoch. If all epochs are done, it returns at once, so
    that a script of many fits can simply be run again.

    Parameters
    ----------
    folder : path-like
        Used by this fit only, and created if necessary.
    every_n_epochs : int, default=1
        Epochs from one checkpoint to the next. The last epoch is always written.
    subfolders : bool, default=False
        True gives each fit its own folder inside `folder`, named by a digest of
        parameters and data: for the fits of a grid search or of cross-validation, which
        share their callbacks. They stay until you delete them.

    See Also
    --------
    EarlyStopping : Keep the best epoch.
    skparaphrase.load : Load a fitted model, without the state of training.

    Notes
    -----
    `folder` holds one folder "epoch-N": JSON, and arrays in safetensors, no pickle.
    It contains the trained arrays, the moments of the optimizer, random states, losses,
    and the best epoch if validation keeps one: two to four times the size of the
    vectors. It is written when the next epoch begins, or when the fit ends. It appears
    whole or not at all, and only then is the previous one deleted, so that there is a
    complete checkpoint after a kill at any moment, or when the disk is full, which ends
    `fit` with an OSError.

    A checkpoint of other parameters or data is never overwritten: `fit` raises a
    ValueError that names the differences. `max_epochs` may be raised to train longer
    (not with a linear schedule); `device` and `verbose` may change. With `warm_start`,
    the state that `fit` starts from must be the same as well: use one folder for each
    call of `fit`. With `random_state=None` the checkpoint remembers the seed.

    Where `torchrun` has started several processes, one of them writes, and all must see
    the folder.

    :class:`ScoreMonitor` and :class:`EarlyStopping` resume with the scores so far;
    other callbacks see the remaining epochs. A fit that a callback stopped stays
    stopped. `partial_fit` writes no checkpoints.

    Examples
    --------
    >>> import tempfile
    >>> from skparaphrase.callback import Checkpoint
    >>> from skparaphrase.datasets import load_paraphrases
    >>> from skparaphrase.encoders import ParagramEncoder
    >>> pairs = load_paraphrases().data
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     encoder = ParagramEncoder(max_epochs=2, random_state=0)
    ...     encoder = encoder.set_callbacks(Checkpoint(folder)).fit(pairs)
    ...     again = ParagramEncoder(max_epochs=3, random_state=0)
    ...     again = again.set_callbacks(Checkpoint(folder)).fit(pairs)  # one more epoch
    >>> again.loss_curve_[:2] == encoder.loss_curve_, again.n_epochs_
    (True, 3)
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        *,
        every_n_epochs: int = 1,
        subfolders: bool = False,
    ) -> None:
        if every_n_epochs < 1:
            raise ValueError(
                f"every_n_epochs must be at least 1; got {every_n_epochs}."
            )
        self.folder = folder
        self.every_n_epochs = every_n_epochs
        self.subfolders = subfolders
        self._fits: dict[int, _Fit] = {}  # that run now, by `id` of the estimator

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_fits": {}}

    def setup(self, estimator: Any, context: Any) -> None:
        """Check that there is one Checkpoint.

        Parameters
        ----------
        estimator : estimator
            The model that is fitted.
        context : CallbackContext
            Provided by scikit-learn.
        """
        callbacks = getattr(estimator, "_skl_callbacks", [])
        if sum(isinstance(each, Checkpoint) for each in callbacks) > 1:
            raise ValueError("A fit can have only one Checkpoint; got several.")

    def teardown(self, estimator: Any, context: Any) -> None:
        """Unlock the folder.

        Parameters
        ----------
        estimator : estimator
            The model that is fitted.
        context : CallbackContext
            Provided by scikit-learn.
        """
        fit = self._fits.pop(id(estimator), None)
        if fit is not None:
            fit.folder.close()

    def on_fit_task_begin(
        self, estimator: Any, context: Any, *, metadata: Any = None
    ) -> None:
        """Resume at the beginning of a fit; write at the beginning of an epoch.

        Parameters
        ----------
        estimator : estimator
            The model that is fitted.
        context : CallbackContext
            Provided by scikit-learn.
        metadata : dict, default=None
            The running fit, as "training".

        Raises
        ------
        TypeError
            For an estimator that is not trained by epochs.
        ValueError
            If the folder is in use, or holds a checkpoint of another fit.
        """
        training = (metadata or {}).get("training")
        if training is None:
            raise TypeError(
                f"{type(estimator).__name__} is not trained by epochs: set the "
                "Checkpoint on a model of skparaphrase that is."
            )
        if context.task_name != "epoch":
            self._resume(estimator, training)
        elif training.n_epochs % self.every_n_epochs == 0:
            self._write(estimator, training)

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, metadata: Any = None
    ) -> bool:
        """Write at the end of the fit.

        Parameters
        ----------
        estimator : estimator
            The model that is fitted.
        context : CallbackContext
            Provided by scikit-learn.
        metadata : dict, default=None
            The running fit, as "training".

        Returns
        -------
        stop : bool
            Always False.
        """
        if context.task_name != "epoch":
            self._write(estimator, metadata["training"])
        return False

    def _stored_seed(self, seed: int) -> int:
        """The seed of the fit whose checkpoint is there, or the new one."""
        if self.subfolders:
            raise ValueError(
                "Checkpoint(..., subfolders=True) identifies fits by their parameters: "
                "set random_state to an int."
            )
        path = CheckpointFolder(Path(self.folder), writes=False).newest()
        return seed if path is None else read_seed(path)

    def _resume(self, estimator: Any, training: Any) -> None:
        identity = fit_identity(estimator, training.data)
        place = Path(self.folder)
        if self.subfolders:
            place /= f"{type(estimator).__name__}-{fingerprint(identity)}"
        writes = process_rank() == 0
        fit = _Fit(CheckpointFolder(place, writes=writes), identity)
        self._fits[id(estimator)] = fit
        path = fit.folder.newest()
        if path is None:
            return
        before, state = read_checkpoint(path)
        found = differences(before, identity)
        fit.n_written = state["training"]["n_epochs"]
        if not found and fit.n_written > estimator.max_epochs:
            n_epochs = estimator.max_epochs
            found = [f"it has {fit.n_written} epochs, but max_epochs={n_epochs}"]
        if found:
            raise ValueError(
                f"The checkpoint {path} was written by a different fit: "
                f"{'; '.join(found)}. Use another folder, or delete this one to train "
                "from the beginning."
            )
        try:
            training.load_state_dict(state["training"])
            for name, callback in _callbacks(estimator):
                if name in state["callbacks"]:
                    callback.load_state_dict(state["callbacks"][name], training)
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            raise ValueError(
                f"The checkpoint {path} is damaged: {error!r}. Delete it to start "
                "training again."
            ) from error
        if writes:
            fit.folder.keep_only(path)

    def _write(self, estimator: Any, training: Any) -> None:
        fit = self._fits[id(estimator)]
        if training.n_epochs == fit.n_written or process_rank() != 0:
            return
        state = {
            "seed": estimator._seed,
            "training": training.state_dict(),
            "callbacks": {
                name: callback.state_dict() for name, callback in _callbacks(estimator)
            },
        }
        fit.folder.write(training.n_epochs, fit.identity, state)
        fit.n_written = training.n_epochs


@dataclass
class _Fit:
    """A fit that writes checkpoints."""

    folder: CheckpointFolder
    identity: Identity
    n_written: int = 0  # epochs


def _callbacks(estimator: Any) -> Iterator[tuple[str, Any]]:
    """Callbacks that remember, with names that tell them apart."""
    seen: Counter[str] = Counter()
    for callback in getattr(estimator, "_skl_callbacks", []):
        name = type(callback).__name__
        if hasattr(callback, "state_dict"):
            yield f"{name}-{seen[name]}", callback
            seen[name] += 1
