"""Weigh what speaks for a clause saying a phrase into one likelihood.

The weights are those of a logistic regression over the labeled calls of
`benchmarks/labeled/trades/seen` and over pairs of a phrase and a sentence, found by
`benchmarks/fit_likelihood.py` (ADR 15); how well they do on trades that they were not
fitted to is printed by `make quality`.
"""

from collections.abc import Sequence
from math import exp, log
from typing import NamedTuple

from callscope.analysis.acts.kinds import COURTESIES, Act
from callscope.analysis.matching.differences import Differences

MIN_FIT = 0.4  # of what a clause does with what the phrase does; below it what both are about does not matter
# From which a clause is taken to say the phrase, and from which nobody can tell: chosen on the seen trades so
# that outside the band few are wrong and inside it few are left out (docs/analysis.md, "The gray band").
# That is the band of the default encoder; `gray_band` fits those of others.
SAID_FROM, UNSURE_FROM = 0.6, 0.3
# Acts that come up so seldom that the act itself says most of what the phrase says.
TELLING_ACTS: frozenset[Act] = COURTESIES | {"confirms", "offers_help", "offers_more_help"}
MAX_WEIGHT = 3.0  # what says more than this is about something
LONG_PHRASE, LONG_CLAUSE = 12, 25  # in words; longer ones are no harder to meet
OTHER_PHRASES_SHARE = (
    0.3  # of what all phrases of a criterion say together; the rest is what the nearest says
)
LEAST_LOG_ODDS = -4.0  # of a phrase that a clause does not say at all
USUAL_RIVAL = 0.3  # how near the nearest phrase of another criterion is at least taken to be


class Band(NamedTuple):
    """Between which likelihoods nobody can tell whether a phrase was said."""

    unsure_from: float
    said_from: float


USUAL_BAND = Band(UNSURE_FROM, SAID_FROM)


class Nearness(NamedTuple):
    """How near a clause is to a phrase."""

    words: float  # 0 to 1: how much of either the other says
    cosine: float | None  # of a language model's vectors; None without one


class Likeness(NamedTuple):
    """How a clause and a phrase are alike."""

    fit: float  # 0 to 1: what both do
    own: Nearness
    rival: Nearness  # of the nearest phrases of other criteria
    weight: float  # of the clause's terms: what says little is about nothing
    other_focus: bool  # both ask for something, and not for the same
    other_value: bool  # the phrase has a price or a duration, the clause has none
    words_wanted: int  # of the phrase
    words_said: int  # of the clause
    differences: Differences


class Evidence(NamedTuple):
    """What speaks for and against, each as a number that one weight belongs to."""

    fit: float
    telling_act: float
    words: float
    words_lead: float  # over the nearest rival
    cosine: float
    cosine_lead: float
    weight: float
    other_focus: float
    other_value: float
    words_wanted: float
    words_said: float
    swapped: float
    dropped: float
    opposed: float
    negated: float
    other_person: float
    other_kind: float


class Weights(NamedTuple):
    """What a clause starts from, and what each piece of evidence is worth."""

    start: float
    evidence: Evidence


class Calibration(NamedTuple):
    start: float
    slope: float


WITH_MODEL = Weights(
    -5.86,
    Evidence(
        fit=3.81,
        telling_act=1.88,
        words=-0.01,
        words_lead=2.40,
        cosine=2.70,
        cosine_lead=5.47,
        weight=0.20,
        other_focus=-0.50,
        other_value=-0.84,
        words_wanted=-0.35,
        words_said=3.74,
        swapped=-10.92,
        dropped=-3.54,
        opposed=-7.51,
        negated=-0.25,
        other_person=-1.59,
        other_kind=-2.88,
    ),
)
BY_WORDS = Weights(
    -5.83,
    Evidence(
        fit=4.99,
        telling_act=2.11,
        words=0.57,
        words_lead=5.91,
        cosine=0.0,
        cosine_lead=0.83,
        weight=0.15,
        other_focus=-0.28,
        other_value=-1.26,
        words_wanted=-0.21,
        words_said=3.81,
        swapped=-5.66,
        dropped=-1.74,
        opposed=-4.38,
        negated=-0.25,
        other_person=-0.81,
        other_kind=-1.76,
    ),
)
# From the log odds of the likeliest clause to those that the agent did it: a call has many clauses.
CALIBRATION = Calibration(0.54, 0.86)


def list_evidence(likeness: Likeness, act: Act) -> Evidence:
    """Return what is weighed of a likeness, given the act of the phrase."""
    own, rival = likeness.own, likeness.rival
    cosine = own.cosine or 0.0
    return Evidence(
        fit=likeness.fit,
        telling_act=likeness.fit * (act in TELLING_ACTS),
        words=own.words,
        words_lead=own.words - max(rival.words, USUAL_RIVAL),
        cosine=cosine,
        cosine_lead=cosine - max(rival.cosine or 0.0, USUAL_RIVAL),
        weight=min(likeness.weight, MAX_WEIGHT),
        other_focus=likeness.other_focus,
        other_value=likeness.other_value,
        words_wanted=min(likeness.words_wanted / LONG_PHRASE, 1.0),
        words_said=min(likeness.words_said / LONG_CLAUSE, 1.0),
        **likeness.differences._asdict(),
    )


def weigh_likeness(likeness: Likeness, act: Act, with_model: Weights = WITH_MODEL) -> float:
    """Return the logarithm of the odds that the clause says the phrase, whose act is given.

    `with_model` are the weights that hold for the embedder of the cosines.
    """
    weights = BY_WORDS if likeness.own.cosine is None else with_model
    evidence = list_evidence(likeness, act)
    return weights.start + sum(w * e for w, e in zip(weights.evidence, evidence, strict=True))


def join_phrases(log_odds: Sequence[float], count: int) -> float:
    """Return 0 to 1: how likely a clause says one of `count` phrases, given those that it may say.

    A clause that is near to all of them is likelier than one that is near to a single one.
    """
    kept = [max(value, LEAST_LOG_ODDS) for value in log_odds]
    mean = (sum(kept) + LEAST_LOG_ODDS * (count - len(kept))) / count
    total = OTHER_PHRASES_SHARE * mean + (1 - OTHER_PHRASES_SHARE) * max(log_odds)
    return 1 / (1 + exp(-(CALIBRATION.start + CALIBRATION.slope * total)))


def to_log_odds(likelihood: float) -> float:
    """Return the logarithm of the odds of a likelihood between 0 and 1."""
    return log(likelihood / (1 - likelihood))
