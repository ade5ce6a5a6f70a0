"""What a saved sentence-transformers model is, read from its files without loading it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pipeline.domain.errors import ModelError
from pipeline.domain.identifiers import fingerprint
from pipeline.stages.embed.catalog import PACKAGE_REMEDY, ModelIdentity, PackagedModel, packaged
from pipeline.stages.embed.files import sha256_of_file

_SUFFIXES: Final = (".safetensors", ".bin")
_NO_LIMIT: Final = 1_000_000  # transformers writes 1e30 for "no limit"
_LOCAL_REMEDY: Final = "Set CLINDEX_MODEL to a folder with a saved model, or fetch it once: hf download NAME."


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model on this machine.

    Attributes:
        dimensions: Length of a vector, or ``None`` where the files do not say so plainly and the model must be asked.
    """

    folder: Path
    tokenizer_file: Path
    identity: ModelIdentity
    dimensions: int | None
    packaged: PackagedModel | None = None

    def check_packaged_weights(self) -> None:
        """Check that a packaged model is the published one.

        Raises:
            ModelError: Its weights, tokenizer or configuration are not those of the catalogue.
        """
        if self.packaged is not None and self.identity != self.packaged.identity:
            raise ModelError(f"The packaged model {self.packaged.name} fails its checksum", remedy=PACKAGE_REMEDY)


def find_model(name_or_path: str) -> Path:
    """Return the folder of a packaged model, of a saved one, or of one in the Hugging Face cache. Never uses the network.

    Raises:
        ModelError: It is none of these.
    """
    model = packaged(name_or_path)
    if model is not None:
        return model.folder
    if Path(name_or_path).is_dir():
        return Path(name_or_path)
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name_or_path, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError):
        raise ModelError(f"The model {Path(name_or_path).name} is not on this machine", remedy=_LOCAL_REMEDY) from None


def read_model_files(name_or_path: str) -> ModelFiles:
    """Find a model and read what decides its vectors.

    Raises:
        ModelError: It is not on this machine, or its files are not those of a saved model.
    """
    folder = find_model(name_or_path)
    modules = _modules(folder)
    base = folder / modules[0]["path"]
    tokenizer_file = base / "tokenizer.json"
    identity = ModelIdentity(
        weights=_weights(base),
        tokenizer=sha256_of_file(tokenizer_file) if tokenizer_file.is_file() else "none",
        modules=(*_lower_case(base), *_after_transformer(folder, modules[1:]), "normalize"),
        window=_window(base),
        prompts=_prompts(folder),
    )
    return ModelFiles(
        folder=folder,
        tokenizer_file=tokenizer_file,
        identity=identity,
        dimensions=_dimensions(base, identity),
        packaged=packaged(name_or_path),
    )


def _modules(folder: Path) -> list[dict[str, Any]]:
    """Return the model's modules; a plain transformer is one module, which sentence-transformers pools by the mean."""
    if (folder / "modules.json").is_file():
        modules: list[dict[str, Any]] = _read_json(folder / "modules.json")
        if modules and all(isinstance(module, dict) and "path" in module and "type" in module for module in modules):
            return modules
        raise ModelError(f"The file modules.json of the model {folder.name} lists no modules", remedy=_LOCAL_REMEDY)
    if (folder / "config.json").is_file():
        return [{"path": "", "type": "Transformer"}, {"path": None, "type": "Pooling"}]
    raise ModelError(f"The folder {folder.name} holds no saved model", remedy=_LOCAL_REMEDY)


def _after_transformer(folder: Path, modules: list[dict[str, Any]]) -> tuple[str, ...]:
    """Name what happens to the token vectors. The last step to unit length is left out: every backend takes it anyway."""
    steps = [_step(folder, module) for module in modules]
    while steps and steps[-1] == "normalize":
        steps.pop()
    return tuple(steps)


def _step(folder: Path, module: dict[str, Any]) -> str:
    kind = str(module["type"]).rsplit(".", 1)[-1].lower()
    if kind == "normalize":
        return "normalize"
    if kind == "pooling":
        return "pooling:mean" if module["path"] is None else f"pooling:{_pooling(folder / module['path'] / 'config.json')}"
    path = folder / module["path"]
    contents = {str(file.relative_to(path)): sha256_of_file(file) for file in sorted(path.rglob("*")) if file.is_file()}
    return f"{kind}:{fingerprint(contents)}"


def _pooling(config_file: Path) -> str:
    """Name the pooling; older files have one flag a mode, newer ones a name."""
    config: dict[str, Any] = _read_json(config_file)
    mode = config.get("pooling_mode")
    if mode is None:
        mode = [
            key.removeprefix("pooling_mode_").removesuffix("_tokens")
            for key in sorted(config)
            if key.startswith("pooling_mode_") and config[key]
        ]
    names = [mode] if isinstance(mode, str) else [str(name) for name in mode]
    prompt = "" if config.get("include_prompt", True) else ":without_prompt"
    return "+".join(names) + prompt


def _lower_case(base: Path) -> tuple[str, ...]:
    return ("lower_case",) if _optional_json(base / "sentence_bert_config.json").get("do_lower_case") else ()


def _window(base: Path) -> int:
    """Return the window as sentence-transformers finds it: its own setting, else the tokenizer's, within the positions there are."""
    own = _optional_json(base / "sentence_bert_config.json").get("max_seq_length")
    if own:
        return int(own)
    limits = [
        _optional_json(base / "tokenizer_config.json").get("model_max_length"),
        _optional_json(base / "config.json").get("max_position_embeddings"),
    ]
    known = [int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < _NO_LIMIT]
    if not known:
        raise ModelError(f"The model {base.name} does not say how much it reads", remedy="Set max_seq_length in sentence_bert_config.json.")
    return min(known)


def _dimensions(base: Path, identity: ModelIdentity) -> int | None:
    """Return the transformer's width where one kind of pooling is all that follows it."""
    steps = [step for step in identity.modules if step not in ("lower_case", "normalize")]
    width = _optional_json(base / "config.json").get("hidden_size")
    plain = len(steps) == 1 and steps[0].startswith("pooling:") and "+" not in steps[0]
    return width if plain and isinstance(width, int) else None


def _prompts(folder: Path) -> tuple[str, str]:
    """Return what the model puts before a document and before a query."""
    config = _optional_json(folder / "config_sentence_transformers.json")
    prompts = config.get("prompts") or {}
    document = next((prompts[name] for name in ("document", "passage", "corpus") if prompts.get(name)), "")
    return document, prompts.get("query") or ""


def _weights(base: Path) -> str:
    """Return the SHA-256 of the weights; safetensors where there are both kinds, as transformers prefers them."""
    for suffix in _SUFFIXES:
        files = sorted(base.glob(f"*{suffix}"))
        if len(files) == 1:
            return sha256_of_file(files[0])
        if files:
            return fingerprint({file.name: sha256_of_file(file) for file in files})
    raise ModelError(f"The model {base.name} has no weights", remedy=_LOCAL_REMEDY)


def _optional_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    value = _read_json(path)
    return value if isinstance(value, dict) else {}


@lru_cache(maxsize=64)
def _parsed(path: Path, _modified: int) -> Any:
    return json.loads(path.read_bytes())


def _read_json(path: Path) -> Any:
    try:
        return _parsed(path, path.stat().st_mtime_ns)
    except (OSError, ValueError):
        raise ModelError(f"The model file {path.name} cannot be read", remedy=_LOCAL_REMEDY) from None
