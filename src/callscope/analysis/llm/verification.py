"""What a model's answers become: only verified quotes are shown, and points come from our own scoring.

Rules: docs/analysis.md, "Evidence".
"""

import re
from dataclasses import replace
from typing import NamedTuple

from callscope.analysis import scoring
from callscope.analysis.conversation.agent_names import find_agent_name, is_said_in_opening
from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.evidence import format_quote, verify_quote
from callscope.analysis.llm.prompting import AnalysisRequest
from callscope.analysis.llm.response import Answers, InsightAnswer
from callscope.analysis.matching.phrases import find_wording
from callscope.analysis.matching.rule_evaluation import RuleEvaluator
from callscope.analysis.results import findings
from callscope.analysis.results.findings import Findings, Judgment, Quote
from callscope.analysis.results.messages import sentence
from callscope.analysis.results.schema import (
    Answer,
    CustomQuestionsResult,
    FoundItem,
    Insights,
    NoProtocolResult,
)
from callscope.language import tokens
from callscope.language.addresses import drop_addresses
from callscope.language.patterns import PatternTooSlow
from callscope.projects.configuration import Criterion, Mistake, Prompt
from callscope.projects.configuration_rules import list_texts

MIN_QUOTED_WORDS = 3  # in a justification; shorter ones are terms, not quotes
_QUOTED = re.compile(r"“([^”]*)”|\"([^\"]*)\"|«([^»]*)»|‘([^’]{12,})’")
_PLACEHOLDER = re.compile(r"\[[^\]]*\]")


class FailedQuote(NamedTuple):
    """A quote that does not stand in the transcript, or is missing."""

    problem: str  # a sentence for the model
    criterion_id: str  # "" for the quote of anything else


def find_failed_quotes(
    answers: Answers, request: AnalysisRequest, conversation: Conversation
) -> list[FailedQuote]:
    """Return every quote that fails, to be asked again once."""
    failed: list[FailedQuote] = []

    def verify(where: str, quote: str, speaker: str, criterion_id: str = "") -> None:
        if not verify_quote(quote, conversation, speaker=speaker):
            whose = f"the {speaker}'s words in " if speaker != "any" else ""
            shown = f"“{quote[:120]}”" if quote else "an empty quote"
            problem = (
                f"{where}: {shown} does not stand in {whose}the transcript. "
                "Copy word for word, or leave it empty."
            )
            failed.append(FailedQuote(problem, criterion_id))

    for answer, criterion in zip(answers.criteria or [], request.criteria, strict=False):
        where = f'criteria, id "{answer.criterion_id}"'
        if answer.quote:
            speaker = required_speaker(criterion, answer.answer, conversation)
            verify(where, answer.quote, speaker, criterion.id)
        elif answer.answer in ("met", "partly"):
            failed.append(FailedQuote(f"{where}: quote what shows it, if it was said.", criterion.id))
    for prompt in answers.prompts or []:
        if prompt.said:
            verify(f'prompts, id "{prompt.id}"', prompt.quote, _known_speaker("agent", conversation))
    speakers = {m.id: m.speaker for m in request.config.no_protocol.mistakes}
    for mistake in answers.mistakes or []:
        speaker = _known_speaker(speakers[mistake.id], conversation)
        verify(f'mistakes, id "{mistake.id}"', mistake.quote, speaker)
    for number, question in enumerate(answers.questions or [], 1):
        for quote in question.quotes:
            verify(f"questions, number {number}", quote, "any")
    if answers.insights and answers.insights.goal_quote:
        verify('insights, "goal_quote"', answers.insights.goal_quote, "any")
    return failed


def finalize(
    answers: Answers,
    request: AnalysisRequest,
    conversation: Conversation,
    masked: Conversation,
    *,
    unscored_reason: str,
    rubric_version: int | None,
) -> Findings:
    """Return the stored results. A type whose answer was never right is None, with a sentence in `errors`.

    `masked` is what the model read, `conversation` what is shown.
    """
    result = Findings()
    failed = answers.missing_parts(request)
    for kind in failed:
        problem = (answers.problems.get(kind) or ["it left this part out."])[0]
        result.errors[kind] = sentence("answer_refused", request.language, problem=problem)
    usable = [kind for kind in request.types if kind not in failed]
    builder = _ResultBuilder(request, conversation, masked)
    if findings.COPC in usable:
        judgments = builder.judgments(answers, unscored_reason)
        result.copc = scoring.score_call(request.config.rubric, judgments, rubric_version=rubric_version)
    if findings.NO_PROTOCOL in usable:
        result.no_protocol = builder.no_protocol(answers)
    if findings.CUSTOM_QUESTIONS in usable and answers.questions is not None:
        result.custom_questions = builder.custom_questions(answers)
    if findings.INSIGHTS in usable and answers.insights is not None:
        result.insights = builder.insights(answers.insights)
    return result


def required_speaker(criterion: Criterion, answer: Answer, conversation: Conversation) -> str:
    """Return whose words a quote has to be: the rule's speaker, else the agent's for what was done."""
    if criterion.rule:
        return _known_speaker(criterion.rule.speaker, conversation)
    return _known_speaker("agent", conversation) if answer in ("met", "partly") else "any"


def _known_speaker(speaker: str, conversation: Conversation) -> str:
    """Return the speaker, or "any" where it is not known who speaks."""
    is_known = conversation.speaks("agent") or conversation.speaks("customer")
    return speaker if is_known else "any"


class _ResultBuilder:
    """Turns the answers about one call into stored results."""

    def __init__(self, request: AnalysisRequest, conversation: Conversation, masked: Conversation) -> None:
        self.request = request
        self.conversation = conversation
        self.masked = masked
        # The rubric's own wording, which a justification may cite.
        wording = [
            text
            for c in request.criteria
            for text in (c.name, c.guideline, *(list_texts(c.rule.decisive_phrases()) if c.rule else []))
        ]
        texts = [*wording, *request.questions]
        self.known_text = " ".join(" ".join(tokens.tokenize(text)) for text in texts)

    def judgments(self, answers: Answers, unscored_reason: str) -> dict[str, Judgment]:
        if unscored_reason:
            criteria = [c for _, c in self.request.config.rubric.criteria()]
            return {c.id: Judgment(c.id, None, reason=unscored_reason) for c in criteria}
        judged = {}
        for answer, criterion in zip(answers.criteria or [], self.request.criteria, strict=True):
            quote = self.quote(answer.quote, required_speaker(criterion, answer.answer, self.conversation))
            earns = answer.answer in ("met", "partly")
            is_shown = quote is not None or (earns and self.is_shown_by_silence(criterion))
            judgment = Judgment(
                criterion.id,
                answer.answer,
                self.without_false_quotations(answer.justification),
                quote,
                verified=is_shown or not (answer.quote or earns),
                asked_again=criterion.id in answers.asked_again,
            )
            refuses = self.request.config.rubric.on_unverified == "refuse"
            judged[criterion.id] = (
                self.refuse_points(judgment, criterion)
                if refuses and earns and not judgment.verified
                else judgment
            )
        return judged

    def refuse_points(self, judgment: Judgment, criterion: Criterion) -> Judgment:
        """Return what counts where nothing in the transcript shows what would earn points."""
        if not criterion.critical:
            return replace(judgment, answer=None, reason=sentence("unverified", self.request.language))
        text = sentence("unverified_critical", self.request.language)
        return replace(judgment, answer="not_met", justification=f"{text} {judgment.justification}".rstrip())

    def is_shown_by_silence(self, criterion: Criterion) -> bool:
        """True if the criterion only forbids, counts or limits, and the transcript keeps to it."""
        rule = criterion.rule
        if rule is None or rule.has_evidence or rule.is_empty:
            return False
        known = rule.model_copy(update={"speaker": _known_speaker(rule.speaker, self.conversation)})
        try:
            if not rule.is_compound:  # in the whole call: the model read the times
                heard = self.conversation.said_by(known.speaker)
                return find_wording(rule.none_of, list(self.conversation.turns(heard))) is None
            return RuleEvaluator(self.conversation, None, {}).evaluate(known).answer == "met"
        except PatternTooSlow:
            return False

    def no_protocol(self, answers: Answers) -> NoProtocolResult:
        configured = self.request.config.no_protocol
        said = {p.id: p for p in answers.prompts or []}
        made = {m.id: m for m in answers.mistakes or []}
        return {
            "mistakes": [
                self.found_item(m, made[m.id].quote, m.speaker) for m in configured.mistakes if m.id in made
            ],
            "missing_prompts": [
                {"id": p.id, "description": p.text} for p in configured.prompts if not said[p.id].said
            ],
            "prompts": [
                self.found_item(p, said[p.id].quote, "agent") for p in configured.prompts if said[p.id].said
            ],
        }

    def found_item(self, item: Prompt | Mistake, claimed: str, speaker: str) -> FoundItem:
        quote = self.quote(claimed, _known_speaker(speaker, self.conversation))
        return {
            "id": item.id,
            "description": item.text,
            "quote": format_quote(quote),
            "quote_start": quote.start_s if quote else None,
            "verified": quote is not None,
        }

    def custom_questions(self, answers: Answers) -> CustomQuestionsResult:
        result: CustomQuestionsResult = {"answers": {}}
        for question, answer in zip(self.request.questions, answers.questions or [], strict=True):
            quotes = [quote for claimed in answer.quotes if (quote := self.quote(claimed, "any"))]
            result["answers"][question] = {
                "answer": self.without_false_quotations(answer.answer),
                "quotes": list(dict.fromkeys(format_quote(quote) for quote in quotes)),
                "verified": len(quotes) == len(answer.quotes),
            }
        return result

    def insights(self, answer: InsightAnswer) -> Insights:
        agent_name = find_agent_name(self.conversation)
        if not agent_name and is_said_in_opening(answer.agent_name, self.conversation):
            agent_name = answer.agent_name
        is_heard = self.conversation.speaks("customer") or self.conversation.has_unknown_speakers
        return {
            "sentiment": answer.sentiment if is_heard and answer.sentiment != "unknown" else None,
            "topic": " ".join(_PLACEHOLDER.sub(" ", drop_addresses(answer.topic)).split()).rstrip("."),
            "goal_reached": {"reached": True, "not_reached": False}.get(answer.goal),
            "goal_quote": format_quote(self.quote(answer.goal_quote, "any")),
            "agent_name": agent_name,
            "contact_reason_code": answer.contact_reason,
        }

    def quote(self, claimed: str, speaker: str) -> Quote | None:
        return verify_quote(claimed, self.masked, speaker=speaker, original=self.conversation)

    def without_false_quotations(self, text: str) -> str:
        """Return the text without addresses, and quotations that are neither the call's nor the rubric's."""

        def keep_or_strike(match: re.Match[str]) -> str:
            inner = next(group for group in match.groups() if group is not None)
            words = tokens.tokenize(inner)
            is_known = len(words) < MIN_QUOTED_WORDS or f" {' '.join(words)} " in f" {self.known_text} "
            return match.group() if is_known or verify_quote(inner, self.masked) else "[…]"

        return _QUOTED.sub(keep_or_strike, drop_addresses(text))
