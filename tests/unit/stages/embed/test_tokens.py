from __future__ import annotations

import subprocess
import sys

import pytest

from pipeline.domain.errors import ModelError
from pipeline.stages.embed.tokens import ModelTokenCounter, well_formed

# Word pieces by transformers' own BertTokenizer (5.24) on this vocabulary, special tokens included.
REFERENCE = [
    ("", 2),
    ("Pregnancy", 3),
    ("Age ≥ 18 years", 6),
    ("HER2-positive breast cancer", 8),
    ("Dose of 2.5 μg/kg/min, given as a continuous infusion", 20),
    ("年龄在18岁以上的患者", 12),
]


@pytest.mark.parametrize(("text", "tokens"), REFERENCE)
def test_counts_as_the_reference_tokenizer(counter, text, tokens):
    assert counter.count(text) == tokens


def test_counts_beyond_the_window_without_truncation(counter):
    assert counter.count("age " * 1000) == 1002
    assert counter.window == 256


def test_many_texts_count_as_one_by_one(counter):
    texts = [text for text, _ in REFERENCE] + ["age " * 300]

    assert counter.count_many(texts) == [counter.count(text) for text in texts]
    assert counter.count_many([]) == []


def test_a_lone_surrogate_is_counted_and_does_not_quote_the_text_in_an_error(counter):
    assert counter.count("age \ud800 limit") == counter.count("age  limit")
    assert well_formed("a\ud800b\udfff") == "a\ufffdb\ufffd"
    assert well_formed("µ\U0001f600") == "µ\U0001f600"


def test_control_characters_do_not_fail(counter):
    assert counter.count("age\x00limit\x07") >= 2


def test_the_documents_prompt_takes_room_in_the_window(tiny_model):
    plain = ModelTokenCounter(tiny_model / "tokenizer.json", window=24)
    prompted = ModelTokenCounter(tiny_model / "tokenizer.json", window=24, prompt="passage : ")

    assert prompted.count("age") == plain.count("age") + 2


def test_a_missing_or_broken_tokenizer_is_a_model_error(tmp_path):
    with pytest.raises(ModelError, match=r"no tokenizer\.json"):
        ModelTokenCounter(tmp_path / "tokenizer.json", window=8)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be read"):
        ModelTokenCounter(tmp_path / "tokenizer.json", window=8)


def test_importing_the_stage_and_the_counter_imports_no_model_library():
    code = "import sys, pipeline.stages.embed, pipeline.stages.embed.tokens; print({'torch', 'onnxruntime', 'transformers'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "set()"
