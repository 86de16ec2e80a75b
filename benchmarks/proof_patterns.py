"""Does any pattern hold a worker up on a call of an hour? Ten thousand that were made to try.

The patterns are those of tests/language/test_patterns.py (nested repetitions and alternatives of atoms that
overlap) and known ways to make engines explode. Those that the settings refuse are counted; each other one is
searched in a transcript of an hour, up to its bound. Times are processor time of the thread (ADR 17).

`python benchmarks/proof_patterns.py [PATTERNS]`; exit status 1 when one takes over 50 ms.
"""

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from callscope.language.patterns import PatternRefused, PatternTooSlow, compile_pattern, find_pattern
from tests.language.test_patterns import make_hostile

PATTERNS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
BOUND_MS = 50.0
WORDS_AN_HOUR = 9_000
TURNS = 600
KNOWN = [
    "(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){12}$", "([a-zA-Z]+)*$", r"(\w+\s?)*$", r"^(\w+\s?)*$", "(.*)*9",
    ".{0,200}x.{0,100}y", r"(?:\w{1,40} ){0,20}zzz", "(x+x+)+y", "((a?){20})a{20}", r"(\s*\w+\s*)*#",
    r"[\w\s]{0,200}[^\w]{3}", "(?:a|b|ab)*c$", "(?:.{0,20}e){8}~", "(the|then|there){1,30}q", ".*.*.*.*=",
]  # fmt: skip


def main() -> int:
    texts = speak()
    shapes = [*KNOWN, *(make_hostile(seed) for seed in range(PATTERNS - len(KNOWN)))]
    times: list[tuple[float, str]] = []
    refused = ended = 0
    for pattern in shapes:
        began = time.thread_time()
        try:
            for _ in find_pattern(pattern, texts):
                pass
        except PatternRefused:
            refused += 1
        except PatternTooSlow:
            ended += 1
        times.append(((time.thread_time() - began) * 1000, pattern))
        compile_pattern.cache_clear()  # each pays for its own automaton
    times.sort(reverse=True)
    letters, over = sum(map(len, texts)), sum(took > BOUND_MS for took, _ in times)
    print(f"{len(shapes):,} patterns on {letters:,} letters ({TURNS} turns, an hour of speech)")
    print(f"refused when saved: {refused:,}; ended at the bound of a search: {ended:,}")
    for took, pattern in times[:3]:
        print(f"  {took:6.1f} ms, {took / BOUND_MS:.2f} of the bound: {pattern[:90]}")
    print(f"median {times[len(times) // 2][0]:.2f} ms; over {BOUND_MS:g} ms: {over}")
    return int(times[0][0] > BOUND_MS)


def speak() -> list[str]:
    """Return the turns of an hour, of words that the patterns' atoms match."""
    chance = random.Random(1)
    words = [
        "the",
        "aaaa",
        "abcd",
        "account",
        "number",
        "and",
        "café",
        "12",
        "x",
        "then",
        "there",
        "o'clock",
        "9.",
    ]
    each = WORDS_AN_HOUR // TURNS
    return [" ".join(chance.choices(words, k=each)) for _ in range(TURNS)]


if __name__ == "__main__":
    sys.exit(main())
