"""What a person who decides on a plan is shown: ids, counts and the guards' reasons, as Markdown. No text of a document."""

from __future__ import annotations

from pipeline.jobs.plans.model import RepairPlan


def subject_of(plan: RepairPlan) -> str:
    """Return the question as one line."""
    return f"Repair plan {plan.run_id}: delete {plan.delete_points:,} of {plan.points:,} points ({plan.delete_share:.1%})?"


def body_of(plan: RepairPlan, *, undo_days: int) -> str:
    """Return what is needed to decide."""
    rows = [
        f"| {part.source} | {part.kind} | {part.delete_points:,} | {part.index_documents:,} | {part.rewrite_documents:,} |"
        for part in plan.blast
    ]
    classes = [f"- `{name}` {plan.classes[name]:,}: {words}" for name, words in plan.why.items()]
    reasons = [f"- **{one.guard.value}**: {one.reason}" for one in plan.refused] or ["- none"]
    parts = [
        "Guards that refuse it:",
        *reasons,
        "",
        "| source | kind | points deleted | documents indexed anew | documents with new payloads |",
        "|---|---|---|---|---|",
        *rows,
        "",
        "What was found:",
        *classes,
        "",
        f"Collection `{plan.collection}`, plan sha256 `{plan.sha256}`. What is deleted or replaced is saved first: {undo_days} days to undo it.",
        "Approved, it is carried out if nothing has changed since; rejected, or without an answer, nothing is touched and the run ends red.",
    ]
    return "\n".join(parts)
