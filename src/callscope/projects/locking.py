"""The lock that every change of a project's calls takes first."""

from callscope.projects.models import Project


def lock_project(project_id: int) -> Project | None:
    """Lock the project's row for this transaction and return it; None if it is deleted.

    Take this lock before that of any other row, so that transactions cannot deadlock.
    Rows that point to the project can still be inserted while it is held.
    """
    return Project.objects.select_for_update(no_key=True).filter(pk=project_id).first()


def get_locked_project(project_id: int) -> Project:
    """Lock the project's row like `lock_project`; raise Project.DoesNotExist if it is deleted."""
    return Project.objects.select_for_update(no_key=True).get(pk=project_id)
