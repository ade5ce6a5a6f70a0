"""Re-indexing: in place, or into a candidate collection that takes the live one's place once a gate has let it pass."""

from pipeline.jobs.reindex.in_place import ReindexSummary, choose, run_reindex

__all__ = ["ReindexSummary", "choose", "run_reindex"]
