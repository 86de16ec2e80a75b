"""What a model's answers become: only verified quotes are shown, and points come from our own scoring.

Rules: docs/analysis.md, "Evidence".
"""

import re
from typing import Any

from callscope.analysis import evidence, findings, scoring
from callscope.analysis.agent_names import agent_name, stands_in_opening
from callscope.analysis.answers import Answers, InsightAnswer, QuestionAnswer
from callscope.analysis.conversation import Conversation
from callscope.analysis.findings import Answer, Findings, Judgement, Quote
from callscope.analysis.prompting import Asked
from callscope.analysis.sentences import sentence
from callscope.engines.embeddings import words
from callscope.projects.configuration import Criterion

LEAST_QUOTED_WORDS = 3  # in a justification; shorter ones are terms, not quotes
_QUOTED = re.compile(r"“([^”]*)”|\"([^\"]*)\"|«([^»]*)»|‘([^’]{12,})’")
_PLACEHOLDER = re.compile(r"\[[^\]]*\]")


def doubts(answers: Answers, asked: Asked, conversation: Conversation) -> list[str]:
    """Return a sentence for the model about every quote that fails, to be asked again once."""
    found = []
    for answer, criterion in zip(answers.criteria or [], asked.criteria, strict=False):
        speaker = required_speaker(criterion, answer.answer, conversation)
        if answer.quote and not evidence.check(answer.quote, conversation, speaker=speaker):
            found.append(_doubt(f'criteria, id "{answer.criterion_id}"', answer.quote, speaker))
        elif not answer.quote and answer.answer in ("met", "partly"):
            found.append(f'criteria, id "{answer.criterion_id}": quote what shows it, if it was said.')
    found += [
        _doubt(f'prompts, id "{prompt.id}"', prompt.quote, "agent")
        for prompt in answers.prompts or []
        if prompt.said and not evidence.check(prompt.quote, conversation, speaker=_agent(conversation))
    ]
    speakers = {m.id: m.speaker for m in asked.config.no_protocol.mistakes}
    for mistake in answers.mistakes or []:
        speaker = _known(speakers[mistake.id], conversation)
        if not evidence.check(mistake.quote, conversation, speaker=speaker):
            found.append(_doubt(f'mistakes, id "{mistake.id}"', mistake.quote, speaker))
    for number, question in enumerate(answers.questions or [], 1):
        wrong = [q for q in question.quotes if not evidence.check(q, conversation)]
        found += [_doubt(f"questions, number {number}", q, "any") for q in wrong]
    goal_quote = answers.insights.goal_quote if answers.insights else ""
    if goal_quote and not evidence.check(goal_quote, conversation):
        found.append(_doubt('insights, "goal_quote"', goal_quote, "any"))
    return found


def settle(
    answers: Answers,
    asked: Asked,
    conversation: Conversation,
    masked: Conversation,
    *,
    why_not_scored: str,
    rubric_version: int | None,
) -> Findings:
    """Return the stored results. A type whose answer was never right is None, with a sentence in `errors`.

    `masked` is what the model read, `conversation` what is shown.
    """
    result = Findings()
    failed = set(answers.lacking(asked))
    for name in asked.types:
        if name in failed:
            problem = (answers.problems.get(name) or ["it left this part out."])[0]
            result.errors[name] = sentence("answer_refused", asked.language, problem=problem)
    reader = _Reader(asked, conversation, masked)
    if findings.COPC in asked.types and findings.COPC not in failed:
        judged = reader.judgements(answers, why_not_scored)
        result.copc = scoring.score(asked.config.rubric, judged, rubric_version=rubric_version)
    if findings.NO_PROTOCOL in asked.types and findings.NO_PROTOCOL not in failed:
        result.no_protocol = reader.no_protocol(answers)
    if findings.CUSTOM_QUESTIONS in asked.types and answers.questions is not None:
        result.custom_questions = {"answers": {q.question: reader.question(q) for q in answers.questions}}
    if findings.INSIGHTS in asked.types and answers.insights is not None:
        result.insights = reader.insights(answers.insights)
    return result


def required_speaker(criterion: Criterion, answer: Answer, conversation: Conversation) -> str:
    """Return whose words a quote has to be: the rule's speaker, else the agent's for what was done."""
    if criterion.rule:
        return _known(criterion.rule.speaker, conversation)
    return _agent(conversation) if answer in ("met", "partly") else "any"


def _agent(conversation: Conversation) -> str:
    return _known("agent", conversation)


def _known(speaker: str, conversation: Conversation) -> str:
    """Return the speaker, or "any" where nobody knows who speaks."""
    nobody_known = not conversation.speaks("agent") and not conversation.speaks("customer")
    return "any" if nobody_known else speaker


def _doubt(where: str, quote: str, speaker: str) -> str:
    whose = f"the {speaker}'s words in " if speaker != "any" else ""
    shown = f"“{quote[:120]}”" if quote else "an empty quote"
    return f"{where}: {shown} does not stand in {whose}the transcript. Copy word for word, or leave it empty."


class _Reader:
    """Turns one call's answers into stored results."""

    def __init__(self, asked: Asked, conversation: Conversation, masked: Conversation) -> None:
        self.asked = asked
        self.conversation = conversation
        self.masked = masked
        self.known_texts = " ".join(_texts(asked))

    def judgements(self, answers: Answers, why_not_scored: str) -> dict[str, Judgement]:
        if why_not_scored:
            criteria = [c for _, c in self.asked.config.rubric.criteria()]
            return {c.id: Judgement(c.id, None, reason=why_not_scored) for c in criteria}
        judged = {}
        for answer, criterion in zip(answers.criteria or [], self.asked.criteria, strict=True):
            quote = self.quote(answer.quote, required_speaker(criterion, answer.answer, self.conversation))
            needs_quote = bool(answer.quote) or answer.answer in ("met", "partly")
            judged[criterion.id] = Judgement(
                criterion.id,
                answer.answer,
                self.clean(answer.justification),
                quote,
                verified=quote is not None or not needs_quote,
            )
        return judged

    def no_protocol(self, answers: Answers) -> dict[str, Any]:
        asked = self.asked.config.no_protocol
        said = {p.id: p for p in answers.prompts or []}
        made = {m.id: m for m in answers.mistakes or []}
        agent = _agent(self.conversation)
        mistakes = [
            {"id": m.id, "description": m.text, **self.evidence(made[m.id].quote, self.speaker(m.speaker))}
            for m in asked.mistakes
            if m.id in made
        ]
        missing = [{"id": p.id, "description": p.text} for p in asked.prompts if not said[p.id].said]
        found = [
            {"id": p.id, "description": p.text, **self.evidence(said[p.id].quote, agent)}
            for p in asked.prompts
            if said[p.id].said
        ]
        return {"mistakes": mistakes, "missing_prompts": missing, "prompts": found}

    def speaker(self, asked: str) -> str:
        return _known(asked, self.conversation)

    def question(self, answer: QuestionAnswer) -> dict[str, Any]:
        quotes = [q for text in answer.quotes if (q := self.quote(text, "any"))]
        shown = list(dict.fromkeys(evidence.shown(q) for q in quotes))
        return {
            "answer": self.clean(answer.answer),
            "quotes": shown,
            "verified": len(quotes) == len(answer.quotes),
        }

    def insights(self, found: InsightAnswer) -> dict[str, Any]:
        spoken = agent_name(self.conversation)
        if not spoken and stands_in_opening(found.agent_name, self.conversation):
            spoken = found.agent_name
        heard = self.conversation.speaks("customer") or self.conversation.has_unknown_speakers
        return {
            "sentiment": found.sentiment if heard and found.sentiment != "unknown" else None,
            "topic": " ".join(_PLACEHOLDER.sub(" ", found.topic).split()).rstrip("."),
            "goal_reached": {"reached": True, "not_reached": False}.get(found.goal),
            "goal_quote": evidence.shown(self.quote(found.goal_quote, "any")),
            "agent_name": spoken,
            "contact_reason_code": found.contact_reason,
        }

    def evidence(self, claimed: str, speaker: str) -> dict[str, Any]:
        quote = self.quote(claimed, speaker)
        return {
            "quote": evidence.shown(quote),
            "quote_start": quote.start_s if quote else None,
            "verified": quote is not None,
        }

    def quote(self, claimed: str, speaker: str) -> Quote | None:
        return evidence.check(claimed, self.masked, speaker=speaker, original=self.conversation)

    def clean(self, text: str) -> str:
        """Return the text without the quotations that stand neither in the call nor in the rubric."""
        return _QUOTED.sub(self._kept_or_struck, text)

    def _kept_or_struck(self, match: re.Match[str]) -> str:
        inner = next(g for g in match.groups() if g is not None)
        told = words.words(inner)
        if len(told) < LEAST_QUOTED_WORDS or f" {' '.join(told)} " in f" {self.known_texts} ":
            return match.group()
        return match.group() if evidence.check(inner, self.masked) else "[…]"


def _texts(asked: Asked) -> list[str]:
    """Return the rubric's own wording, which a justification may cite."""
    texts = [t for c in asked.criteria for t in (c.name, c.guideline, *(c.rule.any_of if c.rule else []))]
    return [" ".join(words.words(t)) for t in [*texts, *asked.questions]]
