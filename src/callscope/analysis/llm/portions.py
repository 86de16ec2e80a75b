"""A call that is longer than the model can read: cut into portions, and their answers merged.

Something done in any portion was done; a fault shown by a verified quote counts
before it; a criterion does not apply only where it applies to no portion.
"""

from collections.abc import Sequence
from dataclasses import replace

from callscope.analysis import evidence
from callscope.analysis.conversation.turns import Conversation, Segment
from callscope.analysis.llm import verification
from callscope.analysis.llm.prompting import AnalysisRequest
from callscope.analysis.llm.response import (
    MAX_QUOTES,
    Answers,
    CriterionAnswer,
    InsightAnswer,
    MistakeAnswer,
    QuestionAnswer,
)
from callscope.analysis.results.messages import sentence
from callscope.projects.configuration import Criterion

LISTS = ("criteria", "prompts", "questions")  # of one entry an item of the checklist
BEST_FIRST = ("met", "partly", "not_met", "not_applicable")


def split_conversation(conversation: Conversation, count: int) -> list[Conversation]:
    """Return at most `count` portions of about equal length, in time order."""
    total = sum(len(s.text) for s in conversation.segments)
    portions: list[list[Segment]] = [[] for _ in range(count)]
    length = 0
    for segment in conversation.segments:
        portions[min(length * count // max(total, 1), count - 1)].append(segment)
        length += len(segment.text)
    return [replace(conversation, segments=segments) for segments in portions if segments]


def merge_answers(
    portions: Sequence[Answers], request: AnalysisRequest, conversation: Conversation
) -> Answers:
    """Return the answers about the whole call; a part that failed for one portion fails."""
    merged = Answers(
        problems={kind: texts for p in portions for kind, texts in p.problems.items()},
        asked_again=frozenset().union(*(p.asked_again for p in portions)),
    )
    failed = {part for part in request.parts for p in portions if getattr(p, part) is None}
    for part in request.parts.keys() - failed:
        # Lists have one row for each portion, in the order of the checklist.
        rows = zip(*(getattr(p, part) for p in portions), strict=True) if part in LISTS else []
        match part:
            case "criteria":
                merged.criteria = [
                    _merge_criterion(row, criterion, conversation)
                    for row, criterion in zip(rows, request.criteria, strict=True)
                ]
            case "prompts":
                merged.prompts = [next((p for p in row if p.said), row[0]) for row in rows]
            case "questions":
                merged.questions = [_merge_question(row, request.language) for row in rows]
            case "mistakes":
                merged.mistakes = _merge_mistakes(portions, request, conversation)
            case "insights":
                merged.insights = _merge_insights([p.insights for p in portions if p.insights])
    return merged


def _merge_criterion(
    rows: Sequence[CriterionAnswer], criterion: Criterion, conversation: Conversation
) -> CriterionAnswer:
    speaker = verification.required_speaker(criterion, "not_met", conversation)

    def rank(row: CriterionAnswer) -> int:
        is_shown_fault = row.answer == "not_met" and bool(
            row.quote and evidence.verify_quote(row.quote, conversation, speaker=speaker)
        )
        return -1 if is_shown_fault else BEST_FIRST.index(row.answer)

    return min(rows, key=rank)


def _merge_mistakes(
    portions: Sequence[Answers], request: AnalysisRequest, conversation: Conversation
) -> list[MistakeAnswer]:
    """Return each mistake once, by the quote that can be verified if there is one."""
    rows = [m for p in portions for m in p.mistakes or []]
    chosen: dict[str, MistakeAnswer] = {}
    for row in sorted(rows, key=lambda r: evidence.verify_quote(r.quote, conversation) is None):
        chosen.setdefault(row.id, row)
    return [chosen[m.id] for m in request.config.no_protocol.mistakes if m.id in chosen]


def _merge_question(rows: Sequence[QuestionAnswer], language: str) -> QuestionAnswer:
    """Return the answers of the portions that had one, joined."""
    nothing = sentence("not_determined", language)
    useful = [r for r in rows if r.quotes] or [r for r in rows if r.answer.rstrip(".").casefold() != nothing]
    if not useful:
        return rows[0]
    answers = list(dict.fromkeys(r.answer for r in useful))
    quotes = [q for r in useful for q in r.quotes][:MAX_QUOTES]
    return useful[0].model_copy(update={"answer": " ".join(answers), "quotes": quotes})


def _merge_insights(rows: Sequence[InsightAnswer]) -> InsightAnswer:
    """Return the reason of the call from its beginning, and its outcome from its end."""
    last_goal = next((r for r in reversed(rows) if r.goal != "unknown"), rows[-1])
    return last_goal.model_copy(
        update={
            "sentiment": next((r.sentiment for r in reversed(rows) if r.sentiment != "unknown"), "unknown"),
            "topic": next((r.topic for r in rows if r.topic), ""),
            "agent_name": next((r.agent_name for r in rows if r.agent_name), ""),
            "contact_reason": next((r.contact_reason for r in rows if r.contact_reason), ""),
        }
    )
