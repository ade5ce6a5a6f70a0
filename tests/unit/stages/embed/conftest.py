"""The exported model, and a tiny model that the tests make themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.stages.embed.catalog import MINILM
from pipeline.stages.embed.onnx_backend import OnnxEmbedder
from pipeline.stages.embed.tokens import ModelTokenCounter
from pipeline.testing.tiny_model import make_tiny_model


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
