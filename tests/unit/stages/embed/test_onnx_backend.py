from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pipeline.domain.errors import ModelError
from pipeline.stages.embed.catalog import MINILM
from pipeline.stages.embed.check_texts import CHECK_TEXTS
from pipeline.stages.embed.manifest import EXPORT_VERSION, read_manifest
from pipeline.stages.embed.onnx_backend import OnnxEmbedder

# The first five numbers by sentence-transformers 6.2.0 on torch 2.13.0 (CPU, fp32, sdpa attention), the reference implementation.
CANONICAL = {
    "Known HIV infection": [-0.09221435, 0.09397361, -0.06335536, -0.01264610, -0.02085732],
    "Women of childbearing potential must use two effective forms of contraception until 120 days after the last dose": [
        -0.03213009,
        0.00714939,
        -0.05548102,
        0.00716445,
        -0.01520971,
    ],
}
# Another attention kernel, graph fusion and the processor change the last digits; 2e-7 was the most seen.
TOLERANCE = 2e-6


@pytest.mark.parametrize("text", CANONICAL)
def test_gives_the_reference_implementations_vector(onnx, text):
    np.testing.assert_allclose(onnx.embed_documents([text])[0, :5], CANONICAL[text], atol=TOLERANCE)


def test_rows_are_unit_float32_in_the_order_given(onnx):
    texts = list(CHECK_TEXTS)
    vectors = onnx.embed_documents(texts)

    assert vectors.shape == (len(texts), onnx.dimensions) == (len(texts), 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(onnx.embed_documents(texts[::-1])[::-1], vectors, atol=TOLERANCE)


def test_a_text_alone_and_in_any_batch_has_one_vector(onnx, export_report):
    together = onnx.embed_documents(CHECK_TEXTS)
    small = OnnxEmbedder(export_report.folder, batch_tokens=1, threads=1).embed_documents(CHECK_TEXTS)

    np.testing.assert_allclose(small, together, atol=TOLERANCE)


def test_equal_texts_are_embedded_once(onnx):
    settled: list[int] = []
    vectors = onnx.embed_documents(["Known HIV infection"] * 500 + ["Pregnancy"], settled.append)

    assert sum(settled) == 501
    assert len(settled) == 1  # 501 texts, yet two short rows: one batch
    assert np.array_equal(vectors[0], vectors[499])
    assert not np.array_equal(vectors[0], vectors[500])


def test_progress_closes_at_the_number_of_texts(onnx):
    settled: list[int] = []
    onnx.embed_documents([*CHECK_TEXTS, *CHECK_TEXTS], settled.append)

    assert len(settled) > 1
    assert sum(settled) == 2 * len(CHECK_TEXTS)


def test_a_text_beyond_the_window_is_refused_and_not_quoted(onnx):
    fits, too_long = "age " * 254, "age " * 255

    assert onnx.embed_documents([fits]).shape == (1, 384)
    with pytest.raises(ModelError, match="1 of 2 texts exceed the model's window of 256 tokens") as caught:
        onnx.embed_documents(["Pregnancy", too_long])
    assert "age age" not in str(caught.value)


def test_a_query_beyond_the_window_is_cut(onnx):
    longest = onnx.embed_documents(["age " * 254])[0]

    np.testing.assert_allclose(onnx.embed_query("age " * 400), longest, atol=TOLERANCE)
    assert onnx.embed_query("age").shape == (384,)


def test_a_query_is_embedded_as_a_document_is(onnx):
    np.testing.assert_allclose(onnx.embed_query("Known HIV infection"), onnx.embed_documents(["Known HIV infection"])[0], atol=TOLERANCE)


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "\n\n"])
def test_blank_and_broken_texts_get_the_empty_texts_vector(onnx, text):
    np.testing.assert_allclose(onnx.embed_documents([text]), onnx.embed_documents([""]), atol=TOLERANCE)


def test_no_texts_give_no_rows(onnx):
    assert onnx.embed_documents([]).shape == (0, 384)


def test_several_threads_may_use_one_embedder(export_report):
    embedder = OnnxEmbedder(export_report.folder, threads=1)
    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(embedder.embed_query, ["Pregnancy"] * 8))

    for vector in vectors[1:]:
        np.testing.assert_allclose(vector, vectors[0], atol=TOLERANCE)


def test_the_fingerprint_is_the_packaged_models(onnx):
    assert onnx.fingerprint == MINILM.identity.fingerprint


def test_without_an_export_the_error_names_the_remedy(tmp_path):
    with pytest.raises(ModelError) as caught:
        OnnxEmbedder(tmp_path / "absent")
    assert "clindex init" in caught.value.remedy


def test_an_export_that_changed_is_refused_when_it_is_loaded(export_report, tmp_path):
    folder = tmp_path / "changed"
    shutil.copytree(export_report.folder, folder)
    with (folder / "model.onnx").open("r+b") as file:
        file.seek(50_000_000)
        file.write(b"\x00\x01\x02\x03")

    with pytest.raises(ModelError, match=r"model\.onnx fails its checksum"):
        OnnxEmbedder(folder).embed_documents(["Pregnancy"])


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"version": 1}'])
def test_a_broken_manifest_is_refused(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(ModelError, match="cannot be read"):
        OnnxEmbedder(tmp_path)


def test_an_export_of_another_version_is_refused(export_report, tmp_path):
    manifest = read_manifest(export_report.folder)
    manifest.model_copy(update={"version": EXPORT_VERSION + 1}).write(tmp_path)
    with pytest.raises(ModelError, match="another version"):
        OnnxEmbedder(tmp_path)
