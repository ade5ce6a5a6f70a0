"""A person's own words beside a decision: they go into files under version control, so that nobody may be named in them."""

from __future__ import annotations

from typing import Final

from pipeline.domain.errors import GuardRefusedError, UsageError
from pipeline.domain.vocabulary import DocumentKind, Source
from pipeline.stages.deidentify.gate import suspects
from pipeline.wiring import Services


def checked(services: Services, text: str, *, longest: int, what: str) -> str:
    """Return a person's words in one line.

    Args:
        services: For the scrubber, with the policy of clinical text.
        text: The words; may be empty.
        longest: Characters.
        what: Name of the field, for errors.

    Raises:
        UsageError: They are too long.
        GuardRefusedError: The scrubber or the gate finds an identifier in them. The error quotes nothing.
    """
    words = " ".join(text.split())
    if len(words) > longest:
        raise UsageError(f"the {what} has {len(words)} characters, at most {longest} are kept", remedy="Say it shorter.")
    if not words:
        return ""
    policy = services.policy(DocumentKind.UNKNOWN, Source.DOCUMENTS)
    found = {one.category.value for one in services.scrubber.scrub(words, policy).replacements}
    found |= {one.category.value for one in suspects(words, policy.classes)}
    if found:
        raise GuardRefusedError(
            f"the {what} may identify somebody ({', '.join(sorted(found))})",
            remedy="Leave names, dates, numbers and places out: decisions are files that others read.",
        )
    return words


NOTE: Final = "note"
TITLE: Final = "title"
