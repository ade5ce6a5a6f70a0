from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.domain.errors import ModelError
from pipeline.stages.embed.catalog import MINILM
from pipeline.stages.embed.check_texts import CHECK_TEXTS
from pipeline.stages.embed.export import MIN_COSINE, export_packaged_model
from pipeline.stages.embed.manifest import read_manifest


def test_the_export_agrees_with_the_original_on_every_check_text(export_report):
    assert export_report.created
    assert export_report.min_cosine >= MIN_COSINE
    assert export_report.checked_texts == len(CHECK_TEXTS)


def test_the_check_texts_cover_the_lengths_up_to_the_window(counter):
    lengths = counter.count_many(CHECK_TEXTS)

    assert len(set(CHECK_TEXTS)) == len(CHECK_TEXTS) >= 40
    assert min(lengths) == 2
    assert 240 <= max(lengths) <= MINILM.identity.window


def test_the_manifest_names_what_was_exported_and_with_what(export_report):
    manifest = read_manifest(export_report.folder)

    assert manifest.weights_sha256 == MINILM.identity.weights
    assert manifest.onnx_sha256 == export_report.onnx_sha256
    assert manifest.fingerprint == MINILM.identity.fingerprint
    assert set(manifest.exporter) == {"torch", "transformers", "sentence-transformers", "onnxruntime"}


def test_nothing_is_left_beside_the_export(export_report):
    assert sorted(path.name for path in export_report.folder.iterdir()) == ["manifest.json", "model.onnx", "tokenizer.json"]
    assert [path.name for path in export_report.folder.parent.iterdir()] == [MINILM.name]


def test_a_verified_export_is_kept(export_report):
    before = (export_report.folder / "model.onnx").stat()

    assert export_packaged_model(export_report.folder) == replace(export_report, created=False)
    assert (export_report.folder / "model.onnx").stat() == before


def test_weights_that_fail_their_checksum_are_not_exported(tmp_path):
    other = replace(MINILM, identity=replace(MINILM.identity, weights="0" * 64))

    with pytest.raises(ModelError, match="fails its checksum"):
        export_packaged_model(tmp_path / "model", model=other)
    assert list(tmp_path.iterdir()) == []


def test_a_package_that_is_not_installed_is_a_model_error(tmp_path):
    with pytest.raises(ModelError, match="is not installed"):
        export_packaged_model(tmp_path / "model", model=replace(MINILM, package="no_such_package_here"))


def test_a_damaged_export_is_replaced_without_network_and_without_output(export_process, export_report):
    done, models = export_process

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert export_report.created
    assert read_manifest(export_report.folder).min_cosine >= MIN_COSINE
    assert [path.name for path in models.iterdir()] == [MINILM.name]
