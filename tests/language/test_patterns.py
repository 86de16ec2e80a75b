"""Patterns of people, in linear time: what they match, and how much work they may be."""

import itertools
import random

import pytest

from callscope.language import patterns
from callscope.language.patterns import (
    PatternRefused,
    PatternTooSlow,
    compile_pattern,
    cut_pieces,
    find_pattern,
)

ATOMS = ["a", ".", "[a-m]", "[^x]", r"\w", r"\s", r"\d", "é", r"\b", "(?:ab|cd)", "(?:a|.)", "the ", r"\pL"]
REPEATS = ["", "*", "+", "?", "{3}", "{0,40}", "{20,}", "*?", "{2,200}"]


def make_hostile(seed: int) -> str:
    """Return a pattern of nested repetitions and alternatives."""
    chance = random.Random(seed)

    def build(depth: int) -> str:
        parts = []
        for _ in range(chance.randint(1, 4)):
            atom = chance.choice(ATOMS) if depth == 0 or chance.random() < 0.5 else f"(?:{build(depth - 1)})"
            parts.append(atom + chance.choice(REPEATS))
        return chance.choice(["", "|"]).join(parts)

    return build(3) + chance.choice(["", "9", "~", "$"])


class TestPieces:
    @pytest.mark.parametrize("text", ["", "a", "a  b", "   ", "word " * 500, "x" * 2500, "a   [b]"])
    def test_hold_every_letter_once_and_are_short(self, text):
        pieces = list(cut_pieces(text))

        covered = "".join(text[start:end] for start, end in pieces)
        assert covered.replace(" ", "") == text.replace(" ", "")
        assert all(0 < end - start <= patterns.MAX_PIECE_CHARACTERS for start, end in pieces)
        assert all(one.end <= other.start for one, other in itertools.pairwise(pieces))


class TestSearch:
    def test_says_where(self):
        assert list(find_pattern("n[uú]mero", ["Un Número,", "y otro numero"])) == [(0, (3, 9)), (1, (7, 13))]

    def test_takes_the_euro_and_other_signs(self):
        assert list(find_pattern(r"\d+ ?€", ["son 12 €"])) == [(0, (4, 8))]

    def test_ends_when_its_time_is_spent(self):
        clock = itertools.count(step=patterns.MAX_SEARCH_S * 0.6)

        with pytest.raises(PatternTooSlow):
            list(find_pattern("a", ["b"] * 100, clock=lambda: next(clock)))

        assert next(clock) <= patterns.MAX_SEARCH_S * 0.6 * 6

    def test_does_not_count_what_is_done_with_a_match(self):
        spent_s = [0.0]

        for _ in find_pattern("a", ["a"] * 100, clock=lambda: spent_s[0]):
            spent_s[0] += patterns.MAX_SEARCH_S

        assert spent_s[0] > 99 * patterns.MAX_SEARCH_S

    def test_of_hostile_patterns_is_bounded_in_size_and_piece(self):
        call = ["so I said that the the order was late and nobody called me back at all"] * 60
        taken = 0
        for seed in range(400):
            pattern = make_hostile(seed)
            try:
                compiled = compile_pattern(pattern)
                found = list(itertools.islice(find_pattern(pattern, call), 500))
            except (PatternRefused, PatternTooSlow):
                continue
            taken += 1
            assert compiled.programsize <= patterns.MAX_PROGRAM_SIZE
            assert all(start < end for _, (start, end) in found)

        assert taken > 100
