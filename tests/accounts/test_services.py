"""Users, teams and keys: what is made, what is refused, what the audit trail remembers."""

import datetime as dt
from decimal import Decimal

import pytest
from django.utils import timezone

from callscope.accounts import services
from callscope.accounts.models import ApiKey, AuditEvent, TeamMember, User
from callscope.accounts.services import InvalidAccount, NoSuchAccount


class TestCreatingAUser:
    def test_folds_the_email(self, db):
        user = services.create_user("  Ana@Example.COM ")

        assert user.email == "ana@example.com"
        assert services.find_user("ANA@example.com") == user

    def test_gives_no_password_unless_given(self, db):
        assert not services.create_user("ana@example.com").has_usable_password()
        assert services.create_user("eva@example.com", "a password").check_password("a password")

    def test_refuses_an_email_that_is_taken(self, alice):
        with pytest.raises(InvalidAccount, match="already exists"):
            services.create_user("Alice@example.com")

        assert User.objects.count() == 1

    @pytest.mark.parametrize(
        "email",
        ["", "ana", "ana@", "a b@c.de", "ana@\x00.com", "\ud800@x.com", "a" * 250 + "@x.com", '"a\vb"@x.com'],
    )
    def test_refuses_what_is_no_email(self, db, email):
        with pytest.raises(InvalidAccount, match="not an e-mail address") as refusal:
            services.create_user(email)

        assert refusal.value.field == "email"

    def test_refuses_an_empty_password(self, db):
        with pytest.raises(InvalidAccount, match="password is empty"):
            services.create_user("ana@example.com", "")

    def test_is_remembered_without_the_password(self, alice):
        services.create_user("ana@example.com", "secret words", by=alice)

        event = AuditEvent.objects.get(action="user.created")
        assert event.actor == alice
        assert "secret words" not in str(event.detail)


class TestAQuota:
    def test_is_kept_in_microseconds(self, alice):
        services.set_trial_quota(alice, Decimal("1.5"))

        assert alice.trial_quota_us == 90_000_000

    def test_is_lifted_by_none(self, alice):
        services.set_trial_quota(alice, 10)
        services.set_trial_quota(alice, None)

        alice.refresh_from_db()
        assert alice.trial_quota_us is None

    @pytest.mark.parametrize("minutes", [Decimal(-1), Decimal("nan"), Decimal("inf"), Decimal("1e300")])
    def test_refuses_what_is_no_amount(self, alice, minutes):
        with pytest.raises(InvalidAccount, match="not a quota"):
            services.set_trial_quota(alice, minutes)


class TestATeam:
    def test_begins_with_its_admin(self, alice):
        team = services.create_team("  Service   desk ", admin=alice)

        assert team.name == "Service desk"
        assert TeamMember.objects.get(team=team).is_admin

    def test_promotes_a_member_but_demotes_nobody(self, alice, bob):
        team = services.create_team("Desk", admin=alice)

        services.add_team_member(team, bob)
        assert not team.memberships.get(user=bob).is_admin
        services.add_team_member(team, bob, admin=True)
        services.add_team_member(team, bob)

        assert team.memberships.get(user=bob).is_admin
        assert team.memberships.count() == 2

    def test_lets_a_member_go_once(self, alice, bob):
        team = services.create_team("Desk", admin=alice)
        services.add_team_member(team, bob)

        services.remove_team_member(team, bob)

        with pytest.raises(InvalidAccount, match="not a member"):
            services.remove_team_member(team, bob)

    @pytest.mark.parametrize("name", ["", "   ", "x" * 256, "a\x00b"])
    def test_needs_a_name(self, alice, name):
        with pytest.raises(InvalidAccount):
            services.create_team(name, admin=alice)

    @pytest.mark.parametrize("team_id", [0, -1, 99, 2**63, 10**40])
    def test_is_found_by_ids_that_exist(self, db, team_id):
        with pytest.raises(NoSuchAccount):
            services.find_team(team_id)


class TestAKey:
    def test_shows_its_plaintext_once_and_keeps_a_hash(self, alice):
        key, plaintext = services.create_key(alice, name="Nightly upload")

        prefix, secret = plaintext.split(".")
        assert key.prefix == prefix
        assert secret not in str(ApiKey.objects.values().get(pk=key.pk))
        assert ApiKey.objects.get_from_key(plaintext).user == alice

    def test_is_refused_when_it_would_have_expired_already(self, alice):
        with pytest.raises(InvalidAccount, match="is in the past"):
            services.create_key(alice, expires_at=timezone.now() - dt.timedelta(seconds=1))

        assert not ApiKey.objects.exists()

    def test_is_worthless_after_its_revocation(self, alice):
        key, plaintext = services.create_key(alice)

        services.revoke_key(key.prefix)
        services.revoke_key(key.prefix)

        assert not ApiKey.objects.is_valid(plaintext)
        assert AuditEvent.objects.filter(action="key.revoked").count() == 1

    def test_of_somebody_else_cannot_be_revoked_by_an_owner(self, alice, bob):
        key, _ = services.create_key(alice)

        with pytest.raises(NoSuchAccount):
            services.revoke_key(key.prefix, owner=bob)

    def test_stands_in_the_list_of_its_owner_alone(self, alice, bob):
        key, _ = services.create_key(alice)
        services.create_key(bob)

        assert list(services.list_keys(alice)) == [key]
        assert services.list_keys().count() == 2


class TestDeactivation:
    def test_is_remembered_once(self, alice):
        services.deactivate_user(alice)
        services.deactivate_user(alice)

        alice.refresh_from_db()
        assert not alice.is_active
        assert AuditEvent.objects.filter(action="user.deactivated").count() == 1
