"""Texts compared regardless of case, accents and typography."""

import pytest

from callscope.language.fold import fold_text, fold_typography

pytestmark = pytest.mark.one_database


class TestFold:
    @pytest.mark.parametrize("fold", [fold_text, fold_typography])
    def test_ignores_case_and_accents(self, fold):
        assert fold("ÁRBOL Straße") == "arbol strasse"

    def test_keeps_typography_unless_it_is_asked_for(self):
        assert fold_text("① ’") == "① ’"
        assert fold_typography("① ’") == "1 '"
