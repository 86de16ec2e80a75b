"""`callscope retry`: queue again what failed."""

from typing import Annotated

import typer

from callscope.interfaces.cli.runtime.result import CommandResult, command

MAX_REASON = 200  # characters


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    command(app, "retry")(retry)


def retry(
    failed: Annotated[
        bool, typer.Option("--failed", help="Every failed transcription and analysis.")
    ] = False,
    project: Annotated[
        int | None, typer.Option("--project", metavar="ID", min=1, help="Only for this project.")
    ] = None,
    reason: Annotated[
        str | None,
        typer.Option("--reason", metavar="R", help="Only with this error_reason, or these words in it."),
    ] = None,
) -> CommandResult:
    """Queue failed files again, each with all its attempts. Repeating it is harmless.

    Recordings that would fail again (audio_too_short, hallucinated_transcript) are left, unless
    --reason names them.
    """
    if not failed:
        raise typer.BadParameter("say what to retry: --failed.")
    # An empty variable of a script must not widen the choice.
    if reason is not None and not (0 < len(reason.strip()) <= MAX_REASON):
        raise typer.BadParameter(f"--reason takes 1 to {MAX_REASON} characters.")
    from callscope.pipeline.files.retry_failed import retry_failed
    from callscope.projects.models import Project
    from callscope.projects.services import find_project

    projects = [find_project(project)] if project is not None else list(Project.objects.order_by("pk"))
    counts = retry_failed(projects, reason=(reason or "").strip())
    document = {
        "retried": counts.retried,
        "transcriptions": counts.transcriptions,
        "analyses": counts.analyses,
        "left": counts.left,
    }
    text = (
        f"{counts.retried} files are retried: {counts.transcriptions} transcriptions, "
        f"{counts.analyses} analyses."
    )
    if counts.left:
        text += f" {counts.left} files stay failed: they failed for another reason, or would fail again."
    return CommandResult(document, text)
