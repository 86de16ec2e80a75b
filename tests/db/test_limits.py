"""What both databases can store."""

import pytest

from callscope.accounts.models import User
from callscope.db.limits import MAX_ID, is_storable


class TestIsStorable:
    @pytest.mark.parametrize(
        "text", ["", "Straße", "line\nbreak\t\x01", "😀", "\ufdd0\uffff", "\ud7ff\ue000"]
    )
    def test_accepts_every_character_that_utf8_and_postgresql_have(self, text):
        assert is_storable(text)

    @pytest.mark.parametrize("text", ["\x00", "a\x00b", "\ud800", "a\udfff", "\udc00\ud800"])
    def test_refuses_nul_and_lone_surrogates(self, text):
        assert not is_storable(text)


class TestMaxId:
    @pytest.mark.django_db
    def test_is_the_largest_id_that_a_key_column_takes(self):
        User.objects.create(pk=MAX_ID, email="last@example.com")

        assert User.objects.get(email="last@example.com").pk == MAX_ID
        assert not User.objects.filter(pk__gt=MAX_ID - 1).exclude(pk=MAX_ID).exists()
