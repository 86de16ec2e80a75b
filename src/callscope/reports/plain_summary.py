"""The executive summary without a language model: the same facts, said plainly from templates."""

from collections.abc import Sequence

from callscope.reports.paper.words import Words
from callscope.reports.report import Headline, Report, ScorecardRow

EN = {
    "empty": "No analyzed calls lie in this window.",
    "empty_of": "No analyzed calls lie in this window; the projects in scope hold {calls} of all time.",
    "calls": "The window holds {calls} calls, {hours} hours of conversation.",
    "score": "Their average score is {score} %, and {compliance} % of all possible points were earned.",
    "no_score": "None of them has been scored.",
    "change_up": "The average score rose by {delta} points against the window before ({before} %).",
    "change_down": "The average score fell by {delta} points against the window before ({before} %).",
    "change_none": "The average score is the same as in the window before.",
    "critical": "A critical error stands in {pct} % of the scored calls.",
    "no_critical": "No scored call has a critical error.",
    "goal": "The goal was reached in {pct} % of the calls whose outcome is known.",
    "negative": "Sentiment is negative in {pct} % of the calls where it could be told.",
    "weakest": "The weakest criteria are {names}.",
    "strongest": "The strongest are {names}.",
    "named": "{name} ({pct} %)",
    "reasons": "Customers called most often about {names}.",
    "reason": "{name} ({pct} % of the calls with a topic)",
    "shifts": "Calls by day scored {day} % on average, calls by night {night} %.",
    "and": " and ",
}
ES = {
    "empty": "No hay llamadas analizadas en este periodo.",
    "empty_of": "No hay llamadas analizadas en este periodo; en todo el historial hay {calls}.",
    "calls": "El periodo reúne {calls} llamadas, {hours} horas de conversación.",
    "score": "Su puntuación media es del {score} %, y se obtuvo el {compliance} % de todos los puntos posibles.",
    "no_score": "Ninguna se ha puntuado.",
    "change_up": "La puntuación media subió {delta} puntos frente al periodo anterior ({before} %).",
    "change_down": "La puntuación media bajó {delta} puntos frente al periodo anterior ({before} %).",
    "change_none": "La puntuación media es la misma que en el periodo anterior.",
    "critical": "Hay un error crítico en el {pct} % de las llamadas puntuadas.",
    "no_critical": "Ninguna llamada puntuada tiene un error crítico.",
    "goal": "El objetivo se logró en el {pct} % de las llamadas con resultado conocido.",
    "negative": "El sentimiento es negativo en el {pct} % de las llamadas en que se pudo saber.",
    "weakest": "Los criterios más débiles son {names}.",
    "strongest": "Los más fuertes son {names}.",
    "named": "{name} ({pct} %)",
    "reasons": "Los clientes llamaron sobre todo por {names}.",
    "reason": "{name} ({pct} % de las llamadas con tema)",
    "shifts": "Las llamadas de día puntuaron un {day} % de media; las de noche, un {night} %.",
    "and": " y ",
}
SAYINGS = {"en": EN, "es": ES}
NAMED = 3  # criteria and reasons that the summary names


def plain_summary(report: Report, words: Words) -> list[str]:
    """Return two or three paragraphs; one when the window is empty."""
    say = SAYINGS[words.language]
    headline = report.headline
    if not headline.total_calls:
        if report.total_calls_all_time:
            return [say["empty_of"].format(calls=words.count(report.total_calls_all_time))]
        return [say["empty"]]
    paragraphs = [
        _overall(headline, report.previous_headline, say, words),
        _outcomes(headline, say, words),
        _criteria(report.scorecard, say, words),
        _reasons_and_shifts(report, say, words),
    ]
    return [p for p in paragraphs if p]


def _overall(headline: Headline, before: Headline | None, say: dict[str, str], words: Words) -> str:
    parts = [
        say["calls"].format(
            calls=words.count(headline.total_calls), hours=words.figure(headline.analyzed_hours)
        )
    ]
    if headline.average_score is None:
        return " ".join([*parts, say["no_score"]])
    compliance = words.figure(headline.weighted_compliance)
    parts.append(say["score"].format(score=words.figure(headline.average_score), compliance=compliance))
    if before and before.average_score is not None:
        delta = round(headline.average_score - before.average_score, 2)
        key = "change_up" if delta > 0 else "change_down" if delta < 0 else "change_none"
        parts.append(
            say[key].format(delta=words.figure(abs(delta)), before=words.figure(before.average_score))
        )
    return " ".join(parts)


def _outcomes(headline: Headline, say: dict[str, str], words: Words) -> str:
    parts = []
    if headline.critical_error_pct is not None:
        key = "critical" if headline.critical_error_pct else "no_critical"
        parts.append(say[key].format(pct=words.figure(headline.critical_error_pct)))
    if headline.goal_reached_pct is not None:
        parts.append(say["goal"].format(pct=words.figure(headline.goal_reached_pct)))
    if headline.negative_sentiment_pct is not None:
        parts.append(say["negative"].format(pct=words.figure(headline.negative_sentiment_pct)))
    return " ".join(parts)


def _criteria(rows: Sequence[ScorecardRow], say: dict[str, str], words: Words) -> str:
    measured = sorted((r for r in rows if r.average_pct is not None), key=lambda r: r.average_pct or 0.0)
    if len(measured) < 2:
        return ""

    def named(found: Sequence[ScorecardRow]) -> str:
        texts = [say["named"].format(name=row.name, pct=words.figure(row.average_pct)) for row in found]
        return _joined(texts, say)

    count = min(NAMED, len(measured) // 2)
    weakest, strongest = measured[:count], list(reversed(measured[-count:]))
    return f"{say['weakest'].format(names=named(weakest))} {say['strongest'].format(names=named(strongest))}"


def _reasons_and_shifts(report: Report, say: dict[str, str], words: Words) -> str:
    parts = []
    top = [row for row in report.contact_reasons if row.topic][:NAMED]
    if top:
        texts = [say["reason"].format(name=row.topic, pct=words.figure(row.volume_pct)) for row in top]
        parts.append(say["reasons"].format(names=_joined(texts, say)))
    scores = {row.shift: row.headline.average_score for row in report.shifts}
    day, night = scores.get("day"), scores.get("night")
    if day is not None and night is not None:
        parts.append(say["shifts"].format(day=words.figure(day), night=words.figure(night)))
    return " ".join(parts)


def _joined(texts: Sequence[str], say: dict[str, str]) -> str:
    if len(texts) == 1:
        return texts[0]
    return ", ".join(texts[:-1]) + say["and"] + texts[-1]
