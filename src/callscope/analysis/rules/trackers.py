"""Trackers: rules over all calls that earn no points. What is kept is where they hold."""

from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.matching.occurrences import find_times
from callscope.analysis.matching.rule_evaluation import Outcome, RuleEvaluator, in_window
from callscope.analysis.matching.semantic_matcher import SemanticMatcher
from callscope.analysis.results.findings import PartQuote
from callscope.analysis.results.schema import TrackedRule
from callscope.analysis.rules.compound import list_quotes, quote_part
from callscope.analysis.rules.judge import applies, judge_half_heard
from callscope.analysis.scoring import as_stored_quote
from callscope.engines.embeddings.protocol import Embedder
from callscope.language.patterns import PatternTooSlow
from callscope.projects.configuration import Configuration, Criterion, Tracker
from callscope.projects.configuration_rules import list_texts

MAX_QUOTES = 20  # of one tracker in one call


def follow_trackers(
    config: Configuration, conversation: Conversation, embedder: Embedder
) -> list[TrackedRule]:
    """Return the trackers that hold in a call, in the order of the configuration, each with its quotes."""
    if not config.trackers:
        return []
    if conversation.is_half_heard:
        return [found for t in config.trackers if (found := _follow_half_heard(t, conversation))]
    texts = [p for t in config.trackers for p in list_texts(t.rule.decisive_phrases())]
    matcher = SemanticMatcher(embedder, conversation.language, phrases=texts)
    rules = {c.id: c.rule for _, c in config.rubric.criteria() if c.rule}
    evaluator = RuleEvaluator(conversation, matcher, rules)
    return [found for t in config.trackers if (found := _follow(t, evaluator))]


def _follow(tracker: Tracker, evaluator: RuleEvaluator) -> TrackedRule | None:
    rule, conversation = tracker.rule, evaluator.conversation
    is_silent = rule.speaker != "any" and not conversation.speaks(rule.speaker)
    try:
        if is_silent or not applies(rule, conversation):
            return None
        outcome = evaluator.evaluate(rule)
        if outcome.answer != "met":
            return None
        quotes = _list_all(tracker, outcome, evaluator)
    except PatternTooSlow:
        return None
    return {"id": tracker.id, "quotes": [as_stored_quote(quote) for quote in quotes[:MAX_QUOTES]]}


def _list_all(tracker: Tracker, outcome: Outcome, evaluator: RuleEvaluator) -> list[PartQuote]:
    """Return every time that the words are said; where only their meaning was found, that place."""
    rule, conversation = tracker.rule, evaluator.conversation
    if not rule.has_evidence:
        return list(list_quotes(rule, outcome, conversation))
    heard = in_window(conversation.said_by(rule.speaker), rule, conversation)
    window = evaluator.narrow(rule, heard) or []
    quotes: list[PartQuote] = []
    for part in outcome.held:
        times = find_times(part.wanted, window, conversation.language, most=MAX_QUOTES)
        found = times or [part.match] if part.match else times
        quotes += [quote_part(part.group, match, conversation) for match in found]
    return sorted(quotes, key=lambda quote: quote.quote.start_s)


def _follow_half_heard(tracker: Tracker, conversation: Conversation) -> TrackedRule | None:
    criterion = Criterion(id=tracker.id, name=tracker.name, max_points=1, rule=tracker.rule)
    judged = judge_half_heard(criterion, conversation)
    if judged.answer != "met" or judged.quote is None:
        return None
    quotes = judged.quotes or (PartQuote(None, judged.quote, ""),)
    return {"id": tracker.id, "quotes": [as_stored_quote(quote) for quote in quotes]}
