from __future__ import annotations

from sqlalchemy import select

from pipeline.jobs.heartbeat import Heartbeat
from pipeline.storage import runs
from pipeline.storage.tables import runs as table
from pipeline.wiring import Services, utc_now


def _beat(services: Services) -> object:
    with services.db.read() as tx:
        return tx.execute(select(table.c.beat_at).where(table.c.kind == "invented")).scalar_one()


def test_the_first_sign_of_life_is_written_at_once_and_the_next_only_after_a_while(services: Services) -> None:
    with services.db.begin() as tx:
        run_id = runs.start_run(tx, "invented", utc_now())
    begun = _beat(services)
    heart = Heartbeat(services, run_id)
    heart.beat()
    first = _beat(services)
    assert first != begun
    heart.beat()
    assert _beat(services) == first
