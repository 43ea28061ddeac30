"""Checkpoints, from which a fit that was killed goes on."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from skparaphrase._threads import process_rank
from skparaphrase.callback._folder import (
    CheckpointFolder,
    read_arrays,
    read_content,
)
from skparaphrase.callback._identity import differences, digest, fit_identity
from skparaphrase.callback._snapshot import State, capture, restore


class Checkpoint:
    """Write the state of training to a folder; a fit that was killed goes on from it.

    Run the same script again, with the same parameters and data: `fit` finds the
    checkpoint, trains the epochs that are left, and ends with the same bits as if
    nothing had happened (on the same kind of machine, with as many threads): vectors,
    parameters, losses, scores of validation, best epoch. Where all epochs are done it
    returns at once, so that a script of many fits can simply be run again.

    Parameters
    ----------
    folder : path-like
        Of this fit alone. It is made if there is none.

    every : int, default=1
        Epochs from one checkpoint to the next. The last epoch is always written.

    subfolders : bool, default=False
        True gives each fit a folder of its own in `folder`, named by a digest of
        parameters and data: for the fits of a grid search or of cross-validation, which
        share their callbacks. They stay until you delete them.

    See Also
    --------
    EarlyStopping : Keep the best epoch.
    skparaphrase.load : Read what `save` wrote: a model without the state of training.

    Notes
    -----
    In `folder` there is one folder "epoch-N": JSON and arrays in safetensors, no
    pickle. It holds what is trained, what the optimiser remembers, random states,
    losses, and the best epoch if validation keeps one: two or three times the table of
    vectors, with Adam three or four times. It appears whole or not at all, and only
    then the one before it is deleted, so that a kill at any moment leaves one that is
    whole; so does a full disk, which ends `fit` with an OSError.

    A checkpoint of other parameters or other data is never overwritten: `fit` raises a
    ValueError that says what differs. `max_epochs` may be raised, to train on (not with
    `schedule="linear"`); `device` and `verbose` may change. With `warm_start`, the
    state that a `fit` goes on from is part of what must be the same: each of several
    calls of `fit` needs a folder of its own, and after Ctrl-C a clone goes on from the
    checkpoint. `random_state=None` is fine: the checkpoint remembers the seed.

    Where `torchrun` has started several processes, one of them writes, and all must see
    the folder.

    :class:`ScoreMonitor` and :class:`EarlyStopping` go on from what they knew; other
    callbacks see the epochs that are left. A fit that a callback has stopped stays
    stopped, whatever callbacks it has now. `partial_fit` writes no checkpoints.

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
        every: int = 1,
        subfolders: bool = False,
    ) -> None:
        if every < 1:
            raise ValueError(f"every must be at least 1; got {every}.")
        self.folder = folder
        self.every = every
        self.subfolders = subfolders

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing to do: `fit` itself hands over the state of training.

        Parameters
        ----------
        estimator : estimator
            The model that trains.

        context : CallbackContext
            Which task begins or ends; scikit-learn makes it.

        Raises
        ------
        TypeError
            For an estimator that does not train by epochs.
        """
        if not hasattr(estimator, "_open_run"):
            raise TypeError(
                f"{type(estimator).__name__} does not train by epochs: set the "
                "Checkpoint on the model of skparaphrase that does."
            )

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing to do.

        Parameters
        ----------
        estimator : estimator
            The model that trains.

        context : CallbackContext
            Which task begins or ends; scikit-learn makes it.
        """

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Nothing to do.

        Parameters
        ----------
        estimator : estimator
            The model that trains.

        context : CallbackContext
            Which task begins or ends; scikit-learn makes it.
        """

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """Nothing to do; a checkpoint is written after all callbacks.

        Parameters
        ----------
        estimator : estimator
            The model that trains.

        context : CallbackContext
            Which task ends; scikit-learn makes it.

        Returns
        -------
        stop : bool
            False, so that training goes on.
        """
        return False

    def _seed(self, new: int) -> int:
        """The seed of the fit whose checkpoint is there, or a new one."""
        if self.subfolders:
            raise ValueError(
                "Checkpoint(..., subfolders=True) knows fits by their parameters: set "
                "random_state to an integer."
            )
        path = CheckpointFolder(Path(self.folder), writes=False).newest()
        found = None if path is None else read_content(path).get("seed")
        return new if found is None else int(found)


class Run:
    """A fit, and its checkpoints where there are some; to be used in a `with` block.

    Parameters
    ----------
    checkpoint : Checkpoint or None
        None: this object does nothing.

    estimator : FitsByEpochs

    start : object
        The fitted state that the fit goes on from, or None.

    data : dict of str to object
        What it learns from.

    Raises
    ------
    ValueError
        If another fit writes to the folder, or if the checkpoint in it is of another
        fit, or damaged.
    """

    def __init__(
        self,
        checkpoint: Checkpoint | None,
        estimator: Any,
        *,
        start: Any,
        data: Mapping[str, Any],
    ) -> None:
        self._checkpoint = checkpoint
        self._found: Path | None = None
        if checkpoint is None:
            return
        self._identity = fit_identity(
            estimator,
            seed=estimator._seed if start is None else None,
            start=start,
            data=data,
        )
        folder = Path(checkpoint.folder)
        if checkpoint.subfolders:
            folder /= f"{type(estimator).__name__}-{digest(self._identity)}"
        self._writes = process_rank() == 0
        self._folder = CheckpointFolder(folder, writes=self._writes)
        try:
            self._found = self._folder.newest()
            if self._found is not None:
                self._check(self._found, estimator.max_epochs)
        except BaseException:
            self._folder.close()
            raise

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        if self._checkpoint is not None:
            self._folder.close()

    def _check(self, path: Path, max_epochs: int) -> None:
        content = read_content(path)
        found = differences(content.get("identity", {}), self._identity)
        if not found and content["epochs"] > max_epochs:
            found = [f"it has {content['epochs']} epochs, and max_epochs={max_epochs}"]
        if found:
            raise ValueError(
                f"The checkpoint {path} is of another fit: {'; '.join(found)}. Choose "
                "another folder, or delete this one to train anew."
            )

    def resume(
        self,
        estimator: Any,
        trainer: Any,
        state: Callable[[], State],
        best: Callable[..., Any],
    ) -> bool:
        """Go on from the checkpoint, if there is one; see `restore`.

        Returns
        -------
        ended : bool
            Whether training had been stopped before `max_epochs`.

        Raises
        ------
        ValueError
            If the checkpoint is damaged.
        """
        if self._found is None:
            return False
        content = read_content(self._found)
        arrays = read_arrays(self._found, content)
        try:
            restore(estimator, trainer, state, best, content, arrays)
            arrays.clear()  # Windows deletes no file that is mapped
            trainer.first_epoch = int(content["epochs"])
            ended = bool(content["ended"])
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            raise ValueError(
                f"The checkpoint {self._found} is damaged: {error!r}. Delete it, and "
                "training begins anew."
            ) from error
        if self._writes:
            self._folder.keep_only(self._found)
        return ended

    def end_epoch(
        self, estimator: Any, trainer: Any, n_epochs: int, *, ended: bool
    ) -> None:
        """Write a checkpoint, if it is time for one."""
        if self._checkpoint is None or not self._writes:
            return
        is_last = ended or n_epochs == estimator.max_epochs
        if is_last or n_epochs % self._checkpoint.every == 0:
            content, arrays = capture(estimator, trainer)
            content.update(
                identity=self._identity,
                seed=getattr(estimator, "_seed", None),
                epochs=n_epochs,
                ended=ended,
            )
            self._folder.write(n_epochs, content, arrays)
