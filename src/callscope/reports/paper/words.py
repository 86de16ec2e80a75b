"""What the printed report says, in English and Spanish, and how each writes numbers and dates."""

import datetime as dt
from dataclasses import dataclass

from babel.dates import format_date, format_datetime
from babel.numbers import format_decimal

DASH = "–"  # stands for a null: nothing was measured

EN = {
    "title": "Call report",
    "scope": "Projects",
    "window": "Window",
    "generated": "Generated",
    "zone": "Days of time zone {zone}",
    "whole_history": "the whole history",
    "from": "from {start}",
    "until": "until {end}",
    "between": "{start} to {end}",
    "no_projects": "no projects",
    "summary": "Executive summary",
    "headline": "Headline",
    "change": "{delta} against the {days} days before",
    "change_one_day": "{delta} against the day before",
    "better": "better",
    "worse": "worse",
    "total_calls": "Calls",
    "analyzed_hours": "Analyzed hours",
    "average_score": "Average score, %",
    "weighted_compliance": "Weighted compliance, %",
    "scored_calls": "Scored calls",
    "critical_error_pct": "Calls with a critical error, %",
    "negative_sentiment_pct": "Negative sentiment, %",
    "goal_reached_pct": "Goal reached, %",
    "calls_with_metadata": "Calls with a real call time",
    "all_time": "Calls of all time in scope",
    "trend": "Weekly trend",
    "trend_chart": "Line chart of the average score by week; its values are in the table below.",
    "week": "Week of",
    "scorecard": "Scorecard",
    "criterion": "Criterion",
    "weight_pct": "Weight %",
    "average_pct": "Average %",
    "previous_pct": "Before %",
    "delta_pct": "Change",
    "critical_errors": "Critical errors",
    "evaluated_calls": "Evaluated",
    "not_applicable_calls": "Not appl.",
    "calls": "Calls",
    "copc_rates": "COPC-style rates",
    "rate": "Rate",
    "customer_critical_accuracy_pct": "Customer-critical accuracy, %",
    "business_critical_accuracy_pct": "Business-critical accuracy, %",
    "compliance_critical_accuracy_pct": "Compliance-critical accuracy, %",
    "non_critical_accuracy_pct": "Non-critical accuracy, %",
    "contact_reasons": "Contact reasons",
    "reason": "Contact reason",
    "volume_pct": "Volume %",
    "other_reasons": "{count} other reasons",
    "agents": "Agents",
    "agent": "Agent",
    "score_short": "Score %",
    "critical_short": "Critical %",
    "negative_short": "Negative %",
    "goal_short": "Goal %",
    "shifts": "Day and night",
    "figure": "Figure",
    "day": "Day",
    "night": "Night",
    "shift_hours": "Day is from {start}:00 to {end}:00.",
    "shift_hours_differ": "The projects in scope have different shift hours; each call is classed by its own.",
    "reading": "How to read this report",
    "no_rows": "Nothing in this window.",
    "empty_window": "There are no calls in this window; {count} lie outside it.",
    "empty_scope": "There are no analyzed calls in scope.",
    "page": "Page",
    "of": "of",
    "definitions": [
        f"A dash ({DASH}) means that nothing was measured; it is not a zero.",
        "Average score is the plain mean of the scores of all scored calls. Weighted compliance is all points "
        "earned over all points possible.",
        "A criterion that did not apply to a call is awarded full points and counts in the average; the columns "
        "Evaluated and Not appl. show how many calls are of each kind.",
        "A critical error is a zero on a criterion that the rubric marks as critical.",
        "Negative sentiment is the share of calls with a known sentiment; goal reached is the share of calls with "
        "a known outcome.",
        "Before and Change compare with the window of the same length that ends the day before this one begins.",
        "COPC-style rates: calls without a critical error of the class, over scored calls; non-critical accuracy "
        "is over the evaluated criteria that are not critical.",
        "Day and night hold only calls whose real time is known.",
    ],
    "narrative_failed": "The written summary could not be made this time; all tables are complete.",
    "narrative_by_model": "Written by a language model from the figures below; every number was checked against them.",
}

ES = {
    "title": "Informe de llamadas",
    "scope": "Proyectos",
    "window": "Periodo",
    "generated": "Generado",
    "zone": "Días de la zona horaria {zone}",
    "whole_history": "todo el historial",
    "from": "desde el {start}",
    "until": "hasta el {end}",
    "between": "del {start} al {end}",
    "no_projects": "ningún proyecto",
    "summary": "Resumen ejecutivo",
    "headline": "Cifras principales",
    "change": "{delta} frente a los {days} días anteriores",
    "change_one_day": "{delta} frente al día anterior",
    "better": "mejor",
    "worse": "peor",
    "total_calls": "Llamadas",
    "analyzed_hours": "Horas analizadas",
    "average_score": "Puntuación media, %",
    "weighted_compliance": "Cumplimiento ponderado, %",
    "scored_calls": "Llamadas puntuadas",
    "critical_error_pct": "Llamadas con error crítico, %",
    "negative_sentiment_pct": "Sentimiento negativo, %",
    "goal_reached_pct": "Objetivo logrado, %",
    "calls_with_metadata": "Llamadas con hora real",
    "all_time": "Llamadas de todo el historial",
    "trend": "Tendencia semanal",
    "trend_chart": "Gráfico de la puntuación media por semana; sus valores están en la tabla siguiente.",
    "week": "Semana del",
    "scorecard": "Cuadro de puntuación",
    "criterion": "Criterio",
    "weight_pct": "Peso %",
    "average_pct": "Media %",
    "previous_pct": "Antes %",
    "delta_pct": "Cambio",
    "critical_errors": "Errores críticos",
    "evaluated_calls": "Evaluadas",
    "not_applicable_calls": "No aplica",
    "calls": "Llamadas",
    "copc_rates": "Índices de estilo COPC",
    "rate": "Índice",
    "customer_critical_accuracy_pct": "Exactitud crítica para el cliente, %",
    "business_critical_accuracy_pct": "Exactitud crítica para el negocio, %",
    "compliance_critical_accuracy_pct": "Exactitud crítica de cumplimiento, %",
    "non_critical_accuracy_pct": "Exactitud no crítica, %",
    "contact_reasons": "Motivos de contacto",
    "reason": "Motivo de contacto",
    "volume_pct": "Volumen %",
    "other_reasons": "Otros {count} motivos",
    "agents": "Agentes",
    "agent": "Agente",
    "score_short": "Puntos %",
    "critical_short": "Críticas %",
    "negative_short": "Negativas %",
    "goal_short": "Objetivo %",
    "shifts": "Día y noche",
    "figure": "Cifra",
    "day": "Día",
    "night": "Noche",
    "shift_hours": "El turno de día va de las {start}:00 a las {end}:00.",
    "shift_hours_differ": "Los proyectos tienen horarios distintos; cada llamada sigue el suyo.",
    "reading": "Cómo leer este informe",
    "no_rows": "Nada en este periodo.",
    "empty_window": "No hay llamadas en este periodo; {count} quedan fuera de él.",
    "empty_scope": "No hay llamadas analizadas.",
    "page": "Página",
    "of": "de",
    "definitions": [
        f"Una raya ({DASH}) significa que no se midió nada; no es un cero.",
        "La puntuación media es la media simple de las llamadas puntuadas. El cumplimiento ponderado son todos los "
        "puntos obtenidos entre todos los puntos posibles.",
        "Un criterio que no se aplicaba a una llamada recibe todos los puntos y cuenta en la media; las columnas "
        "Evaluadas y No aplica dicen cuántas llamadas hay de cada clase.",
        "Un error crítico es un cero en un criterio que la rúbrica marca como crítico.",
        "El sentimiento negativo es la parte de las llamadas con sentimiento conocido; el objetivo logrado, la "
        "parte de las llamadas con resultado conocido.",
        "Antes y Cambio comparan con el periodo de igual duración que termina el día anterior a este.",
        "Índices de estilo COPC: llamadas sin error crítico de esa clase entre las llamadas puntuadas; la exactitud "
        "no crítica se calcula sobre los criterios evaluados que no son críticos.",
        "Día y noche solo contienen llamadas cuya hora real se conoce.",
    ],
    "narrative_failed": "Esta vez no se pudo redactar el resumen; todas las tablas están completas.",
    "narrative_by_model": "Redactado por un modelo de lenguaje a partir de las cifras siguientes; cada número se comprobó.",
}

LANGUAGES = {"en": EN, "es": ES}


@dataclass(frozen=True, slots=True)
class Words:
    """One language: its words, numbers and dates."""

    language: str  # en or es

    def __call__(self, key: str, **values: object) -> str:
        text = LANGUAGES[self.language][key]
        assert isinstance(text, str)
        return text.format(**values) if values else text

    def definitions(self) -> list[str]:
        return list(LANGUAGES[self.language]["definitions"])

    def count(self, value: int | None) -> str:
        return DASH if value is None else format_decimal(value, locale=self.language)

    def figure(self, value: float | None) -> str:
        """Two decimals, as the JSON rounds them; a dash for null."""
        return DASH if value is None else format_decimal(value, format="#,##0.00", locale=self.language)

    def change(self, value: float | None) -> str:
        """A signed figure; the sign is a word of the layout, so that it is not told by colour alone."""
        if value is None:
            return DASH
        sign = "+" if value > 0 else "−" if value < 0 else "±"
        return sign + format_decimal(abs(value), format="#,##0.00", locale=self.language)

    def date(self, day: dt.date) -> str:
        return format_date(day, format="long", locale=self.language)

    def short_date(self, day: dt.date) -> str:
        return format_date(day, format="medium", locale=self.language)

    def moment(self, at: dt.datetime) -> str:
        return format_datetime(at, format="long", tzinfo=at.tzinfo, locale=self.language)


def choose_language(accept: str) -> str:
    """Return en or es for an Accept-Language header; English when neither is asked for.

    Quality values are respected; a language refused by q=0 is never chosen.
    """
    wanted: list[tuple[float, int, str]] = []
    for position, part in enumerate(accept[:1000].split(",")):
        tag, _, parameters = part.strip().partition(";")
        primary = tag.strip().lower().partition("-")[0]
        name, _, value = parameters.strip().partition("=")
        try:
            quality = float(value) if name.strip().lower() == "q" else 1.0
        except ValueError:
            quality = 0.0
        if primary in LANGUAGES and 0 < quality <= 1:
            wanted.append((-quality, position, primary))
    return min(wanted)[2] if wanted else "en"
