"""Other spellings and words for the same things: of a country, or of people in a hurry."""

import re
from functools import lru_cache

from callscope.analysis.conversation.turns import Segment
from callscope.analysis.counterfactuals.names import write_like
from callscope.language.patterns import Span

_BRITISH = {
    "color": "colour", "favor": "favour", "favorite": "favourite", "honor": "honour", "labor": "labour",
    "neighbor": "neighbour", "behavior": "behaviour", "center": "centre", "meter": "metre",
    "theater": "theatre", "organize": "organise", "organized": "organised", "apologize": "apologise",
    "recognize": "recognise", "realize": "realise", "authorize": "authorise", "authorized": "authorised",
    "analyze": "analyse", "canceled": "cancelled", "canceling": "cancelling",
    "traveling": "travelling", "traveled": "travelled", "gray": "grey",
    "catalog": "catalogue", "dialog": "dialogue", "license": "licence", "mom": "mum",
    "apartment": "flat", "cellphone": "mobile", "vacation": "holiday", "elevator": "lift",
    "truck": "lorry", "toward": "towards", "math": "maths", "airplane": "aeroplane",
}  # fmt: skip
_LATIN_AMERICAN = {
    "ordenador": "computadora", "móvil": "celular", "móviles": "celulares", "coche": "carro",
    "coches": "carros", "vosotros": "ustedes", "vosotras": "ustedes", "vuestro": "su", "vuestra": "su",
    "vale": "listo", "piso": "departamento", "billete": "boleto", "billetes": "boletos",
    "aparcar": "estacionar", "aparcamiento": "estacionamiento", "tarta": "torta", "zumo": "jugo",
    "conducir": "manejar", "portátil": "laptop", "gafas": "lentes", "nevera": "refrigerador",
    "mando": "control", "enfadado": "enojado", "enfadada": "enojada", "coger": "tomar", "cojo": "tomo",
}  # fmt: skip
#: What people say in a hurry; words with the same meaning, in the spelling that recognizers write.
_INFORMAL = {
    "en": {
        "isn't": "ain't", "aren't": "ain't", "yes": "yeah", "you": "ya", "them": "'em", "because": "'cause",
        "going": "goin'", "nothing": "nothin'", "something": "somethin'", "doing": "doin'",
        "trying": "tryin'", "waiting": "waitin'", "getting": "gettin'", "calling": "callin'",
        "about": "'bout", "until": "'til", "okay": "a'ight", "friend": "buddy",
    },
    "es": {
        "para": "pa", "nada": "na", "todo": "to", "usted": "usté", "verdad": "verdá", "cancelado": "cancelao",
        "pagado": "pagao", "mandado": "mandao", "llamado": "llamao", "cobrado": "cobrao",
        "llegado": "llegao", "estado": "estao", "pues": "po", "mucho": "musho", "muy": "mu",
    },
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def edit_dialect(segment: Segment, group: str, language: str) -> list[tuple[Span, str]]:
    """Return what stands in a segment for what in one dialect."""
    words = _words_of(group, language)
    return [
        (Span(*match.span()), write_like(match.group(), new))
        for match in _WORD.finditer(segment.text)
        if (new := words.get(match.group().lower().replace("’", "'"))) is not None
    ]


@lru_cache(maxsize=16)
def _words_of(group: str, language: str) -> dict[str, str]:
    match group:
        case "dialect_british":
            return _BRITISH
        case "dialect_american":
            return _turn_around(_BRITISH)
        case "dialect_latin_american":
            return _LATIN_AMERICAN
        case "dialect_peninsular":
            return _turn_around(_LATIN_AMERICAN)
    return _INFORMAL[language]


def _turn_around(words: dict[str, str]) -> dict[str, str]:
    """Return the way back, without the words that mean something else as well."""
    ambiguous = {"su", "lift", "flat", "tomar", "tomo", "control", "listo", "holiday", "torta"}
    back: dict[str, str] = {}
    for word, other in words.items():
        if other not in ambiguous:
            back.setdefault(other, word)
    return back
