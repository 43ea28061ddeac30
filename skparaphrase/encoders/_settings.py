"""Settings of the papers' tables, by encoder and name."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

from skparaphrase._paper import Settings

# Every value is from the text of the paper, its tables, or the scripts that its authors
# released; all train with dense updates. lambda_w is vectors_penalty, lambda_c
# composition_penalty, which the code halves as we do.
_WIETING = {
    "batch_size": 100,
    "margin": 0.4,
    "max_epochs": 10,
    "negatives": "max",
    "sparse_updates": False,
    "clip_norm": None,
}
_ADAM = {"optimizer": "adam", "learning_rate": 0.0005}
_ADAGRAD = {"optimizer": "adagrad", "learning_rate": 0.05}
_CHARAGRAM = {
    **_WIETING,
    "optimizer": "adam",
    "learning_rate": 0.001,
    "vectors_penalty": 1e-6,
    "composition_penalty": 1e-6,
}
_NO_PENALTY = {"vectors_penalty": 0.0, "composition_penalty": 0.0}
_WORDS = {**_CHARAGRAM, "max_epochs": 50, "negatives": "mix"}
_LSTM = {
    **_WIETING,
    **_ADAM,
    "vectors_penalty": 1e-6,
    "composition_penalty": 1e-3,
    "peepholes": "diagonal",
}
_CSE = {
    **_WIETING,
    "optimizer": "adam",
    "learning_rate": 0.001,
    "margin": 0.6,
    "vectors_penalty": 1e-6,
    "composition_penalty": 0.0,
    "widths": (1, 2, 3),
    "n_filters": 100,
    "activation": "linear",
    "scramble": 0.5,
}

SETTINGS: dict[str, Settings] = {
    "ParagramEncoder": {
        "ppdb-xxl": {**_WIETING, **_ADAGRAD, "vectors_penalty": 1e-6},
        "ppdb-xl": {
            **_WIETING,
            "optimizer": "adam",
            "learning_rate": 0.005,
            "vectors_penalty": 1e-6,
            "clip_norm": 1.0,
        },
        "words": {
            **_WIETING,
            **_ADAGRAD,
            "margin": 0.6,
            "batch_size": 50,
            "negatives": "mix",
            "vectors_penalty": 1e-9,
        },
    },
    "ProjectionEncoder": {
        "ppdb-xl": {
            **_WIETING,
            **_ADAM,
            "vectors_penalty": 1e-8,
            "composition_penalty": 1e-5,
        },
    },
    "DeepAveragingEncoder": {
        "ppdb-xl": {
            **_WIETING,
            **_ADAGRAD,
            "n_layers": 1,
            "activation": "tanh",
            "vectors_penalty": 1e-5,
            "composition_penalty": 1e-5,
        },
    },
    "RNNEncoder": {
        "ppdb-xl": {
            **_WIETING,
            **_ADAM,
            "activation": "tanh",
            "negatives": "mix",
            "vectors_penalty": 1e-6,
            "composition_penalty": 1e-4,
        },
    },
    "IdentityRNNEncoder": {
        "ppdb-xl": {
            **_WIETING,
            "optimizer": "adam",
            "learning_rate": 0.005,
            "clip_norm": 1.0,
            "vectors_penalty": 1e-6,
            "composition_penalty": 10.0,
        },
    },
    "LSTMEncoder": {
        "ppdb-xl": {**_LSTM, "output_gate": False, "batch_size": 50},
        "ppdb-xl-gate": {**_LSTM, "output_gate": True},
    },
    "ConvolutionalEncoder": {
        "simple-wikipedia": {**_CSE, "batch_size": 256, "word_dropout": 0.1},
        # Table 1: margin and batch are not told; those of PP.
        "ppdb-xl": {**_CSE, "margin": 0.4, "word_dropout": 0.0},
        "widths": {**_CSE, "word_dropout": 0.0},
    },
    "CharagramEncoder": {
        "phrases": {**_CHARAGRAM, "activation": "tanh", "ngram_range": (2, 4)},
        "words": {
            **_WORDS,
            **_NO_PENALTY,
            "activation": "linear",
            "ngram_range": (2, 6),
            "batch_size": 25,
            "negatives": "max",
        },
    },
    "CharCNNEncoder": {
        "phrases": {
            **_CHARAGRAM,
            "filters": "kim",
            "activation": "tanh",
            "conv_activation": "relu",
            "ordered_first_epoch": True,
        },
        "words": {
            **_WORDS,
            "filters": "equal",
            "activation": "linear",
            "conv_activation": "tanh",
            "batch_size": 25,
            "ordered_first_epoch": True,
        },
    },
    "CharLSTMEncoder": {
        "phrases": {**_CHARAGRAM, "output_gate": False, "ordered_first_epoch": True},
        "words": {
            **_WORDS,
            "output_gate": True,
            "batch_size": 50,
            "ordered_first_epoch": True,
        },
    },
}
