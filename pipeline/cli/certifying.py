"""``clindex certificate list | show | verify``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.output import Json, Verbose, execute, say, table
from pipeline.settings import Settings

if TYPE_CHECKING:
    from pipeline.jobs.certificates.check import CertificateReport, CertificateResult
    from pipeline.jobs.certificates.listing import CertificateList
    from pipeline.jobs.certificates.model import Certificate
    from pipeline.jobs.certificates.probes.model import Check

app = typer.Typer(help="Proofs of deletion, chained by their hashes.", no_args_is_help=True)

Number = Annotated[int, typer.Argument(metavar="NUMBER", min=1, help="As `clindex certificate list` shows it.")]


@app.command("list")
def list_(as_json: Json = False, verbose: Verbose = False) -> None:
    """Show every certificate, the newest first."""
    from pipeline.jobs.certificates.listing import list_certificates
    from pipeline.wiring import open_services

    def run() -> CertificateList:
        with open_services(Settings()) as services:
            return list_certificates(services)

    def render(found: CertificateList) -> None:
        for one in found.certificates:
            say(f"{one.number:>6}  {one.issued_at[:19]}  {one.cause}  {one.documents:,} documents  {one.points:,} points  {one.hash[:16]}…")
        say(f"{len(found.certificates):,} certificates, {found.open_deletions:,} deletions without one yet")

    execute(run, as_json=as_json, render=render, verbose=verbose)


@app.command("show")
def show(number: Number, as_json: Json = False, verbose: Verbose = False) -> None:
    """Show one certificate: what was deleted, why, how much, and what the verifier looked at."""
    from pipeline.jobs.certificates.listing import show_certificate
    from pipeline.wiring import open_services

    def run() -> Certificate:
        with open_services(Settings()) as services:
            return show_certificate(services, number)

    execute(run, as_json=as_json, render=_render_certificate, verbose=verbose)


@app.command("verify")
def verify(
    number: Annotated[int | None, typer.Argument(metavar="[NUMBER]", min=1, help="Only this one, and the chain; left out: all.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="All certificates (as without a number).")] = False,
    as_json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Check hashes, seals, chain and files, and look again for everything that is certified to be gone. Exits 1 if anything is wrong."""
    from pipeline.jobs.certificates.check import verify_certificates
    from pipeline.wiring import open_services

    if all_ and number is not None:
        raise typer.BadParameter("give a number or --all, not both")

    def run() -> CertificateReport:
        with open_services(Settings()) as services:
            return verify_certificates(services, number)

    execute(run, as_json=as_json, render=_render_report, failed=lambda report: not report.passed, verbose=verbose)


def _render_certificate(one: Certificate) -> None:
    body = one.body
    rows: list[tuple[str, object]] = [
        ("issued", body.issued_at),
        ("deletion", body.deletion_id),
        ("cause", body.cause),
        ("requested", f"{body.requested_at} by {body.requested_by}"),
        *([("patient", body.patient)] if body.patient else []),
        ("documents", body.counts.documents),
        ("points", body.counts.points),
        ("objects in landing", body.counts.landed),
        ("embedded texts", body.counts.texts),
        ("readings", body.counts.readings),
        ("rows of truth", sum(body.counts.rows.values())),
        ("collections", ", ".join(body.collections)),
        ("verified", body.verified_at),
        ("previous", body.previous),
        ("hash", one.hash),
        ("seal", one.seal),
    ]
    table(f"Certificate {body.number}", rows)
    for document in body.documents:
        say(f"  {document.document_id}  {document.kind}  {document.source}")
    _render_checks(body.checks)


def _render_report(report: CertificateReport) -> None:
    for problem in report.problems:
        say(f"chain: {problem}", style="bold red")
    for one in report.results:
        _render_result(one)
    say(f"{report.certificates:,} certificates; {'everything holds' if report.passed else 'NOT everything holds'}")
    if report.head:
        say(f"newest: {report.head} (write it down elsewhere: it shows that nobody has replaced the chain as a whole)")


def _render_result(one: CertificateResult) -> None:
    state = "holds" if one.passed else "FAILS"
    left_out = f", {one.lifted:,} documents left out that may be taken in again" if one.lifted else ""
    say(f"{one.number:>6}  {one.deletion_id}  {state}{'' if one.probed else ' (not looked for again)'}{left_out}")
    for problem in one.problems:
        say(f"        {problem}", style="bold red")
    _render_checks([check for check in one.checks if check.verdict == "failed"])


def _render_checks(checks: list[Check]) -> None:
    for check in checks:
        say(f"  {check.verdict:<12} {check.probe.value}: looked at {check.looked_at:,}, met {check.hits:,}")
        for place in check.where:
            say(f"      {place}")
