from __future__ import annotations

import io
import json
import logging

import pytest

from pipeline.observability import JsonLines, log_event, timed


@pytest.fixture
def lines():
    """What goes to stderr, as a function that returns the JSON lines so far."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    logger = logging.getLogger("clindex")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logger.removeHandler(handler)


def test_a_line_holds_event_and_fields_apart(lines):
    log_event("source_retry", attempt=2, seconds=1.5)
    (line,) = lines()
    assert line.pop("time").endswith("+00:00")
    assert line == {"level": "info", "event": "source_retry", "attempt": 2, "seconds": 1.5}


def test_the_message_alone_holds_the_fields_as_well(caplog):
    """Airflow's handlers drop a record's extra attributes."""
    with caplog.at_level(logging.INFO, logger="clindex"):
        log_event("source_retry", attempt=2, seconds=1.5)
    assert caplog.messages == ["source_retry attempt=2 seconds=1.5"]


def test_a_timed_block_is_logged_when_it_ends_well_only(lines):
    with timed("settled", points=3) as fields:
        fields["segments"] = 2
    with pytest.raises(KeyError), timed("settled"):
        raise KeyError
    (line,) = lines()
    assert (line["event"], line["points"], line["segments"]) == ("settled", 3, 2)
    assert line["seconds"] >= 0


def test_of_a_foreign_error_the_class_is_shown_and_no_text(lines):
    try:
        raise ValueError("Zebulon Quartermain-Oddfellow")
    except ValueError:
        logging.getLogger("clindex").exception("failed")
    (line,) = lines()
    assert line["error"] == "ValueError"
    assert "Zebulon" not in json.dumps(line)
