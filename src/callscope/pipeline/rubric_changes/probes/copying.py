"""Copies of stored calls, made again from their words whenever they are needed and stored nowhere."""

from collections.abc import Collection, Iterable

from callscope.analysis.counterfactuals.copies import Copier
from callscope.analysis.counterfactuals.groups import GROUPS
from callscope.analysis.counterfactuals.protection import Protection
from callscope.analysis.models import CallAnalysis
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project
from callscope.transcription.models import Transcript

CALLS_AT_ONCE = 100  # of which the words are held at a time
LATEST = 200  # transcripts whose languages are looked at


def load_transcript(call_id: int) -> Transcript | None:
    """Return the transcript that the results of a call are of; None where it was removed."""
    live = CallAnalysis.objects.filter(call=call_id, is_live=True).first()
    stored = Transcript.objects.select_related("file__call__agent", "project")
    return stored.filter(file=live.file_id).first() if live else None


def read_copier(transcript: Transcript, config: Configuration, protection: Protection) -> Copier:
    """Return what makes the copies of a call; each time the same ones."""
    from callscope.analysis.analyze import read_agent_name, read_conversation

    return Copier(
        read_conversation(transcript, config),
        agent_name=read_agent_name(transcript),
        protection=protection,
        number=transcript.file.call_id or 0,
    )


def list_groups(project: Project) -> list[str]:
    """Return the groups whose copies can differ from the project's calls: those of its languages."""
    language = project.configuration.language
    languages = {str(language)}
    if language == "auto":
        latest = Transcript.objects.filter(project=project).order_by("-pk")
        languages = {each[:2] for each in latest.values_list("language", flat=True)[:LATEST] if each}
    return [
        name for name, group in GROUPS.items() if not languages or not languages.isdisjoint(group.languages)
    ]


def find_unchanged(
    call_ids: Collection[int], variants: Iterable[str], config: Configuration
) -> frozenset[tuple[int, str]]:
    """Return the calls and variants for which there is nothing to change, so that nobody is asked."""
    groups = [name for name in variants if name in GROUPS]
    if not groups:
        return frozenset()
    protection = Protection(config)
    live = CallAnalysis.objects.filter(call__in=call_ids, is_live=True).order_by("call")
    files = list(live.values_list("file", flat=True))
    found = set()
    for at in range(0, len(files), CALLS_AT_ONCE):
        stored = Transcript.objects.select_related("file__call__agent", "project")
        for transcript in stored.filter(file__in=files[at : at + CALLS_AT_ONCE]):
            copier = read_copier(transcript, config, protection)
            found |= {(copier.number, name) for name in groups if copier.make_copy(name) is None}
    return frozenset(found)
