"""What one call answers to the questions of its project."""

from typing import NamedTuple

from django.utils.translation import gettext as _

from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.presenters.evidence import Quote
from callscope.reports.call_list.call_detail import CallDetail
from callscope.reports.questions.summary import is_undetermined


class QuestionAnswer(NamedTuple):
    question: str
    answer: str
    quotes: list[Quote]


def present_answers(detail: CallDetail, *, is_by_rules: bool) -> TemplateContext:
    """Return the questions with their answers; where rules could answer none, those without a quote apart."""
    found = build_answers(detail) or []
    needs_model = is_by_rules and answers_nothing(detail)
    return {
        "has_answers": bool(found),
        "answers": [each for each in found if each.quotes or not needs_model],
        "unanswered": [each.question for each in found if needs_model and not each.quotes],
        "answers_need_a_model": needs_model,
    }


def build_answers(detail: CallDetail) -> list[QuestionAnswer] | None:
    """Return the project's questions with their answers; None while that analysis has not run."""
    result = detail.completed("custom_questions")
    if result is None:
        return None
    return [
        QuestionAnswer(
            question=question,
            answer=_("not determined") if is_undetermined(text := answer.get("answer") or "") else text,
            quotes=[quote for said in answer.get("quotes") or [] if (quote := Quote.of(said))],
        )
        for question, answer in (result.get("answers") or {}).items()
    ]


def answers_nothing(detail: CallDetail) -> bool:
    """Return whether every question is left undetermined."""
    answers = (detail.completed("custom_questions") or {}).get("answers") or {}
    return all(is_undetermined(answer.get("answer") or "") for answer in answers.values())
