"""Sends a message by every channel that the settings name. What goes wrong is told as a status or a class: addresses may hold secrets."""

from __future__ import annotations

import logging
import smtplib
import ssl
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import httpx
from pydantic import SecretStr

from pipeline.domain.errors import ConfigurationError
from pipeline.jobs.notify.model import Channel, Delivery, Message
from pipeline.observability import log_event, quiet_libraries
from pipeline.settings import Settings

#: Sends a message some other way than by ``notify_smtp_url``: Airflow has connections of its own.
Mailer = Callable[[Message, Settings], None]

_CONNECTING: Final = 2  # attempts more to reach a webhook; a message that may have arrived is not sent again
_TLS_PORT, _PORT = 465, 587


def channels(settings: Settings, mailer: Mailer | None = None) -> list[Channel]:
    """Return the channels that are set."""
    by_mail = settings.notify_mail_to and (settings.notify_smtp_url or mailer)
    chosen = {Channel.MAIL: by_mail, Channel.SLACK: settings.notify_slack_url, Channel.WEBHOOK: settings.notify_webhook_url}
    return [channel for channel, value in chosen.items() if value]


def send(message: Message, settings: Settings, *, mailer: Mailer | None = None) -> list[Delivery]:
    """Send a message by each channel, whatever became of the others. A failure is an entry, never an exception."""
    quiet_libraries()
    deliveries = [_deliver(channel, way) for channel, way in _ways(message, settings, mailer)]
    for one in deliveries:
        level = logging.INFO if one.sent else logging.WARNING
        log_event("notification", level=level, channel=one.channel.value, sent=one.sent, error=one.error)
    return deliveries


def _ways(message: Message, settings: Settings, mailer: Mailer | None) -> Iterator[tuple[Channel, Callable[[], None]]]:
    for channel in channels(settings, mailer):
        if channel is Channel.MAIL:
            yield channel, lambda: (mailer or mail)(message, settings)
        elif channel is Channel.SLACK:
            yield channel, lambda: _post(settings.notify_slack_url, {"text": f"*{message.subject}*\n{message.text}"}, settings)
        else:
            yield channel, lambda: _post(settings.notify_webhook_url, message.model_dump(mode="json"), settings)


def _deliver(channel: Channel, way: Callable[[], None]) -> Delivery:
    try:
        way()
    except httpx.HTTPStatusError as error:
        return Delivery(channel=channel, sent=False, error=str(error.response.status_code))
    except Exception as error:  # noqa: BLE001 - whatever it is, the other channels go on, and its words may hold an address
        return Delivery(channel=channel, sent=False, error=type(error).__name__)
    return Delivery(channel=channel, sent=True)


def _post(url: SecretStr | None, body: dict[str, Any], settings: Settings) -> None:
    if url is None:
        raise ConfigurationError("this channel has no address")
    transport = httpx.HTTPTransport(retries=_CONNECTING)
    with httpx.Client(transport=transport, timeout=settings.notify_timeout_seconds) as client:
        client.post(url.get_secret_value(), json=body).raise_for_status()


def mail(message: Message, settings: Settings) -> None:
    """Send a message to ``notify_mail_to`` by ``notify_smtp_url``. A password goes over TLS or not at all.

    Raises:
        ConfigurationError: There is no server, or it takes no TLS and there is a password to send.
    """
    if settings.notify_smtp_url is None:
        raise ConfigurationError("there is no mail server", remedy="Set CLINDEX_NOTIFY_SMTP_URL.")
    place = urlsplit(settings.notify_smtp_url.get_secret_value())
    letter = letter_of(message, settings)
    host, seconds, secure = place.hostname or "", settings.notify_timeout_seconds, ssl.create_default_context()
    if place.scheme == "smtps":
        server: smtplib.SMTP = smtplib.SMTP_SSL(host, place.port or _TLS_PORT, timeout=seconds, context=secure)
    else:
        server = smtplib.SMTP(host, place.port or _PORT, timeout=seconds)
    with server:
        server.ehlo()
        if place.scheme != "smtps" and server.has_extn("starttls"):
            server.starttls(context=secure)
            server.ehlo()
        elif place.scheme != "smtps" and place.password:
            raise ConfigurationError("the mail server takes no TLS: the password was not sent")
        if place.username:
            server.login(unquote(place.username), unquote(place.password or ""))
        server.send_message(letter)


def letter_of(message: Message, settings: Settings) -> EmailMessage:
    """Return the message as a mail."""
    letter = EmailMessage()
    letter["Subject"] = message.subject
    letter["From"] = settings.notify_mail_from
    letter["To"] = ", ".join(settings.notify_mail_to)
    letter.set_content(message.text + "\n")
    return letter
