"""The exported model, and a tiny model that the tests make themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.stages.embed.catalog import MINILM
from pipeline.stages.embed.onnx_backend import OnnxEmbedder
from pipeline.stages.embed.tokens import ModelTokenCounter

TINY_WINDOW = 24
TINY_DIMENSIONS = 16
TINY_PROMPTS = {"query": "query : ", "document": "passage : "}


@pytest.fixture(scope="session")
def onnx(export_report) -> OnnxEmbedder:
    """The exported model."""
    return OnnxEmbedder(export_report.folder, threads=2)


@pytest.fixture(scope="session")
def counter() -> ModelTokenCounter:
    """The packaged model's tokenizer."""
    return ModelTokenCounter(MINILM.folder / "tokenizer.json", window=MINILM.identity.window)


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory) -> Path:
    """A saved model of one random layer, without a Normalize module, with prompts."""
    folder = tmp_path_factory.mktemp("tiny")
    make_tiny_model(folder, seed=0)
    return folder


def make_tiny_model(folder: Path, *, seed: int, prompts: dict[str, str] | None = None) -> None:
    """Save a tiny sentence-transformers model with random weights."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "age",
        "at",
        "least",
        "years",
        "no",
        "prior",
        "chemotherapy",
        "query",
        "passage",
        ":",
    ]
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=TINY_WINDOW,
    )
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=TINY_DIMENSIONS,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
    )
    base = folder / "base"
    BertModel(config).save_pretrained(base)
    fast.save_pretrained(base)
    model = SentenceTransformer(
        modules=[Transformer(str(base)), Pooling(TINY_DIMENSIONS)], prompts=TINY_PROMPTS if prompts is None else prompts, device="cpu"
    )
    model.save_pretrained(str(folder), create_model_card=False)
