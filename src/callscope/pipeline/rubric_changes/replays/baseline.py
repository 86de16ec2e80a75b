"""What a draft is compared with: the answers by the version of the settings that its replay began with.

The stored result of a call may be of an older version. Its distance from the draft is not the effect of the
draft, so such a call is judged by the version first.
"""

from collections.abc import Collection, Iterable

from callscope.analysis.models import CallAnalysis
from callscope.engines.registry import Engines
from callscope.pipeline.ledger.estimates import Estimate, add_estimates, estimate_work, find_engines
from callscope.projects import configuration, versions
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project

#: Settings that have no part in what a call with a transcript is answered: of reports, of people, and of what
#: is done before there is a transcript. Versions that differ in nothing else judge alike.
WITHOUT_EFFECT = ("shift_hours", "targets", "reviews", "retention", "redact", "vocabulary", "channels")
CALLS_AT_ONCE = 1_000


class Baseline:
    """One version of a project's settings, read once, and the versions that judge as it does."""

    def __init__(self, project: Project, number: int) -> None:
        self._project = project
        self._document = versions.get_document(project, number)
        self._alike: dict[int | None, bool] = {None: False, number: True}  # None: imported results
        self.config: Configuration = configuration.parse(self._document, is_stored=True)

    def is_to_judge(self, version: int | None, engines: Engines) -> bool:
        """Return whether a call is judged by this version, because its stored result is not comparable.

        Rules cost nothing: they judge every call, so that a draft that changes nothing shows no change even
        where the rules of an earlier release had judged. A language model judges no call twice by the same
        settings.
        """
        return engines.llm is None or not self._judges_alike(version)

    def _judges_alike(self, version: int | None) -> bool:
        if version not in self._alike:
            document = versions.find_document(self._project, version)
            self._alike[version] = document is not None and _judge_alike(document, self._document)
        return self._alike[version]


def list_versions_apart(project: Project, numbers: Collection[int | None]) -> list[int]:
    """Return those of these versions that judge otherwise than the current one, or are no longer known."""
    others = sorted({each for each in numbers if each is not None} - {project.config_version})
    known = versions.read_documents(project, others)
    today = project.configuration.as_document()
    return [each for each in others if each not in known or not _judge_alike(known[each], today)]


def _judge_alike(one: versions.Document, other: versions.Document) -> bool:
    return all(one.get(name) == value for name, value in other.items() if name not in WITHOUT_EFFECT)


def estimate_replay(project: Project, draft: Configuration, calls: Collection[int]) -> Estimate:
    """Return what judging these calls by a draft takes, and by the current version where that is needed."""
    baseline = Baseline(project, project.config_version)
    engines = find_engines(project, baseline.config)
    again = sum(baseline.is_to_judge(version, engines) for version in _read_versions(sorted(calls)))
    return add_estimates(
        estimate_work(project, draft, calls=len(calls), judgments=len(calls)),
        estimate_work(project, baseline.config, calls=again, judgments=again),
    )


def _read_versions(calls: list[int]) -> Iterable[int | None]:
    """Return the version of each stored result, a part of the calls at a time."""
    for first in range(0, len(calls), CALLS_AT_ONCE):
        live = CallAnalysis.objects.filter(call__in=calls[first : first + CALLS_AT_ONCE], is_live=True)
        yield from live.values_list("config_version", flat=True)
