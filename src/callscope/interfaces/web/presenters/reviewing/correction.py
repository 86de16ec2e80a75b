"""Prepare the form that corrects one answer of a call: all others stay as they count."""

from django.http import QueryDict

from callscope.interfaces.web.presenters.reviewing.review import ReviewForm, list_rows
from callscope.reports.call_list.call_detail import CallDetail
from callscope.reviews.models import Review
from callscope.reviews.revisions import GivenReview, read_answers


class CorrectionForm(ReviewForm):
    """One criterion with the answer that counts; without rows where the call does not carry it."""

    def __init__(self, detail: CallDetail, criterion_id: str) -> None:
        super().__init__(detail, None)
        self.shows_machine, self.is_blind = True, False
        self.findings, self.places = [], []
        self.rows = [row for row in list_rows(detail, shows_machine=True) if row.key == criterion_id]
        current = Review.objects.filter(call=detail.call, is_current=True).first()
        self.standing = None if current is None or current.is_outdated else current
        outdated = set(self.standing.outdated_criteria) if self.standing else set()
        given = read_answers(self.standing) if self.standing else []
        self.answers = {each.criterion_id: each for each in given if each.criterion_id not in outdated}
        for row in self.rows:
            said = self.answers.get(row.key)
            row.answer = said.answer if said else row.criterion["machine_answer"] or ""
            row.comment, row.quote = (said.comment, said.quote) if said else ("", "")

    def read(self, sent: QueryDict, *, submits: bool) -> GivenReview | None:
        """Take the answer that was sent; return the review that stands with it, None where it is wrong."""
        given = super().read(sent, submits=submits)
        if given is None or given.answers is None:
            return None
        answers = self.answers | {each.criterion_id: each for each in given.answers}
        return GivenReview(
            answers=list(answers.values()),
            comment=self.standing.comment if self.standing else "",
            blind=False,
            submits=True,
            is_partial=True,
            keeps_findings=self.standing is not None,
        )
