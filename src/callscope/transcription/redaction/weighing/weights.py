"""Read lists of weights, as `benchmarks/fit_redaction.py` writes them."""

from callscope.language.wordlists import read_phrase_list
from callscope.transcription.redaction import vocabulary


def read_weight_list(name: str) -> dict[str, float]:
    """Return name → weight. Under "[said 1 other]", "0.29 text" stands for "said 1 other text"."""
    weights: dict[str, float] = {}
    section = ""
    for line in read_phrase_list(vocabulary.__name__, name):
        if line.startswith("["):
            section = line.strip("[]")
        else:
            weight, rest = line.split(maxsplit=1)
            weights[f"{section} {rest}".strip()] = float(weight)
    return weights
