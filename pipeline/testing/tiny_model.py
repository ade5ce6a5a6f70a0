"""A sentence-transformers model of one random layer that tests make themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

TINY_WINDOW: Final = 24  # tokens
TINY_DIMENSIONS: Final = 16
_ROLES: Final = ("pad_token", "unk_token", "cls_token", "sep_token")  # of the first four words
TINY_PROMPTS: Final = {"query": "query : ", "document": "passage : "}


def make_tiny_model(folder: Path, *, seed: int, prompts: dict[str, str] | None = None, window: int = TINY_WINDOW) -> None:
    """Save a tiny sentence-transformers model with random weights, without a Normalize module."""
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
    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token=words[1]))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    make: Any = PreTrainedTokenizerFast  # it has no types
    fast = make(tokenizer_object=tokenizer, model_max_length=window, **dict(zip(_ROLES, words, strict=False)))
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=TINY_DIMENSIONS,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=max(32, window),
    )
    base = folder / "base"
    BertModel(config).save_pretrained(base)
    fast.save_pretrained(base)
    model = SentenceTransformer(
        modules=[Transformer(str(base)), Pooling(TINY_DIMENSIONS)], prompts=TINY_PROMPTS if prompts is None else prompts, device="cpu"
    )
    model.save_pretrained(str(folder), create_model_card=False)
