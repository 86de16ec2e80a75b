"""A call that is longer than the model can read: cut into portions, and the answers put together.

Something done in any portion was done; a fault shown by a verified quote counts
before it; a criterion does not apply only where it applies to no portion.
"""

from dataclasses import replace

from callscope.analysis import evidence, gate
from callscope.analysis.answers import (
    Answers,
    CriterionAnswer,
    InsightAnswer,
    MistakeAnswer,
    PromptAnswer,
    QuestionAnswer,
)
from callscope.analysis.conversation import Conversation, Segment
from callscope.analysis.prompting import Asked
from callscope.analysis.sentences import sentence
from callscope.projects.configuration import Criterion


def cut(conversation: Conversation, count: int) -> list[Conversation]:
    """Return at most `count` portions of about equal length, in time order."""
    total = sum(len(s.text) for s in conversation.segments)
    runs: list[list[Segment]] = [[] for _ in range(count)]
    read = 0
    for segment in conversation.segments:
        runs[min(read * count // max(total, 1), count - 1)].append(segment)
        read += len(segment.text)
    return [replace(conversation, segments=run) for run in runs if run]


def merge(found: list[Answers], asked: Asked, conversation: Conversation) -> Answers:
    """Return the answers about the whole call; a type that failed for one portion fails."""
    problems = {name: told for answers in found for name, told in answers.problems.items()}
    result = Answers(problems=problems)
    if all(a.criteria is not None for a in found):
        rows = zip(*(a.criteria or [] for a in found), strict=True)
        result.criteria = [
            _criterion(list(r), c, conversation) for r, c in zip(rows, asked.criteria, strict=True)
        ]
    if all(a.prompts is not None for a in found):
        result.prompts = [_prompt(list(r)) for r in zip(*(a.prompts or [] for a in found), strict=True)]
    if all(a.mistakes is not None for a in found):
        result.mistakes = _mistakes([m for a in found for m in a.mistakes or []], asked, conversation)
    if all(a.questions is not None for a in found):
        rows_of_questions = zip(*(a.questions or [] for a in found), strict=True)
        result.questions = [_question(list(r), asked.language) for r in rows_of_questions]
    insights = [a.insights for a in found if a.insights is not None]
    if len(insights) == len(found):
        result.insights = _insights(insights)
    return result


def _criterion(
    rows: list[CriterionAnswer], criterion: Criterion, conversation: Conversation
) -> CriterionAnswer:
    speaker = gate.required_speaker(criterion, "not_met", conversation)

    def rank(row: CriterionAnswer) -> int:
        is_shown_fault = row.answer == "not_met" and bool(
            row.quote and evidence.check(row.quote, conversation, speaker=speaker)
        )
        return 0 if is_shown_fault else 1 + ["met", "partly", "not_met", "not_applicable"].index(row.answer)

    return min(rows, key=rank)


def _prompt(rows: list[PromptAnswer]) -> PromptAnswer:
    return next((r for r in rows if r.said), rows[0])


def _mistakes(rows: list[MistakeAnswer], asked: Asked, conversation: Conversation) -> list[MistakeAnswer]:
    chosen: dict[str, MistakeAnswer] = {}
    for row in sorted(rows, key=lambda r: evidence.check(r.quote, conversation) is None):
        chosen.setdefault(row.id, row)
    return [chosen[m.id] for m in asked.config.no_protocol.mistakes if m.id in chosen]


def _question(rows: list[QuestionAnswer], language: str) -> QuestionAnswer:
    nothing = sentence("not_determined", language)
    told = [r for r in rows if r.quotes] or [r for r in rows if r.answer.rstrip(".").casefold() != nothing]
    if not told:
        return rows[0]
    answers = list(dict.fromkeys(r.answer for r in told))
    return replace(told[0], answer=" ".join(answers), quotes=[q for r in told for q in r.quotes][:5])


def _insights(rows: list[InsightAnswer]) -> InsightAnswer:
    """The reason of a call stands at its beginning, its outcome at its end."""
    last_mood = next((r.sentiment for r in reversed(rows) if r.sentiment != "unknown"), "unknown")
    last_goal = next((r for r in reversed(rows) if r.goal != "unknown"), rows[-1])
    return InsightAnswer(
        sentiment=last_mood,
        topic=next((r.topic for r in rows if r.topic), ""),
        goal=last_goal.goal,
        goal_quote=last_goal.goal_quote,
        agent_name=next((r.agent_name for r in rows if r.agent_name), ""),
        contact_reason=next((r.contact_reason for r in rows if r.contact_reason), ""),
    )
