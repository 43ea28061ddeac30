"""
Train with a custom loss
========================

A loss is a class with one method, ``compute``, that receives the unit vectors of a
batch. This example implements the loss of Wang and Isola (2020) in 15 lines, and
compares it with the margin loss of Wieting et al. (2016). Alignment is the distance
between the two texts of a pair. Uniformity measures how evenly the texts are spread
over the sphere.
"""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# The loss
# --------
# The two texts of pair ``i`` are rows ``2 * i`` and ``2 * i + 1`` of ``unit``. Hard
# negatives of triplets would follow, but ``learns_from`` restricts this loss to pairs.
# The arguments of ``__init__`` are stored under their own names, as in any
# scikit-learn estimator, so that a grid search can set them.

import matplotlib.pyplot as plt
import torch

import skparaphrase
from skparaphrase.datasets import load_graded_pairs, load_paraphrases
from skparaphrase.encoders import ParaphraseEncoder
from skparaphrase.losses import BaseLoss, MarginLoss
from skparaphrase.metrics import STSScorer


class AlignmentUniformityLoss(BaseLoss):
    learns_from = frozenset({"pairs"})

    def __init__(self, weight=1.0, t=2.0):
        self.weight = weight
        self.t = t

    def compute(self, unit, batch):
        first, second = unit[0::2], unit[1::2]
        alignment = (first - second).square().sum(dim=1).mean()
        return alignment + self.weight * (self.spread(first) + self.spread(second)) / 2

    def spread(self, unit):
        squared_distances = torch.pdist(unit).square()
        return torch.exp(-self.t * squared_distances).mean().log()


# %%
# Train with both losses
# ----------------------
# The loss object is a parameter of the encoder. The graded pairs are not used for
# training.

pairs = load_paraphrases().data
train, held_out = pairs[:900], pairs[900:]
report = STSScorer(load_graded_pairs(return_X_y=True))
encoders = {
    name: ParaphraseEncoder(loss=loss, random_state=0).fit(train)
    for name, loss in {
        "margin": MarginLoss(margin=0.4),
        "alignment and uniformity": AlignmentUniformityLoss(),
    }.items()
}
encoders = {"pretrained": skparaphrase.load_pretrained(), **encoders}

# %%
# Effect of each loss
# -------------------
# Alignment and uniformity are measured on held-out paraphrases; lower is better for
# both. Compared with the pretrained encoder, where training starts, both losses spread
# the texts more evenly, and improve the correlation with human scores.


def alignment_and_uniformity(encoder):
    first, second = torch.from_numpy(encoder.transform(held_out)).unbind(dim=1)
    spread = AlignmentUniformityLoss().spread
    alignment = (first - second).square().sum(dim=1).mean()
    return float(alignment), float(spread(first) + spread(second)) / 2


print(f"{'':26}alignment  uniformity  Pearson x 100")
figure, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
for name, encoder in encoders.items():
    alignment, uniformity = alignment_and_uniformity(encoder)
    pearson = 100 * report(encoder)
    print(f"{name:26}{alignment:9.2f}{uniformity:12.2f}{pearson:15.1f}")
    ax.plot(uniformity, alignment, "o")
    label, place = f"{name}\n(Pearson x 100: {pearson:.1f})", (8, 0)
    ax.annotate(
        label, (uniformity, alignment), place, textcoords="offset points", va="center"
    )
ax.set(xlabel="uniformity (lower is better)", ylabel="alignment (lower is better)")
ax.set_title("Held-out paraphrases, by training loss")
ax.margins(x=0.6, y=0.2)
plt.show()
