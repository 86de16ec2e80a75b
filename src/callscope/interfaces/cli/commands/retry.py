"""`callscope retry`: queue again what failed."""

from typing import TYPE_CHECKING, Annotated

import typer

from callscope.interfaces.cli.runtime.result import CommandResult, command

if TYPE_CHECKING:
    from callscope.pipeline.files.retry_failed import RetryCounts

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

    Files that would fail again (audio_too_short, hallucinated_transcript, what cannot be decoded) are
    left and listed, unless --reason names them.
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
        "hopeless": [{"reason": why, "files": files} for why, files in counts.hopeless.items()],
    }
    return CommandResult(document, _describe(counts, chooses=reason is not None))


def _describe(counts: "RetryCounts", *, chooses: bool) -> str:
    """Return what was done as a sentence or two; `chooses` if a reason was named."""
    if not counts.retried and not counts.left:
        return "There is nothing to retry: no file has failed."
    text = "No failed file has that reason." if chooses else "Nothing is retried."
    if counts.retried:
        verb = "is" if counts.retried == 1 else "are"
        parts = f"{_count(counts.transcriptions, 'transcription', 'transcriptions')}, "
        parts += _count(counts.analyses, "analysis", "analyses")
        text = f"{_count(counts.retried, 'file', 'files')} {verb} retried: {parts}."
    if counts.left:
        why = "failed for another reason or would fail again" if chooses else "would fail again"
        stay = "stays failed: it" if counts.left == 1 else "stay failed: they"
        text += f" {_count(counts.left, 'file', 'files')} {stay} {why}."
    if counts.hopeless:
        text += "\nNot worth another attempt:"
        width = max(len(str(files)) for files in counts.hopeless.values())
        text += "".join(f"\n  {files:>{width}}  {why}" for why, files in counts.hopeless.items())
    return text


def _count(number: int, one: str, other: str) -> str:
    return f"{number} {one if number == 1 else other}"
