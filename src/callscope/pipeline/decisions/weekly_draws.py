"""Draw the calls of the week before, for every plan that is due."""

import datetime as dt
import logging
from functools import partial

from django.db import Error, transaction

from callscope.db.transactions import run_in_transaction
from callscope.pipeline.decisions.filtered_draws import find_filtered
from callscope.projects.locking import lock_project
from callscope.reports.window import Window, find_day_at_work
from callscope.reviews.models import SamplingPlan
from callscope.reviews.sampling.draw import InvalidSample
from callscope.reviews.sampling.plans import WEEK, draw_week

MOST_WEEKS = 4  # after a long outage older weeks are left out: nobody coaches on those any more

logger = logging.getLogger(__name__)


def draw_due_weeks(now: dt.datetime) -> int:
    """Draw what is due at this moment, and return how many draws were made.

    A week is drawn from Monday morning on, like weekly mails, so that the calls of the night are in.
    """
    today = find_day_at_work(now)
    drawn = 0
    due = SamplingPlan.objects.filter(ended_at=None, next_week__lt=_find_monday(today))
    for plan_id, project_id in due.order_by("pk").values_list("pk", "project_id"):
        try:
            while run_in_transaction(partial(_draw_next, plan_id, project_id, today)):
                drawn += 1
        except Error as error:
            logger.warning("Plan %s could not draw, and tries again later: %s", plan_id, error)
    return drawn


def _draw_next(plan_id: int, project_id: int, today: dt.date) -> bool:
    """Draw the next due week of a plan; return False where none is due, or it waits for a reviewer."""
    this_week = _find_monday(today)
    if lock_project(project_id) is None:
        return False
    plan = SamplingPlan.objects.select_for_update(of=("self",)).filter(pk=plan_id, ended_at=None).first()
    if plan is None or plan.next_week >= this_week:
        return False
    plan.next_week = max(plan.next_week, this_week - MOST_WEEKS * WEEK)
    first, after = Window(plan.next_week, plan.next_week + WEEK - dt.timedelta(days=1)).moments
    try:
        with transaction.atomic():
            among = find_filtered(plan.project, plan.filters)
            if draw_week(plan, first=first, after=after, today=today, among=among) is None:
                logger.warning("Plan %s waits: none of its reviewers can review any more", plan_id)
                return False
    except InvalidSample as error:
        # The week is not drawn in another form than the plan says; the next one is tried again.
        logger.warning("Plan %s draws nothing of the week of %s: %s", plan_id, plan.next_week, error)
        SamplingPlan.objects.filter(pk=plan_id).update(next_week=plan.next_week)
    return True


def _find_monday(day: dt.date) -> dt.date:
    """Return the first day of the week of this day."""
    return day - dt.timedelta(days=day.weekday())
