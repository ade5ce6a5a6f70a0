"""Sending: each channel as its receiver reads it, and what is told of one that fails."""

from __future__ import annotations

import email
import json
import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from email import policy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate

from pipeline.jobs.notify.model import Channel, Finding, Message, ToldRun, Topic
from pipeline.jobs.notify.sending import channels, send
from pipeline.settings import Settings
from pipeline.testing.http_faults import fails, slow
from pipeline.testing.receivers import MailServer, Receiver

SECRET = "T0-correct-horse"
AT = datetime(2030, 1, 2, tzinfo=UTC)
MESSAGE = Message(
    subject="Clindex index_documents: blocked",
    dag="index_documents",
    dag_run="manual__1",
    runs=[ToldRun(run_id="r", kind="index", state="incomplete", started_at=AT, finished_at=AT, failures={"gate_refused": 2})],
    findings=[
        Finding(topic=Topic.BLOCKED, run="index", says="2 documents are held back by the identifier gate.", counts={"gate_refused": 2})
    ],
    report="https://search.example/report",
)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        yield server


@pytest.fixture
def mail_server() -> Iterator[MailServer]:
    with MailServer() as server:
        yield server


def settings(**values: Any) -> Settings:
    return Settings.model_validate(values)


def test_without_settings_there_is_no_channel():
    assert channels(settings()) == []
    assert channels(settings(notify_mail_to=["a@site.example"])) == []
    assert send(MESSAGE, settings()) == []


def test_a_webhook_gets_the_message_by_its_schema(receiver: Receiver, root: Path):
    sent = send(MESSAGE, settings(notify_webhook_url=receiver.url + "/hook"))
    assert [(one.channel, one.sent) for one in sent] == [(Channel.WEBHOOK, True)]
    (request,) = receiver.requests
    body = json.loads(request.body)
    validate(body, json.loads((root / "schemas" / "notification.json").read_text(encoding="utf-8")))
    assert Message.model_validate(body) == MESSAGE
    assert (request.path, request.header("Content-Type")) == ("/hook", "application/json")


def test_slack_gets_text(receiver: Receiver):
    assert send(MESSAGE, settings(notify_slack_url=f"{receiver.url}/services/{SECRET}"))[0].sent
    (request,) = receiver.requests
    body = json.loads(request.body)
    assert set(body) == {"text"}
    assert body["text"].startswith("*Clindex index_documents: blocked*\n[blocked] 2 documents are held back")
    assert "https://search.example/report" in body["text"]


def test_mail_arrives_at_everybody(mail_server: MailServer):
    chosen = settings(
        notify_smtp_url=mail_server.url, notify_mail_to=["a@site.example", "b@site.example"], notify_mail_from="c@site.example"
    )
    assert send(MESSAGE, chosen)[0].sent
    (letter,) = (email.message_from_string(one, policy=policy.default) for one in mail_server.messages)
    assert letter["Subject"] == MESSAGE.subject
    assert letter["To"] == "a@site.example, b@site.example"
    assert letter.get_content().strip() == MESSAGE.text
    assert mail_server.envelopes == [["c@site.example", "a@site.example", "b@site.example"]]


def test_a_password_does_not_go_without_tls(mail_server: MailServer):
    url = mail_server.url.replace("smtp://", f"smtp://user:{SECRET}@")
    (sent,) = send(MESSAGE, settings(notify_smtp_url=url, notify_mail_to=["a@site.example"]))
    assert (sent.sent, sent.error) == (False, "ConfigurationError")
    assert mail_server.messages == []


def test_a_server_that_speaks_no_tls_gets_nothing_by_smtps(mail_server: MailServer):
    url = mail_server.url.replace("smtp://", "smtps://")
    (sent,) = send(MESSAGE, settings(notify_smtp_url=url, notify_mail_to=["a@site.example"], notify_timeout_seconds=2))
    assert not sent.sent
    assert mail_server.messages == []


def test_one_channel_that_fails_stops_no_other_and_no_secret_is_told(
    receiver: Receiver, mail_server: MailServer, caplog: pytest.LogCaptureFixture
):
    mail_server.refuse = True
    receiver.fail_next(fails(403, SECRET), path="/services")
    chosen = settings(
        notify_smtp_url=mail_server.url,
        notify_mail_to=["a@site.example"],
        notify_slack_url=f"{receiver.url}/services/{SECRET}",
        notify_webhook_url=f"{receiver.url}/hook/{SECRET}",
    )
    with caplog.at_level(logging.DEBUG):
        sent = send(MESSAGE, chosen)
    assert [(one.channel.value, one.sent, one.error) for one in sent] == [
        ("mail", False, "SMTPRecipientsRefused"),
        ("slack", False, "403"),
        ("webhook", True, None),
    ]
    assert "notification" in caplog.text
    assert SECRET not in caplog.text + str(sent) + repr(chosen)


def test_what_hangs_or_is_not_there_is_told(receiver: Receiver):
    receiver.fail_next(slow(2))
    (hung,) = send(MESSAGE, settings(notify_webhook_url=receiver.url, notify_timeout_seconds=0.2))
    (away,) = send(MESSAGE, settings(notify_webhook_url="http://127.0.0.1:9/", notify_timeout_seconds=0.2))
    (wrong,) = send(MESSAGE, settings(notify_webhook_url=f"nonsense {SECRET}"))
    assert [one.sent for one in (hung, away, wrong)] == [False, False, False]
    assert hung.error == "ReadTimeout"
    assert SECRET not in str(wrong)


def test_a_message_that_may_have_arrived_is_not_sent_again(receiver: Receiver):
    receiver.fail_next(fails(500, ""))
    assert not send(MESSAGE, settings(notify_webhook_url=receiver.url))[0].sent
    assert len(receiver.requests) == 1


def test_a_mailer_takes_the_place_of_the_mail_server():
    taken: list[str] = []
    chosen = settings(notify_mail_to=["a@site.example"])
    (sent,) = send(MESSAGE, chosen, mailer=lambda message, _: taken.append(message.subject))
    assert sent.sent
    assert taken == [MESSAGE.subject]
