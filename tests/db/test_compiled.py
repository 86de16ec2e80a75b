"""Queries that Django writes once, run over other values than they were written with."""

import datetime as dt

import pytest

from callscope.accounts.models import User
from callscope.db.compiled import adapt_moment, compile_query, stand_ins


@pytest.fixture
def users(db):
    return [User.objects.create(email=f"user-{n}@example.com") for n in range(3)]


class TestCompiledQuery:
    def test_runs_over_the_ids_that_it_is_given(self, users):
        query = compile_query(User.objects.filter(pk__in=stand_ins(2), is_active=True).values_list("pk"))

        for chosen in (users[:2], users[1:]):
            ids = [user.pk for user in chosen]
            assert sorted(query.fetch(ids)) == [(pk,) for pk in ids]

    def test_takes_other_values_by_what_stands_in_for_them(self, users):
        moment = dt.datetime(2, 1, 1, tzinfo=dt.UTC)
        query = compile_query(
            User.objects.filter(pk__in=stand_ins(1), created_at__gte=moment).values_list("email")
        )
        made = users[0].created_at

        for since, found in ((made, [(users[0].email,)]), (made + dt.timedelta(seconds=1), [])):
            assert query.fetch([users[0].pk], {adapt_moment(moment): adapt_moment(since)}) == found

    @pytest.mark.parametrize("given", [[], [1], [1, 2, 3]])
    def test_refuses_another_number_of_ids(self, db, given):
        query = compile_query(User.objects.filter(pk__in=stand_ins(2)).values_list("pk"))

        with pytest.raises(ValueError, match="argument"):
            query.fetch(given)
