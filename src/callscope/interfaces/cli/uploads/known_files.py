"""What the server has already under the names that are to be sent, and what failed there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from callscope.calls.names import clean_file_name

if TYPE_CHECKING:
    from callscope.interfaces.cli.runtime.client import Json, Server

NAMES_AT_ONCE = 100  # the most that the server takes
MAX_QUERY = 6000  # bytes of names in one address, escaped; servers bound an address to 8 kB and more
OPEN_STATES = ("queued", "processing")
REASONS = {
    "audio_too_short": "The recording is shorter than 10 seconds.",
    "hallucinated_transcript": "The transcript has times far beyond the end of the recording.",
    "private_transcription_unavailable": "The private transcription service could not be reached.",
}
PARTS = {
    "calls_analysis_copc": "scorecard",
    "calls_analysis_no_protocol": "prompts and mistakes",
    "calls_analysis_custom_questions": "questions",
    "calls_analysis_insights": "sentiment, reason and goal",
}


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file that the server has."""

    id: int
    name: str  # as the server keeps it
    task_id: str
    is_final: bool  # nothing is going on with it any more
    is_failed: bool  # it could not be transcribed
    problem: str  # why it, or a part of its analyses, failed; "" if nothing did

    @classmethod
    def of(cls, resource: "Json") -> "KnownFile":
        """Return what a file resource says."""
        status = resource["status"]
        states = (resource.get("analysis_states") or {}).values()
        is_open = status not in ("transcribed", "failed") or (
            status == "transcribed" and any(state in OPEN_STATES for state in states)
        )
        return cls(
            id=int(resource["id"]),
            name=resource["original_filename"],
            task_id=resource.get("task_id") or "",
            is_final=not is_open,
            is_failed=status == "failed",
            problem=_describe_problem(resource),
        )


def load_known_files(server: "Server", project: int, names: Sequence[str]) -> dict[str, KnownFile]:
    """Return name → the newest file of it, for those of these names that the project has."""
    by_stored_name: dict[str, KnownFile] = {}
    for chunk in _split(names):
        query = {"project": project, "name": chunk}
        for resource in server.pages("/api/files/", query):
            file = KnownFile.of(resource)
            former = by_stored_name.get(file.name)
            if former is None or former.id < file.id:
                by_stored_name[file.name] = file
    cleaned = {name: clean_file_name(name) for name in names}
    return {name: by_stored_name[kept] for name, kept in cleaned.items() if kept in by_stored_name}


def load_files(server: "Server", ids: Sequence[int]) -> Iterator[KnownFile]:
    """Yield these files, at most NAMES_AT_ONCE; those that were deleted are left out."""
    for resource in server.pages("/api/files/", {"ids": ",".join(map(str, ids))}):
        yield KnownFile.of(resource)


def _split(names: Sequence[str]) -> Iterator[list[str]]:
    """Yield the names in lists that one address can hold."""
    chunk: list[str] = []
    size = 0
    for name in names:
        # Each byte of a name takes up to three in an address.
        length = 3 * len(name.encode("utf-8", "replace")) + len("&name=")
        if chunk and (len(chunk) == NAMES_AT_ONCE or size + length > MAX_QUERY):
            yield chunk
            chunk, size = [], 0
        chunk.append(name)
        size += length
    if chunk:
        yield chunk


def _describe_problem(resource: "Json") -> str:
    if resource["status"] == "failed":
        reason = resource.get("error_reason") or ""
        sentence = REASONS.get(reason) or resource.get("error_detail") or "The cause is not known."
        return f"{sentence} ({reason})" if reason else str(sentence)
    errors: dict[str, list[str]] = {}
    for name, sentence in (resource.get("analysis_errors") or {}).items():
        errors.setdefault(sentence, []).append(PARTS.get(name, name))
    states = resource.get("analysis_states") or {}
    if len(errors) == 1 and all(state == "failed" for state in states.values()):
        return next(iter(errors))
    return " ".join(f"Not analyzed: {', '.join(parts)}. {sentence}" for sentence, parts in errors.items())
