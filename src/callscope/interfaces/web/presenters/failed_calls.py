"""What a page over calls says about those that could not be analyzed: how many, where, a button to retry."""

from collections.abc import Mapping
from typing import NamedTuple

from django.urls import reverse

from callscope.accounts.models import User
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.report_request import ReportRequest
from callscope.interfaces.web.templatetags.formatting import number
from callscope.pipeline.files.prospects import Prospect
from callscope.pipeline.files.retry_failed import count_prospects
from callscope.projects import permissions
from callscope.projects.models import Project
from callscope.reports.overview.coverage import describe_failed
from callscope.reports.overview.missing_calls import count_failed_by_project

MOST_PROJECTS = 10  # with a link of their own, those with most such calls


class FailedLink(NamedTuple):
    """The failed files of one project."""

    name: str
    calls: int
    url: str


def describe_failed_calls(report_request: ReportRequest, user: User) -> TemplateContext:
    """Return the sentence, and what leads on; only the sentence for those who see own calls alone."""
    projects = report_request.counted_projects
    counts = count_failed_by_project(
        [project.pk for project in projects], report_request.window, report_request.agent_id
    )
    failing = [project for project in report_request.projects if counts.get(project.pk)]
    failing.sort(key=lambda project: (-counts[project.pk], project.name.casefold(), project.pk))
    links = [
        FailedLink(
            project.name,
            counts[project.pk],
            reverse("web:project-files", args=[project.pk]) + "?state=failed",
        )
        for project in failing[:MOST_PROJECTS]
    ]
    is_one = len(report_request.projects) == 1
    return {
        "failed": describe_failed(sum(counts.values()), number),
        "failed_url": links[0].url if is_one and links else "",
        "failed_links": [] if is_one else links,
        "retry": offer_retry(failing[0], count_prospects(failing[0]))
        if is_one and failing and permissions.writable(user, failing)
        else None,
    }


class RetryOffer(NamedTuple):
    """A button that tries the failed files of a project again, all but those that would fail again."""

    url: str
    files: int
    after_change: int  # of them, those that only another engine or other settings help

    @property
    def is_anyway(self) -> bool:
        return self.files == self.after_change


def offer_retry(project: Project, counts: Mapping[Prospect, int]) -> RetryOffer | None:
    """Return the offer by count_prospects(); None where no failed file of the project can end better."""
    after_change = counts[Prospect.AFTER_A_CHANGE]
    files = counts[Prospect.GOOD] + after_change
    url = reverse("web:project-retry-failed", args=[project.pk])
    return RetryOffer(url, files, after_change) if files else None
