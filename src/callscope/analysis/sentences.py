"""The sentences that results carry, in the project's language."""

_EN = {
    "no_rule": "This criterion has no rule; judging it needs a language model.",
    "rule_without_phrases": "The rule of this criterion names no phrases; judging it needs a language model.",
    "speakers_unknown": "The rule asks for the {speaker}'s words, and it is not known who speaks here.",
    "speaker_silent": "The rule asks for the {speaker}'s words, and the transcript holds none.",
    "perhaps_said": "The phrase was said, but by a speaker who is not known.",
    "empty_transcript": "The transcript holds no words.",
    "poor_transcript": "The transcript is too poor to score: {reasons}",
    "met_exact": "The {speaker} said the phrase “{phrase}”.",
    "met_near": "The {speaker}'s words are nearly the phrase “{phrase}”.",
    "met_meaning": "The {speaker}'s words are close in meaning to the phrase “{phrase}”.",
    "not_met": "None of the phrases was said by the {speaker}{window}.",
    "met_absent": "None of the forbidden phrases was said by the {speaker}{window}.",
    "forbidden": "The {speaker} said the forbidden phrase “{phrase}”.",
    "does_not_apply": "Nothing in the call makes this criterion apply: none of its conditions was mentioned.",
    "window_first": " in the first {seconds} seconds",
    "window_last": " in the last {seconds} seconds",
    "agent": "agent",
    "customer": "customer",
    "any": "speaker",
    "not_determined": "not determined",
    "answer_refused": "The language model's answer was refused: {problem}",
}
_ES = {
    "no_rule": "Este criterio no tiene regla; hace falta un modelo de lenguaje.",
    "rule_without_phrases": "La regla de este criterio no tiene frases; hace falta un modelo de lenguaje.",
    "speakers_unknown": "La regla pide palabras de {speaker}, y no se sabe quién habla aquí.",
    "speaker_silent": "La regla pide palabras de {speaker}, y la transcripción no contiene ninguna.",
    "perhaps_said": "La frase se dijo, pero no se sabe quién la dijo.",
    "empty_transcript": "La transcripción no contiene palabras.",
    "poor_transcript": "La transcripción es demasiado pobre para puntuarla: {reasons}",
    "met_exact": "Frase dicha por {speaker}: «{phrase}».",
    "met_near": "Lo dicho por {speaker} es casi la frase «{phrase}».",
    "met_meaning": "Lo dicho por {speaker} se acerca en significado a la frase «{phrase}».",
    "not_met": "Ninguna de las frases fue dicha por {speaker}{window}.",
    "met_absent": "Ninguna de las frases prohibidas fue dicha por {speaker}{window}.",
    "forbidden": "Frase prohibida dicha por {speaker}: «{phrase}».",
    "does_not_apply": "Este criterio no se aplica: no se mencionó ninguna de sus condiciones.",
    "window_first": " en los primeros {seconds} segundos",
    "window_last": " en los últimos {seconds} segundos",
    "agent": "el agente",
    "customer": "el cliente",
    "any": "alguien en la llamada",
    "not_determined": "no determinado",
    "answer_refused": "La respuesta del modelo de lenguaje fue rechazada: {problem}",
}
_ALL = {"en": _EN, "es": _ES}


def sentence(name: str, language: str, **values: object) -> str:
    """Return the named sentence in "en" or "es" with its values filled in; `speaker` is translated too."""
    texts = _ALL.get(language, _EN)
    if "speaker" in values:
        values["speaker"] = texts[str(values["speaker"])]
    return texts[name].format(**values)
