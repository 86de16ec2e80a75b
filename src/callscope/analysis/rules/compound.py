"""Judge a rule that wants, counts or orders several things, and say in sentences what it found."""

from collections.abc import Iterator, Sequence

from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.evidence import quote_segment
from callscope.analysis.matching import phrases as phrase_matches
from callscope.analysis.matching.phrases import PhraseMatch
from callscope.analysis.matching.rule_evaluation import Outcome, Part, RuleEvaluator, in_window
from callscope.analysis.results.findings import Judgment, PartQuote, Quote
from callscope.analysis.results.messages import sentence
from callscope.projects.configuration import Criterion, Rule

MATCHED_BY = {"exact": "met_exact", "pattern": "met_pattern", "near": "met_near", "meaning": "met_meaning"}


def judge_compound(criterion: Criterion, rule: Rule, evaluator: RuleEvaluator) -> Judgment:
    """Return the judgment of a rule that applies and whose speaker is known, a quote for each part.

    Raises PatternTooSlow.
    """
    conversation = evaluator.conversation
    outcome = evaluator.evaluate(rule, partial_credit=criterion.partial_credit)
    text = " ".join(_explain(rule, outcome, conversation.language))
    if outcome.answer is None:
        return Judgment(criterion.id, None, reason=text)
    quotes = tuple(list_quotes(rule, outcome, conversation))
    quote = quotes[-1 if outcome.obstacle == "too_often" else 0].quote if quotes else None
    return Judgment(criterion.id, outcome.answer, text, quote, quotes=quotes, margin=outcome.margin)


def judge_compound_half_heard(criterion: Criterion, rule: Rule, conversation: Conversation) -> Judgment:
    """Return the judgment where only what stands there word for word counts, and nothing shows by silence."""
    language = conversation.language
    heard = in_window(conversation.said_by(rule.speaker), rule, conversation)
    turns = list(conversation.turns(heard))
    forbidden = phrase_matches.find_exact(rule.none_of, turns)
    if forbidden:
        text = _say_match("forbidden", forbidden, rule, language)
        return Judgment(criterion.id, "not_met", text, quote_match(forbidden, conversation))
    undecided = Judgment(criterion.id, None, reason=sentence("half_heard", language))
    is_counted = rule.at_most is not None or rule.no_silence
    if rule.before or rule.after or rule.not_within or is_counted or not rule.all_of:
        return undecided
    wanted = [*([(None, rule.any_of)] if rule.any_of else []), *enumerate(rule.all_of)]
    found = [(g, m) for g, phrases in wanted if (m := phrase_matches.find_exact(phrases, turns))]
    groups = sum(group is not None for group, _ in found)
    has_any_of = not rule.any_of or any(group is None for group, _ in found)
    if not has_any_of or groups < (rule.at_least or len(rule.all_of)):
        return undecided
    quotes = tuple(quote_part(group, match, conversation) for group, match in found)
    text = " ".join(_say_match("met_exact", match, rule, language) for _, match in found)
    return Judgment(criterion.id, "met", text, quotes[0].quote, quotes=quotes)


def list_quotes(rule: Rule, outcome: Outcome, conversation: Conversation) -> Iterator[PartQuote]:
    """Yield the quotes of what decided, group by group in the order of the rule."""
    for part in outcome.held:
        if part.match:
            yield quote_part(part.group, part.match, conversation)
    if outcome.obstacle in ("forbidden", "too_often") or not rule.has_evidence:
        for match in outcome.times:
            yield quote_part(None, match, conversation)
    if outcome.wait:
        segment = outcome.wait.since
        yield PartQuote(None, quote_segment(segment), segment.speaker)


def quote_part(group: int | None, match: PhraseMatch, conversation: Conversation) -> PartQuote:
    """Return the quote of a match, of the whole segment although only a part of it was looked through."""
    return PartQuote(group, quote_match(match, conversation), match.segment.speaker)


def quote_match(match: PhraseMatch, conversation: Conversation) -> Quote:
    """Return the quote that shows a match."""
    whole = next((s for s in conversation.segments if s.index == match.segment.index), match.segment)
    return quote_segment(whole, around=match.heard)


def describe_window(rule: Rule, language: str) -> str:
    """Return the words for the time window of a rule, "" without one."""
    if rule.within_seconds is not None:
        return sentence("window_first", language, seconds=f"{rule.within_seconds:g}")
    if rule.last_seconds is not None:
        return sentence("window_last", language, seconds=f"{rule.last_seconds:g}")
    return ""


def _explain(rule: Rule, outcome: Outcome, language: str) -> Iterator[str]:
    """Yield the sentences that say what was found and what is missing."""
    common = {"speaker": rule.speaker, "window": describe_window(rule, language)}
    if outcome.obstacle == "forbidden":
        is_pattern = outcome.times[0].method == "pattern"
        yield _say_match("forbidden_pattern" if is_pattern else "forbidden", outcome.times[0], rule, language)
    elif outcome.obstacle == "too_often":
        yield sentence("too_often", language, phrase=outcome.times[-1].phrase, most=rule.at_most, **common)
    elif outcome.obstacle == "order_unknown":
        yield sentence("order_unknown", language)
    elif outcome.wait and rule.no_silence:
        most = f"{rule.no_silence.over_seconds:g}"
        yield sentence("silence", language, seconds=round(outcome.wait.seconds), most=most)
    else:
        yield from _explain_parts(rule, outcome, language)
        if rule.at_most is not None:
            times = len(outcome.times)
            yield sentence("not_too_often", language, times=times, most=rule.at_most, **common)
        if rule.no_silence:
            yield sentence("no_silence", language, most=f"{rule.no_silence.over_seconds:g}")
        if rule.none_of and not rule.has_evidence:
            yield sentence("met_absent", language, **common)


def _explain_parts(rule: Rule, outcome: Outcome, language: str) -> Iterator[str]:
    if len(outcome.parts) > 1:
        needed = (rule.at_least or len(rule.all_of)) + bool(rule.wanted)
        count = len(outcome.parts)
        yield sentence("parts_held", language, held=len(outcome.held), count=count, needed=needed)
    for part in outcome.held:
        if part.match:
            yield _say_match(MATCHED_BY[part.match.method], part.match, rule, language)
    missing = [p for p in outcome.parts if p.certainty == "not_said"]
    unsure = [p for p in outcome.parts if p.certainty == "unsure"]
    if outcome.answer is None and unsure:
        yield sentence("parts_unsure", language, missing=_list_first(unsure))
    if outcome.answer != "met":
        if plainly := [p for p in missing if not p.is_out_of_order]:
            yield sentence("parts_missing", language, missing=_list_first(plainly))
        if misplaced := [p for p in missing if p.is_out_of_order]:
            yield sentence("out_of_order", language, missing=_list_first(misplaced))


def _list_first(parts: Sequence[Part]) -> str:
    """Return the first phrase of each part, which stands for the others."""
    return ", ".join(f"“{part.wanted[0]}”" for part in parts)


def _say_match(name: str, match: PhraseMatch, rule: Rule, language: str) -> str:
    speaker = match.segment.speaker or rule.speaker
    values = {"speaker": speaker, "phrase": match.phrase, "percent": match.likelihood_pct}
    return sentence(name, language, **values)
