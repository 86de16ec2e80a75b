"""Make the draft of a replay the configuration of its project, and judge history again on request."""

from dataclasses import dataclass
from typing import cast

from callscope.accounts.models import User
from callscope.db.transactions import run_in_transaction
from callscope.messages.message import Message, MessageError
from callscope.pipeline.decisions.review_edits import follow_settings
from callscope.pipeline.models import Replay, Rescore
from callscope.pipeline.rubric_changes.replays.comparison import Outcome
from callscope.pipeline.rubric_changes.replays.drafts import compose_draft, is_outdated
from callscope.pipeline.rubric_changes.replays.rescoring import request_rescore
from callscope.projects.models import Project
from callscope.projects.services import configure_project
from callscope.reports.window import Window


class NotPublishable(MessageError):
    """The replay runs, was stopped or is published, or other settings that judge calls were saved since."""


@dataclass(frozen=True, slots=True)
class Published:
    """The version that the draft became, and the re-scoring that was asked for."""

    version: int
    rescore: Rescore | None


def is_publishable(replay: Replay, project: Project) -> bool:
    """Return whether the draft of a replay can become the configuration of its project as it is now."""
    if replay.completed_at is None or replay.published_version is not None:
        return False
    is_stopped = bool(cast(Outcome, replay.outcome).get("stopped"))
    return not is_stopped and not is_outdated(replay, project)


def publish_draft(replay: Replay, *, by: User, rescore: Window | None) -> Published:
    """Save the draft as the project's configuration; with a window, queue its calls to be judged again.

    Raises NotPublishable, ProtectedSetting and InvalidConfiguration before anything is written.
    """

    def write() -> Published:
        project = Project.objects.select_for_update().get(pk=replay.project_id)
        locked = Replay.objects.select_for_update().get(pk=replay.pk)
        if locked.completed_at is None:
            raise NotPublishable(Message("replay_not_completed", value=replay.pk))
        if cast(Outcome, locked.outcome).get("stopped"):
            raise NotPublishable(Message("replay_stopped", value=replay.pk))
        if locked.published_version is not None:
            raise NotPublishable(
                Message("replay_published", value=locked.pk, version=locked.published_version)
            )
        if is_outdated(locked, project):
            raise NotPublishable(
                Message("replay_outdated", value=locked.config_version, version=project.config_version)
            )
        with follow_settings(project):
            configure_project(project, compose_draft(locked, project), by)
        locked.published_version = project.config_version
        locked.save(update_fields=["published_version"])
        queued = None if rescore is None else request_rescore(project, by=by, window=rescore)
        return Published(project.config_version, queued)

    return run_in_transaction(write)
