"""Name in a few words why the customer calls, from the customer's first statement of a need.

The wording stays the customer's; names, numbers, dates and redacted spans are
left out, so that alike calls read alike and nothing private ends up in a report.
"""

import re

from callscope.analysis.conversation import Conversation, Segment
from callscope.engines.embeddings import words
from callscope.engines.embeddings.wordlists import word_list

OPENING_SEGMENTS = 12  # of the customer; a need is told early or not at all
MAX_WORDS = 7
MAX_CHARACTERS = 80

# What comes before a need. The longest alternatives stand first; they are taken off again and again.
_LEADS = {
    "en": re.compile(
        r"^(?:(?:and|so|well|okay|ok|um+|uh+|yes|yeah|hi|hello|hey|please|also|actually|basically|sure|just|"
        r"good (?:morning|afternoon|evening)|the thing is|excuse me|sorry)\b[\s,.!]*)*"
        r"(?P<lead>"
        r"(?:i(?:'m| am| was)|we(?:'re| are| were)) (?:calling|phoning|ringing|writing|contacting you|reaching out)(?: you)?(?: today)? "
        r"(?:about|because of|because|regarding|concerning|to|for|in regards? to|with regards? to|as)"
        r"|(?:the )?reason (?:for my call|(?:i'm|i am) calling) is(?: that| because)?"
        r"|(?:i|we)(?:'d| would)? (?:really )?(?:like|love|want|wanted|need|needed|wish|wanna|have|got)(?: to|ed to)? "
        r"(?:ask (?:you )?(?:about|for|if|whether)|(?:talk|speak) (?:to|with) (?:someone|somebody|you) (?:about|regarding)|"
        r"know (?:about|if|whether|how to|what|when|where)|find out (?:about|if|whether|how to|what|when|where)|"
        r"(?:some |your )?(?:help|assistance|information|info) (?:with|in|on|about|to|for)?)"
        r"|(?:i|we)(?:'d| would) (?:really )?(?:like|love)(?: to)?"
        r"|(?:i|we) (?:really |just )?(?:want|wanted|need|needed|wish|have|got|wanna)(?: to|ed to)?"
        r"(?= (?!no\b|not\b))"
        r"|(?:i(?:'m| am| was| have been|'ve been)|we(?:'re| are| were)) (?:just )?(?:trying|looking|hoping|wanting|going|here|"
        r"interested|planning|wondering|inquiring|enquiring|having (?:a |some )?(?:trouble|problems?|issues?|difficult\w+))"
        r"(?: if| whether| about| to| for| in| with| into)?"
        r"|(?:i|we) (?:was|were) (?:wanting|wondering)(?: if)?"
        r"|(?:can|could|would|will) (?:you|u)(?: guys)?(?: please)?(?: be able to)?"
        r"|(?:can|could|may|should) (?:i|we)(?: please)?|is it possible to|is there any ?way (?:to|i can|i could|you can|you could)"
        r"|(?:i|we) (?:can|could) use"
        r"|do you (?:know|have)(?: if)?|what(?:'s| is) (?=the)|looking (?:to|for)|wanting to|trying to|need(?:ing)? to|want to|let's|let us"
        r"|help(?:ing)?(?: me| us)?(?: out)?(?: to| with| in| please)?|assist(?: me| us)?(?: with| in)?|(?:please )?tell me(?: about)?"
        r"|(?:please )?let me know|check (?:and see )?(?:if|whether)|give me|get me|some (?:help|assistance)(?: with| in| to)?"
        r"|make sure (?:that )?"
        r")\b[\s,:]*",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"^(?:(?:y|pues|bueno|bien|hola|oiga|mire|mira|s[ií]|vale|eh+|a ver|es que|ver[aá]|por favor|disculpe|perdone|"
        r"buen(?:os|as) (?:d[ií]as|tardes|noches))\b[\s,.!]*)*"
        r"(?P<lead>"
        r"(?:le |les |os |te )?(?:llamo|llamaba|estoy llamando|escribo|contacto) (?:porque|por|para|a causa de|acerca de|sobre|debido a)"
        r"(?: saber| preguntar| consultar)?(?: si| por| sobre)?"
        r"|el motivo de mi llamada es(?: que)?"
        r"|(?:yo )?(?:quiero|quer[ií]a|quisiera|querr[ií]a|me gustar[ií]a|necesito|necesitaba|necesitar[ií]a|deseo|desear[ií]a)"
        r"(?: (?:saber|preguntar|consultar|que me (?:ayuden?|diga[n]?|informe[n]?))(?: (?:si|por|sobre|cu[aá]ndo|c[oó]mo|con|de))?"
        r"| (?:ayuda|informaci[oó]n) (?:con|para|sobre|de))?"
        r"|(?:tengo|ten[ií]a) una? (?:duda|consulta|pregunta) (?:con|sobre|de|acerca de)"
        r"|(?:me )?(?:puede[sn]?|podr[ií]an?|podr[ií]as) (?:ayudarme|decirme|informarme|explicarme)?(?: (?:con|a|si|sobre|c[oó]mo|de))?"
        r"|(?:estoy|estaba) (?:buscando|intentando|tratando de|interesad[oa] en)|busco|ay[uú]de(?:me|nme) (?:con|a)"
        r"|es posible|hay (?:alguna )?forma de"
        r")(?=\s|$|,)[\s,:]*",
        re.IGNORECASE,
    ),
}
_CLAUSE_END = {
    "en": re.compile(
        r"[.,;:!?…()\"“”]|\s[-–—]\s|\s(?:because|but|so|since|if|when|while|where|although|though|which|who|please|thanks|thank you|"
        r"and (?:i|my|we|it|he|she|they|you|then|also|now)|that (?:i|is|was|has|will|can|the|they|you|we)|as (?:i|we|soon)|"
        r"as well)\b",
        re.IGNORECASE,
    ),
    "es": re.compile(
        r"[.,;:!?¿¡…()\"«»]|\s[-–—]\s|\s(?:porque|pero|as[ií] que|ya que|pues|si|cuando|mientras|aunque|gracias|por favor|"
        r"y (?:me|mi|no|ya|yo|ahora|luego|tambi[eé]n|resulta|le|les|se)|que (?:me|se|no|ya|est[aá]|he|ha|ten[ií]a|hice|compr[eé]))\b",
        re.IGNORECASE,
    ),
}
# A preposition with a name, a number or a day after it begins the details of this one call.
_DETAIL = {
    "en": re.compile(
        r"\s(?:at|on|for|from|in|by|to|with|under|near|between|around|after|before|called|named|number|of|until)"
        r"(?: (?:the|a|an|my|this|next|about|around|tomorrow))*"
        r" (?:[A-Z][\w'’]*|\d[\w:/.,]*|today\b|tomorrow\b|tonight\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|noon\b|week\b|weekend\b|"
        r"month\b|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b|me\b|myself\b)"
    ),
    "es": re.compile(
        r"\s(?:a|al|en|de|del|por|para|con|desde|hasta|el|llamad[oa]|n[uú]mero)(?: (?:el|la|los|las|un|una|mi|este|esta|pr[oó]xim[oa]))*"
        r" (?:[A-ZÁÉÍÓÚÑ][\w'’]*|\d[\w:/.,]*|hoy\b|ma[nñ]ana\b|ayer\b|(?:lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo)\b|"
        r"uno\b|dos\b|tres\b|cuatro\b|cinco\b)"
    ),
}
_IDENTITY = {
    "en": re.compile(
        r"\b(?:my name(?:'s| is)|this is|i(?:'m| am)|it(?:'s| is))\s+(?:mr\.?|mrs\.?|ms\.?|dr\.?)?\s*[A-Z][\w'’]*(?:\s+[A-Z][\w'’]*)*"
        r"(?:\s+(?:here|speaking))?"
    ),
    "es": re.compile(
        r"\b(?:[Mm]i nombre es|[Mm]e llamo|[Ss]oy)\s+[A-ZÁÉÍÓÚÑ][\w]*(?:\s+(?:de |del )?[A-ZÁÉÍÓÚÑ]\w*)*"
    ),
}
_AGENT_QUESTION = re.compile(
    r"\b(?:how (?:can|may) i (?:help|assist)|what can i do for you|en qu[eé] (?:puedo|le puedo) ayudar)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
_PLACEHOLDER = re.compile(r"\[[^\]]*\]|<[^>]*>|[█*#]{2,}|\b[xX]{3,}\b")
_POSSESSIVE_NAME = re.compile(r"\b[A-Z][\w]*['’]s\s+")
_NUMBER = re.compile(r"(?<!\w)[#$€£]?\d[\w:/.,%-]*")
_EDGE_WORDS = {language: word_list(__package__, f"topic_edges.{language}") for language in words.LANGUAGES}
_KEPT_FIRST = frozenset(("not", "no"))


def topic(conversation: Conversation) -> str:
    """Return a short phrase for the reason of the call, "" when the customer states none.

    Where the speakers are unknown everybody's opening counts, apart from the
    questions with which agents open.
    """
    language = conversation.language
    opening = _customer_opening(conversation)
    statements = [s for segment in opening for s in _sentences(segment.text, language)]
    for statement in statements:
        need = _need(statement, language)
        if need:
            return need
    for statement in statements:
        if len(words.content_words(statement, language)) >= 2:
            phrase = _phrase(statement, language)
            if len(words.content_words(phrase, language)) >= 2:
                return phrase
    return ""


def _customer_opening(conversation: Conversation) -> list[Segment]:
    if conversation.speaks("customer"):
        return conversation.said_by("customer")[:OPENING_SEGMENTS]
    unknown = [s for s in conversation.said_by("") if not _AGENT_QUESTION.search(s.text)]
    return unknown[:OPENING_SEGMENTS]


def _sentences(text: str, language: str) -> list[str]:
    plain = " ".join(_PLACEHOLDER.sub(" ", text).replace("’", "'").split())
    plain = _IDENTITY[language].sub(" ", plain)
    return [s.strip(" ,.-") for s in _SENTENCE_END.split(plain) if s.strip(" ,.-")]


def _need(statement: str, language: str) -> str:
    """Return what follows the words of wanting, wherever in the sentence they begin."""
    starts = [0] + [m.end() for m in re.finditer(r"[,;:]\s+|\b(?:and|but|so|y|pero)\s+", statement)]
    for start in starts:
        rest, led = statement[start:], False
        while match := _LEADS[language].match(rest):
            rest, led = rest[match.end() :], True
        if led:
            phrase = _phrase(rest, language)
            if words.content_words(phrase, language):
                return phrase
    return ""


def _phrase(text: str, language: str) -> str:
    """Return the first clause of the text without details, at most MAX_WORDS words."""
    text = _POSSESSIVE_NAME.sub("", text)
    clause_end = _CLAUSE_END[language].search(text)
    clause = text[: clause_end.start()] if clause_end else text
    detail = _DETAIL[language].search(clause)
    if detail and words.content_words(clause[: detail.start()], language):
        clause = clause[: detail.start()]
    kept = [w for w in _NUMBER.sub(" ", clause).split() if w.strip("'-’")]
    kept = kept[:MAX_WORDS]
    edge = _EDGE_WORDS[language]
    while kept and words.fold(kept[-1]) in edge:
        kept.pop()
    while kept and words.fold(kept[0]) in edge - _KEPT_FIRST:
        kept.pop(0)
    return _lowered(" ".join(kept))[:MAX_CHARACTERS].strip()


def _lowered(text: str) -> str:
    """Lower the letters, apart from short words in capitals: "PIN", "RSVP"."""
    if text.isupper() and " " in text:
        return text.lower()
    return " ".join(w if w.isupper() and 2 <= len(w) <= 6 else w.lower() for w in text.split())
