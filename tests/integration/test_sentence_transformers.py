"""Our results compared with sentence-transformers for the same vectors."""

# Authors: The skparaphrase developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect
from importlib import import_module

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import FunctionTransformer

import skparaphrase
from skparaphrase.datasets import load_faq, load_graded_pairs, load_paraphrases
from skparaphrase.encoders import AverageEncoder
from skparaphrase.losses import CoSENTLoss, InfoNCELoss, LossBatch
from skparaphrase.metrics import RetrievalScorer
from skparaphrase.search import (
    ParaphraseMiner,
    SemanticSearch,
    mine_hard_negatives,
)
from skparaphrase.vectors import WordVectors

pytestmark = [pytest.mark.integration, pytest.mark.filterwarnings("ignore")]

st = pytest.importorskip("sentence_transformers", "6")
losses, evaluation = (
    import_module(f"sentence_transformers.sentence_transformer.{room}")
    for room in ("losses", "evaluation")
)

FAQ = list(load_faq().data[:300])


@pytest.fixture(scope="module")
def encoder():
    """An encoder that can be exported exactly, without vectors of unknown words."""
    table = skparaphrase.load_pretrained().vectors
    return AverageEncoder(WordVectors(table.words, table.matrix, scale=table.scale))


@pytest.fixture(scope="module")
def embedder(encoder):
    return skparaphrase.EmbeddingAdapter(encoder)


@pytest.fixture(scope="module")
def model(encoder):
    return st.SentenceTransformer(modules=[encoder.to_static_embedding()])


def test_options_are_those_of_encode(embedder):
    theirs = inspect.signature(st.SentenceTransformer.encode).parameters
    ours = inspect.signature(embedder.encode).parameters
    kinds = "VAR_POSITIONAL", "VAR_KEYWORD"
    for name, option in theirs.items():
        if name == "self" or option.kind.name in kinds:
            continue
        if name in ours:
            same = name in ("batch_size", "normalize_embeddings")
            assert same or ours[name].default == option.default, name
        else:  # the value without effect is accepted
            assert embedder.encode(["A cat."], **{name: option.default}).shape
            with pytest.raises(TypeError, match=f"does not support {name}='x'"):
                embedder.encode(["A cat."], **{name: "x"})


@pytest.mark.parametrize("truncate_dim", [None, 100])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("as_tensor", [False, True])
def test_vectors(truncate_dim, normalize, as_tensor, embedder, model):
    options = {
        **{"truncate_dim": truncate_dim, "normalize_embeddings": normalize},
        "convert_to_tensor": as_tensor,
    }
    ours, theirs = embedder.encode(FAQ, **options), model.encode(FAQ, **options)
    assert type(ours) is type(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    assert_allclose(np.asarray(ours), np.asarray(theirs), atol=1e-5)
    quantized = st.quantize_embeddings(ours, "ubinary")
    assert (quantized != st.quantize_embeddings(theirs, "ubinary")).mean() < 0.01


def test_semantic_search(encoder, embedder):
    queries, corpus = FAQ[:40], FAQ[40:]
    theirs = st.util.semantic_search(
        encoder.transform(queries), encoder.transform(corpus), top_k=5
    )
    hits = SemanticSearch(encoder).fit(corpus).search(queries, k=5)
    assert_allclose(
        hits.score, [[hit["score"] for hit in row] for row in theirs], atol=1e-5
    )
    found = [[hit["corpus_id"] for hit in row] for row in theirs]
    ties = np.isclose(np.diff(hits.score, axis=1, append=-1), 0, atol=1e-5)
    ties[:, 1:] |= ties[:, :-1]
    assert_array_equal(hits.row[~ties], np.array(found)[~ties])


def test_a_model_of_theirs_in_our_search(model, encoder):
    search = SemanticSearch(FunctionTransformer(model.encode)).fit(FAQ)
    expected = SemanticSearch(encoder).fit(FAQ).search(FAQ[:9], k=3)
    assert_allclose(search.search(FAQ[:9], k=3).score, expected.score, atol=1e-5)


@pytest.mark.parametrize("top_k", [1, 3, 100])
def test_paraphrase_mining(top_k, encoder, model):
    theirs = st.util.paraphrase_mining(model, FAQ, top_k=top_k)
    pairs = ParaphraseMiner(encoder, threshold=-1, k=top_k).fit(FAQ).mine(FAQ)
    assert_allclose(pairs.score, [score for score, *_ in theirs], atol=1e-5)
    found, expected = {*map(tuple, pairs.row.tolist())}, {(i, j) for _, i, j in theirs}
    assert len(found & expected) > 0.99 * len(expected)  # some texts are equally near


def test_hard_negatives(encoder, model):
    datasets = pytest.importorskip("datasets")
    pairs = load_paraphrases().data[:200]
    theirs = st.util.mine_hard_negatives(
        datasets.Dataset.from_dict({"a": [*pairs[:, 0]], "b": [*pairs[:, 1]]}),
        model,
        num_negatives=1,
        relative_margin=0.05,
        verbose=False,
    )
    expected = {tuple(row.values()) for row in theirs}
    found = mine_hard_negatives(
        pairs, pairs[:, 1], encoder=encoder, relative_margin=0.05
    )
    assert len(expected & {*map(tuple, found)}) > 0.95 * len(expected)


def batch_of(n_pairs, n_hard, targets=None):
    texts = np.arange(2 * n_pairs + n_hard)
    return LossBatch(texts, np.random.RandomState(0), targets, n_hard=n_hard)


@pytest.fixture
def raw():
    vectors = torch.tensor(np.random.RandomState(0).randn(30, 8), dtype=torch.float32)
    return vectors.requires_grad_()


@pytest.mark.parametrize("n_hard", [0, 10])
def test_multiple_negatives_ranking_loss(n_hard, raw, model):
    loss = losses.MultipleNegativesRankingLoss(
        model,
        scale=20,
        directions=("query_to_doc", "doc_to_query"),
        partition_mode="per_direction",
    )
    unit = torch.nn.functional.normalize(raw)
    parts = [unit[0:20:2], unit[1:20:2], *([unit[20:]] if n_hard else [])]
    theirs = loss.compute_loss_from_embeddings(parts, None)
    (gradient,) = torch.autograd.grad(theirs, raw, retain_graph=True)
    ours = InfoNCELoss(temperature=1 / 20, keep=0)
    found = ours.compute(unit[: 20 + n_hard], batch_of(10, n_hard))
    assert_allclose(found.item(), theirs.item(), rtol=1e-5)
    assert_allclose(torch.autograd.grad(found, raw)[0], gradient, atol=1e-5)


def test_cosent_loss(raw, model):
    scores = torch.linspace(0, 1, 15)
    unit = torch.nn.functional.normalize(raw)
    theirs = losses.CoSENTLoss(model).compute_loss_from_embeddings(
        [unit[0::2], unit[1::2]], scores
    )
    found = CoSENTLoss(scale=20).compute(unit, batch_of(15, 0, scores))
    assert_allclose(found.item(), theirs.item(), rtol=1e-5)


PAIRS, SCORES = load_graded_pairs(return_X_y=True)
FIRST, SECOND = map(list, PAIRS.T)
OTHERS = [*SECOND[1:], SECOND[0]]
EVALUATORS = {
    "EmbeddingSimilarityEvaluator": (FIRST, SECOND, [*SCORES]),
    "BinaryClassificationEvaluator": (FIRST, SECOND, [*(SCORES >= 4).astype(int)]),
    "TripletEvaluator": (FIRST, SECOND, OTHERS),
    "TranslationEvaluator": (FIRST, SECOND),
    "InformationRetrievalEvaluator": (
        dict(enumerate(FIRST[:50])),
        dict(enumerate(SECOND)),
        {number: {number} for number in range(50)},
    ),
    "ParaphraseMiningEvaluator": (
        dict(enumerate([*FIRST[:90], *SECOND[:90]])),
        [(number, number + 90) for number in range(90)],
    ),
    "RerankingEvaluator": (
        [
            {"query": FIRST[n], "positive": [SECOND[n]], "negative": SECOND[n + 1 :]}
            for n in range(9)
        ],
    ),
}


@pytest.mark.parametrize("name", EVALUATORS)
def test_their_evaluators_of_an_embedder(name, embedder, model):
    evaluate = getattr(evaluation, name)(*EVALUATORS[name])
    expected = evaluate(model)
    found = evaluate(embedder)
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, abs=1e-3), key


def test_retrieval_evaluator(encoder, model):
    pairs = load_paraphrases().data[:200]
    questions, corpus = pairs[:, 0], [*pairs[:, 1]]
    evaluator = evaluation.InformationRetrievalEvaluator(
        dict(zip(questions, questions, strict=True)),
        dict(zip(corpus, corpus, strict=True)),
        {question: {other} for question, other in pairs},
        mrr_at_k=[len(corpus)],
        accuracy_at_k=[1, 10],
        write_csv=False,
    )
    theirs = evaluator(model)
    for metric, name in [
        ("mrr", f"cosine_mrr@{len(corpus)}"),
        ("recall@1", "cosine_accuracy@1"),
        ("recall@10", "cosine_accuracy@10"),
    ]:
        ours = RetrievalScorer(pairs, corpus=corpus, metric=metric)(encoder)
        assert ours == pytest.approx(theirs[name], abs=1e-4)
