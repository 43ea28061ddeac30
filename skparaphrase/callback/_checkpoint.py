"""Checkpoints, from which an interrupted fit resumes."""

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
    """Write the state of training to a folder, and resume an interrupted fit.

    To resume, run the same script again with the same parameters and data. `fit` finds
    the checkpoint and trains the remaining epochs. The results are bit-identical to
    those of an uninterrupted fit (on the same kind of machine, with the same number of
    threads). If all epochs are done, `fit` returns at once, so that a script with many
    fits can simply be run again.

    Parameters
    ----------
    folder : path-like
        Created if necessary. Only one fit can use it.
    every_n_epochs : int, default=1
        Number of epochs between checkpoints. The last epoch is always written.
    subfolders : bool, default=False
        If True, each fit has its own folder inside `folder`, named after a hash of
        parameters and data. Use it for a grid search or cross-validation, whose fits
        share their callbacks. The folders are kept until you delete them.

    Raises
    ------
    TypeError
        By `fit`, of an estimator that is not trained by epochs.
    ValueError
        By `fit`, if the folder is in use, or has a checkpoint of a different fit.

    See Also
    --------
    EarlyStopping : Keep the best epoch.
    skparaphrase.load : Load a fitted model, without the state of training.

    Notes
    -----
    `folder` contains one folder "epoch-N" with JSON and arrays, and no pickle: the
    trained arrays, the moments of the optimizer, random states, losses, and the best
    epoch if there is validation. It is two to four times as large as the vectors. It is
    written at the beginning of the next epoch, or at the end of the fit. The previous
    checkpoint is deleted only when the new one is complete, so there is a complete
    checkpoint after a kill at any moment. If the disk is full, `fit` raises an OSError,
    and the previous checkpoint is kept.

    A checkpoint of other parameters or data is never overwritten: `fit` raises a
    ValueError that names the differences. You may increase `max_epochs` to train longer
    (except with a linear schedule), and change `device` and `verbose`. With
    `warm_start`, the state from which `fit` starts must be the same as well: use one
    folder for each call of `fit`. With `random_state=None`, the checkpoint stores the
    seed.

    If `torchrun` has started several processes, one of them writes, and all must have
    access to the folder.

    :class:`ScoreMonitor` and :class:`EarlyStopping` resume with their scores; other
    callbacks see only the remaining epochs. A fit that was stopped by a callback stays
    stopped. `partial_fit` does not write checkpoints.

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
        self._fits: dict[int, _Fit] = {}  # running ones, by `id` of the estimator

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_fits": {}}

    def setup(self, estimator: Any, context: Any) -> None:
        """Give the model the seed of a checkpoint, if it has no `random_state`."""
        callbacks = getattr(estimator, "_skl_callbacks", [])
        if sum(isinstance(each, Checkpoint) for each in callbacks) > 1:
            raise ValueError("A fit can have only one Checkpoint; got several.")
        if getattr(estimator, "random_state", 0) is not None:
            return
        if self.subfolders:
            raise ValueError(
                "Checkpoint(..., subfolders=True) identifies fits by their parameters: "
                "set random_state to an int."
            )
        path = CheckpointFolder(Path(self.folder), writes=False).newest()
        if path is not None:
            estimator._resumed_seed = read_seed(path)

    def teardown(self, estimator: Any, context: Any) -> None:
        """Unlock the folder."""
        estimator.__dict__.pop("_resumed_seed", None)  # of a fit that has not begun
        fit = self._fits.pop(id(estimator), None)
        if fit is not None:
            fit.folder.close()

    def on_fit_task_begin(
        self, estimator: Any, context: Any, *, metadata: Any = None
    ) -> None:
        """Resume at the beginning of the fit; write at the beginning of an epoch."""
        training = (metadata or {}).get("training")
        if training is None:
            raise TypeError(
                f"{type(estimator).__name__} is not trained by epochs: set the "
                "Checkpoint on the model of skparaphrase inside it."
            )
        if context.task_name != "epoch":
            self._resume(estimator, training)
        elif training.n_epochs % self.every_n_epochs == 0:
            self._write(estimator, training)

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, metadata: Any = None
    ) -> bool:
        """Write at the end of the fit."""
        if context.task_name != "epoch":
            self._write(estimator, metadata["training"])
        return False

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
    """The callbacks that have a state, by unique names."""
    seen: Counter[str] = Counter()
    for callback in getattr(estimator, "_skl_callbacks", []):
        name = type(callback).__name__
        if hasattr(callback, "state_dict"):
            yield f"{name}-{seen[name]}", callback
            seen[name] += 1
