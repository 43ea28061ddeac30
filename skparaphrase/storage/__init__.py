"""Models and tables in folders."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase.storage._folders import is_large as is_large
from skparaphrase.storage._folders import load_array as load_array
from skparaphrase.storage._folders import new_folder as new_folder
from skparaphrase.storage._folders import open_plain as open_plain
from skparaphrase.storage._folders import refuse_corruption as refuse_corruption
from skparaphrase.storage._folders import write_metadata as write_metadata
from skparaphrase.storage._folders import write_safetensors as write_safetensors
from skparaphrase.storage._models import load as load
from skparaphrase.storage._models import save as save

__all__: list[str] = []  # models are saved by methods, and loaded by skparaphrase.load
