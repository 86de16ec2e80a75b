"""How much waits for a visitor, as the navigation of every page says it.

One statement for all of it, whose parts read the rows of what is open alone, and at most MOST of each.
"""

from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils.translation import ngettext

from callscope.accounts.models import User
from callscope.analysis.models import ANY_FAILED, CallAnalysis
from callscope.db import raw_sql
from callscope.interfaces.web.templatetags.formatting import number
from callscope.projects.models import Project
from callscope.projects.permissions import writable_by
from callscope.reviews.models import SampledCall
from callscope.reviews.waiting import Work, find_hidden, find_undecided, find_unrated, find_unreviewed

MOST = 100  # of a kind that are counted: more are written as "99+"
NEWEST = 1000  # calls drawn for the visitor that are looked at: of old ones few wait, and each page asks


class Waiting(NamedTuple):
    """How many of each kind wait, at most MOST."""

    reviews: int = 0  # calls to review
    ratings: int = 0  # calls to rate in calibrations
    appeals: int = 0  # to decide
    failed: int = 0  # calls whose newest file has a failed analysis


class Badge(NamedTuple):
    """The number at an entry of the navigation, and what it counts."""

    number: str
    said: str
    is_failure: bool = False  # something went wrong, rather than is to be done


def count_waiting(user: User) -> Waiting:
    """Return what waits for the user in the call projects that the user may write; one statement."""
    statement, parameters = build_statement(user.pk, MOST)
    [row] = raw_sql.fetch_rows(statement, parameters)
    return Waiting(*row)


@lru_cache(maxsize=1024)  # Django takes longer to write it than the database to answer
def build_statement(user_id: int, most: int) -> tuple[str, tuple[Any, ...]]:
    """Return the statement for a user, which stays the same, and its parameters."""
    user = User(pk=user_id)
    projects = writable_by(user, Project.Type.CALL)
    newest = SampledCall.objects.filter(reviewer=user).order_by("-pk").values("pk")[:NEWEST]
    drawn = find_unreviewed(user, projects).filter(pk__in=newest)
    parts: list[QuerySet] = [  # type: ignore[type-arg]
        drawn.values("call").union(find_hidden(user, projects).values("call")),
        find_unrated(user, projects).values("call"),
        find_undecided(user, projects).values("pk"),
        CallAnalysis.objects.filter(ANY_FAILED, project__in=projects, is_newest=True).values("pk"),
    ]
    written = [part.order_by()[:most].query.sql_with_params() for part in parts]
    counts = ", ".join(f"(SELECT COUNT(*) FROM ({sql}) part)" for sql, _parameters in written)  # noqa: S608 - by Django
    return f"SELECT {counts}", tuple(each for _sql, given in written for each in given)


def build_badges(waiting: Waiting) -> dict[str, Badge]:
    """Return the numbers by the name of the entry; none where nothing waits."""
    reviews, ratings, appeals, failed = waiting
    kinds = {
        "reviews": _name_kinds(reviews, ratings, appeals),
        "calls": [
            (
                failed,
                ngettext(
                    "%(count)s call that could not be analyzed",
                    "%(count)s calls that could not be analyzed",
                    failed,
                ),
            )
        ],
    }
    return {
        name: Badge(
            _write(sum(count for count, _sentence in counted)),
            ", ".join(sentence % {"count": _write(count)} for count, sentence in counted if count),
            is_failure=name == "calls",
        )
        for name, counted in kinds.items()
        if any(count for count, _sentence in counted)
    }


def say_work(work: Work) -> str:
    """Return how much of each kind waits, as the badge says it: "5 calls to review, 3 calls to rate"."""
    kinds = _name_kinds(work.reviews, work.ratings, work.appeals)
    return ", ".join(sentence % {"count": number(count, 0)} for count, sentence in kinds if count)


def _name_kinds(reviews: int, ratings: int, appeals: int) -> list[tuple[int, str]]:
    return [
        (reviews, ngettext("%(count)s call to review", "%(count)s calls to review", reviews)),
        (ratings, ngettext("%(count)s call to rate", "%(count)s calls to rate", ratings)),
        (appeals, ngettext("%(count)s appeal to decide", "%(count)s appeals to decide", appeals)),
    ]


def _write(count: int) -> str:
    return f"{number(MOST - 1, 0)}+" if count >= MOST else number(count, 0)
