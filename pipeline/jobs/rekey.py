"""Writes landed payloads anew under the newest key, or plain where there is none any more. Can be interrupted and run again."""

from __future__ import annotations

from pipeline.domain.errors import StoreCorruptError
from pipeline.jobs.summaries import Summary
from pipeline.observability import ProgressReporter, log_event
from pipeline.settings import Settings
from pipeline.storage.landing import FsspecLanding
from pipeline.storage.landing_keys import landing_keys


class RekeySummary(Summary):
    """What was rewritten."""

    payloads: int
    rewritten: int
    damaged: int
    encrypted: bool


def rekey_landing(settings: Settings) -> RekeySummary:
    """Store every landed payload as it would be stored now. A damaged one is counted and left as it is.

    Raises:
        ConfigurationError: A payload is under a key that is not given. What was rewritten before stays rewritten.
    """
    keys = landing_keys(settings)
    landing = FsspecLanding(settings.landing, keys=keys)
    payloads = rewritten = damaged = 0
    with ProgressReporter("rekey payloads", total=None) as progress:
        for sha256 in landing.hashes():
            payloads += 1
            try:
                rewritten += landing.rewrite(sha256)
            except StoreCorruptError:
                damaged += 1
            progress.advance()
    log_event("landing_rekeyed", payloads=payloads, rewritten=rewritten, damaged=damaged, encrypted=keys.encrypts)
    return RekeySummary(payloads=payloads, rewritten=rewritten, damaged=damaged, encrypted=keys.encrypts)
