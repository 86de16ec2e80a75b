# ruff: noqa: E501
"""Hide from the model what is said to it: a call is judged, and nobody in it is asked how.

Only sentences that speak of the judging itself are hidden, in English and Spanish: the rubric, the
score, the instructions, the form of the answer. What is not found here still earns nothing, because
points need a quote of the right speaker (verification.py).
"""

import re
from dataclasses import replace

from callscope.analysis.conversation.turns import Conversation
from callscope.language.sentences import split_sentences

HIDDEN = "[…]"
_SPEAKS_TO_THE_JUDGE = re.compile(
    r"\b(?:ignor|disregard|forget|overrid|bypass|olvid|omit|anul|salt)\w*\b.{0,50}"
    r"\b(?:(?:previous|prior|your|these) instructions|instrucciones (?:anteriores|previas)|rules?|reglas?|rubric|r[úu]brica|prompt|criteri\w+|guidelines?|evidence)\b"
    r"|\b(?:full|maximum|max|top|perfect|highest|best possible|all the|hundred percent|m[áa]xim\w+|plen\w+|perfect\w+|tod\w+ los)\W+"
    r"(?:score|points?|marks?|rating|grade|puntos|puntuaci[óo]n|nota|calificaci[óo]n)\b"
    r"|\b(?:puntuaci[óo]n|nota|calificaci[óo]n)\s+(?:m[áa]xima|perfecta|completa|plena)\b"
    r"|\b(?:score|points?|puntos|puntuaci[óo]n)\b.{0,30}\b\d+\s*(?:of|de|/|out of)\s*\d+"
    r"|\b(?:rubric|r[úu]brica|criterion|criterion_id|criterio|scorecard|evaluator|evaluador\w*|auditor autom[áa]tico)\b"
    r"|\b(?:criteria|criterios)\b.{0,60}\b(?:met|appl\w+|cumpl\w+|aplic\w+|list|excellent)\b"
    r"|\b(?:all|every|each|any|none of the|todos los|cada|ning[úu]n)\W+(?:criteria|criterios?)\b"
    r"|(?:^|[\[<*#\s])/?(?:system|assistant|developer|sistema|asistente|desarrollador)(?: message| prompt)?\s*[:\]>]"
    r"|\b(?:AI|IA|language model|modelo de lenguaje|inteligencia artificial|different model|otro modelo)\b"
    r"|\b(?:mark|marca|marque)\w*\b.{0,40}\b(?:met|not applicable|cumplid\w+|aplicable\w*|said|passed|aprobad\w+)\b"
    r"|\b(?:answer|respond|respuesta|responde)\w*\b.{0,30}\b(?:met|only with|JSON|partly|excellent|cumplid\w+|s[óo]lo con)\b"
    r"|\b(?:quote|cita|quotation|goal_quote|agent_name|justification|justificaci[óo]n)\b.{0,12}[\"“«:]"
    r"|\b(?:your output|tu salida|your call reference|transcript call-|maintenance mode|modo de mantenimiento)\b"
    r"|\b(?:skip|saltar|s[áa]ltate)\b.{0,20}\b(?:criteria|criterios)\b|\bset the (?:score|points)\b|\bscored? \d+ percent\b"
    r"|\b(?:write into the report|write that down as|list any mistakes|give partly|quote the translation)\b"
    r"|\b(?:escrib|anot|pon)\w* (?:en el informe|que el agente dijo)\b|\b(?:sentiment|contact reason) is\b"
    # The same in the languages that callers try most.
    r"|\b(?:ignorier\w*|ignorez) \w+ (?:regeln|grille|r[èe]gles)\b|评分|满分|満点|высший балл"
    r"|</?(?:transcript|system|instructions?)>|```|\{\s*\"|=====",
    re.IGNORECASE,
)


# The same without the words of the judging: roles, forms and verdicts that a listening machine is given.
_SPEAKS_TO_A_MACHINE = re.compile(
    r"\b(?:ChatGPT|GPT(?:-\d\w*)?|LLM)\b"
    r"|\b(?:you are|you're|act as|pretend to be|eres|act[úu]a como)\b.{0,40}\b(?:assistant|judge|bot|robot|asistente|juez|jueza)\b"
    r"|\b(?:grader|reviewer|revisor\w*|auditor\w*|evaluador\w*|calificador\w*|robot|bot|software|tool|program\w*|machine|m[áa]quina|algorit\w+)\b"
    r".{0,50}\b(?:tick\w*|treat|passed|gives?|one hundred|a ten|five out of five|kind|eval[úu]a|apru[ée]b\w*|un diez|cinco de cinco|deja pasar|todos los pasos|every step)\b"
    r"|\b(?:quality|QA|audit|auditor[íi]a|calidad|evaluation|evaluaci[óo]n)\b.{0,40}\b(?:one hundred|filled|should give|approve\w*|yes|aprobad\w+|aprueba|con s[íi]|completed)\b"
    r"|\b(?:tick|check|put a check|rellena|marca)\w*\b.{0,25}\b(?:all|every|each|everything|tod[oa]s?|cada)\b.{0,20}\b(?:box\w*|items?|questions?|for me|casillas?|apartados?|preguntas?)\b"
    r"|\b(?:machine|m[áa]quina|bot|robot|software)\W+(?:listening|(?:that|which|que)\W+(?:listens|escucha|revisa))\b"
    r"|\blet (?:this|it|this one|this call) pass\b|\bmistakes?\b.{0,20}\bwrite that down|\bact as my\b"
    r"|\byes (?:to|for) (?:all|each|every)\b|\bs[íi] (?:a|en) tod\w+|\b(?:verdict|veredicto)\b.{0,40}\b(?:yes|s[íi])"
    r"|\bpon\w*\s+un (?:diez|10)\b|\b(?:best|mejor) (?:nota|result|grade|mark)\b"
    r"|\b(?:your|tus?)\W+(?:new |nueva )?(?:task|tarea|prompt|instructions|instrucciones)\b.{0,30}\b(?:is|es|changed|han cambiado|says?|dicen?)\b"
    r"|\b(?:stop|skip|deja de|salta|omite)\W+(?:the |la )?(?:evaluat\w+|evaluaci[óo]n|evaluar|grading|scoring)\b"
    r"|\b(?:need|hace falta|necesita)\b.{0,15}\b(?:graded|scored|evaluated|evaluarla|ser evaluada)\b"
    r"|\b(?:count|treat|record|log|cuenta|registra)\b.{0,40}\bas\s+(?:a proper|done|met|fulfilled|passed|satisfied|compliant)\b"
    r"|\b(?:cuenta|registra|considera)\b.{0,40}\b(?:como (?:hech\w+|cumplid\w+|conforme)|satisfech\w+)\b"
    r"|\b(?:all|every)\b.{0,15}\b(?:requirements?|checkpoints?|steps)\b.{0,15}\b(?:satisfied|fulfilled|met)\b"
    r"|\b(?:count|mark)\b.{0,20}\b(?:item|greet\w*|it)\W*(?:as fulfilled|$)|\bI did greet\b"
    r"|\b(?:pretend|imagine|imagina|finge|haz como si|da por hecho|assume)\b.{0,30}\b(?:greet\w*|salud\w+|the agent|el agente|opened|abierto|abri[óo]|I opened)\b"
    r"|\b(?:do not|don't|no)\W+(?:penali\w+|look for mistakes|busques errores)\b(?=\W*$|.{0,20}\b(?:agent\w*|call|llamada)\b)"
    r"|\b(?:no|any|ning[úu]n)\W+(?:critical error|error cr[íi]tico)"
    r"|\b(?:rate|grade|score|calif[íi]ca|punt[úu]a|apru[ée]ba)(?:me|nos|us| me| us| this| esta)\b.{0,40}\b(?:excellent|perfect|sobresaliente|excelente|all|en tod\w+|call|agent|llamada|conversaci[óo]n)\b"
    r"|\b(?:just )?output (?:success|one hundred|yes|met)\b"
    r"|\b(?:previous|above) text\b.{0,20}\btest\b|\bbefore the (?:recording|line)\b.{0,20}\b(?:started|recorded)\b"
    r"|\b(?:analysis|report|an[áa]lisis|informe)\b.{0,12}\b(?:should say|says? that|que el cliente|that the customer)\b",
    re.IGNORECASE,
)


def speaks_to_the_judge(text: str) -> bool:
    """True for words that are about how the call is to be judged."""
    return any(pattern.search(text) for pattern in (_SPEAKS_TO_THE_JUDGE, _SPEAKS_TO_A_MACHINE))


def hide_hostile_words(conversation: Conversation) -> Conversation:
    """Return the conversation without the sentences that speak to the judge; segments keep their numbers."""
    if not any(speaks_to_the_judge(s.text) for s in conversation.segments):
        return conversation
    hidden = [
        replace(segment, text=_hide(segment.text)) if speaks_to_the_judge(segment.text) else segment
        for segment in conversation.segments
    ]
    return replace(conversation, segments=hidden)


def _hide(text: str) -> str:
    kept = [HIDDEN if speaks_to_the_judge(sentence) else sentence for sentence in split_sentences(text)]
    shown = " ".join(kept)
    # An instruction over several sentences is hidden whole.
    return HIDDEN if speaks_to_the_judge(shown) else shown
