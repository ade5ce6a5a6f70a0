"""Models of one random layer that tests make themselves: one that embeds, one that reads pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

TINY_WINDOW: Final = 24  # tokens
TINY_DIMENSIONS: Final = 16
_ROLES: Final = ("pad_token", "unk_token", "cls_token", "sep_token")  # of the first four words
TINY_PROMPTS: Final = {"query": "query : ", "document": "passage : "}
_WORDS: Final = (
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
)


def make_tiny_model(folder: Path, *, seed: int, prompts: dict[str, str] | None = None, window: int = TINY_WINDOW) -> None:
    """Save a tiny sentence-transformers model with random weights, without a Normalize module."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling
    from transformers import BertModel

    torch.manual_seed(seed)
    base = folder / "base"
    BertModel(_config(window)).save_pretrained(base)
    _tokenizer(window).save_pretrained(base)
    model = SentenceTransformer(
        modules=[Transformer(str(base)), Pooling(TINY_DIMENSIONS)], prompts=TINY_PROMPTS if prompts is None else prompts, device="cpu"
    )
    model.save_pretrained(str(folder), create_model_card=False)


def make_tiny_cross_encoder(folder: Path, *, seed: int, outputs: int = 1) -> None:
    """Save a tiny cross-encoder with random weights and as many outputs."""
    import torch
    from transformers import BertForSequenceClassification

    torch.manual_seed(seed)
    BertForSequenceClassification(_config(TINY_WINDOW, num_labels=outputs)).save_pretrained(folder)
    _tokenizer(TINY_WINDOW).save_pretrained(folder)


def _config(window: int, **more: Any) -> Any:
    from transformers import BertConfig

    return BertConfig(
        vocab_size=len(_WORDS),
        hidden_size=TINY_DIMENSIONS,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=max(32, window),
        **more,
    )


def _tokenizer(window: int) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordLevel({word: place for place, word in enumerate(_WORDS)}, unk_token=_WORDS[1]))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    make: Any = PreTrainedTokenizerFast  # it has no types
    return make(tokenizer_object=tokenizer, model_max_length=window, **dict(zip(_ROLES, _WORDS, strict=False)))
