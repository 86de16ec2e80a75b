"""Sign-in with an identity provider, against a stand-in that really signs its tokens."""

import dataclasses
import time

import pytest
from django.test import Client

from callscope.accounts import audit, second_factor, services
from callscope.accounts.models import Identity, User
from tests.web.conftest import page
from tests.web.views.access.identity_provider import CLIENT, IdentityProvider

pytestmark = pytest.mark.django_db

ALICE = {"sub": "a-1", "email": "Alice@example.com", "email_verified": True}


@pytest.fixture(scope="module")
def running():
    provider = IdentityProvider()
    yield provider
    provider.close()


@pytest.fixture
def provider(running, settings):
    running.claims, running.spoil, running.sign = dict(ALICE), lambda claims: claims, running.sign_properly
    configure(settings, running)
    return running


def configure(settings, provider, **more):
    settings.ENVIRONMENT = dataclasses.replace(
        settings.ENVIRONMENT,
        public_url="http://testserver",
        oidc_url=provider.issuer,
        oidc_client_id=CLIENT,
        oidc_client_secret="secret",
        oidc_name="Staff",
        **more,
    )


def come_back(client, provider, query=""):
    """Go to the provider and return; return the answer to the last step."""
    return client.get(provider.authorize(client.get(f"/login/sso/{query}")["Location"]))


def is_signed_in(client):
    return client.get("/account/").status_code == 200


class TestSignIn:
    def test_opens_the_account_with_the_e_mail_and_goes_where_it_should(self, visitor, alice, provider):
        link = page(visitor.get("/login/?next=/calls/")).all("a", href="/login/sso/?next=%2Fcalls%2F")

        assert link
        assert come_back(visitor, provider, "?next=/calls/")["Location"] == "/calls/"
        assert is_signed_in(visitor)
        assert Identity.objects.get().user == alice
        assert audit.verify_chain().problems == []

    def test_knows_the_user_by_the_subject_from_then_on(self, visitor, alice, bob, provider):
        come_back(visitor, provider)
        provider.claims["email"] = "bob@example.com"
        other = Client()

        come_back(other, provider)

        assert "alice@example.com" in page(other.get("/account/")).text

    @pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example"])
    def test_never_leads_to_another_host(self, visitor, alice, provider, target):
        assert come_back(visitor, provider, f"?next={target}")["Location"] == "/"

    def test_is_not_there_unless_it_is_set_up(self, visitor):
        assert visitor.get("/login/sso/").status_code == 404
        assert visitor.get("/login/sso/done/").status_code == 404

    def test_asks_for_a_second_factor_that_was_set_up_here(self, visitor, alice, provider, monkeypatch):
        monkeypatch.setattr(second_factor, "is_set_up", lambda _user: True)

        assert come_back(visitor, provider)["Location"] == "/login/code/"
        assert not is_signed_in(visitor)

    def test_counts_as_a_second_factor_where_one_is_required(self, visitor, alice, provider, settings):
        configure(settings, provider, second_factor="required")

        come_back(visitor, provider)

        assert is_signed_in(visitor)

    def test_takes_new_keys_of_the_provider(self, visitor, alice, provider):
        come_back(visitor, provider)
        from joserfc.jwk import RSAKey

        provider.key = RSAKey.generate_key(2048, {"kid": "two", "use": "sig"})
        try:
            from joserfc import jwt

            provider.sign = lambda claims: jwt.encode({"alg": "RS256", "kid": "two"}, claims, provider.key)
            other = Client()
            come_back(other, provider)
            assert is_signed_in(other)
        finally:
            provider.key = RSAKey.import_key({**provider.key.as_dict(private=True), "kid": "one"})


class TestAToken:
    @pytest.mark.parametrize(
        "change",
        [
            {"nonce": "another"},
            {"nonce": None},
            {"aud": "another-client"},
            {"aud": None},
            {"iss": "https://evil.example"},
            {"iss": None},
            {"exp": int(time.time()) - 3600},
            {"exp": None},
            {"email_verified": False},
            {"email_verified": "true"},
            {"email_verified": None},
            {"email": "nobody@example.com"},
            {"email": None},
            {"sub": None},
            {"sub": "x" * 300},
        ],
    )
    def test_is_refused_with_a_wrong_claim(self, visitor, alice, provider, change):
        changed = {**change}
        provider.spoil = lambda claims: {k: v for k, v in {**claims, **changed}.items() if v is not None}

        assert come_back(visitor, provider)["Location"] == "/login/"

        assert not is_signed_in(visitor)
        assert not Identity.objects.exists()
        assert not User.objects.filter(email="nobody@example.com").exists()

    @pytest.mark.parametrize(
        "sign", ["sign_with_nothing", "sign_with_the_public_key_as_secret", "sign_with_another_key"]
    )
    def test_is_refused_when_the_provider_did_not_sign_it(self, visitor, alice, provider, sign):
        provider.sign = getattr(provider, sign)

        assert come_back(visitor, provider)["Location"] == "/login/"
        assert not is_signed_in(visitor)

    def test_is_refused_for_another_browser_and_a_second_time(self, visitor, alice, provider):
        address = provider.authorize(visitor.get("/login/sso/")["Location"])
        other = Client()

        assert other.get(address)["Location"] == "/login/"
        assert not is_signed_in(other)
        assert visitor.get(address).status_code == 302
        assert is_signed_in(visitor)
        visitor.post("/logout/")
        visitor.get(address)
        assert not is_signed_in(visitor)

    def test_is_refused_without_its_verifier(self, visitor, alice, provider):
        address = visitor.get("/login/sso/")["Location"]
        assert "code_challenge_method=S256" in address
        back = provider.authorize(address)
        for asked in provider.codes.values():
            asked["code_challenge"] = "stolen"

        visitor.get(back)

        assert not is_signed_in(visitor)

    def test_is_refused_for_a_deactivated_user(self, visitor, alice, provider):
        services.deactivate_user(alice)

        come_back(visitor, provider)

        assert not is_signed_in(visitor)

    def test_of_another_subject_does_not_take_over_an_account(self, visitor, alice, provider):
        come_back(visitor, provider)
        provider.claims["sub"] = "another"
        other = Client()

        come_back(other, provider)

        assert not is_signed_in(other)

    def test_that_never_comes_is_reported(self, visitor, alice, provider):
        visitor.get("/login/sso/")

        assert visitor.get("/login/sso/done/?error=access_denied&state=x")["Location"] == "/login/"
        assert "did not let you in" in page(visitor.get("/login/")).text


class TestSignUp:
    @pytest.mark.parametrize(
        ("allowed", "groups", "opens"),
        [
            ([], ["calls"], False),
            (["example.org"], ["calls"], True),
            (["example.com"], ["calls"], False),
            (["group:calls"], ["calls"], True),
            (["group:calls"], ["others"], False),
            (["group:calls"], "calls", False),
            (["calls"], ["calls"], False),
        ],
    )
    def test_is_for_named_domains_and_groups(self, visitor, provider, settings, allowed, groups, opens):
        configure(settings, provider, oidc_sign_up=allowed)
        provider.claims = {"sub": "n", "email": "new@example.org", "email_verified": True, "groups": groups}

        come_back(visitor, provider)

        assert is_signed_in(visitor) is opens
        assert User.objects.filter(email="new@example.org").exists() is opens


class TestGroups:
    def test_lead_into_their_teams_and_out_of_them(self, alice, bob, provider, settings):
        north, south = (services.create_team(name, admin=bob) for name in ("North", "South"))
        kept = services.create_team("Kept", admin=alice)
        teams = [("sales", north.pk, False), ("leads", north.pk, True), ("gone", 99_999, False)]
        configure(settings, provider, oidc_teams=teams)

        def teams_after(*groups):
            provider.claims["groups"] = list(groups)
            come_back(Client(), provider)
            return set(alice.memberships.values_list("team__name", "is_admin"))

        assert teams_after("sales", "gone") == {("North", False), ("Kept", True)}
        assert teams_after("leads") == {("North", True), ("Kept", True)}
        assert teams_after("sales") == {("North", False), ("Kept", True)}
        assert teams_after() == {("Kept", True)}
        assert south.memberships.count() == kept.memberships.count() == 1

    def test_leave_a_team_its_only_admin(self, alice, provider, settings):
        team = services.create_team("North", admin=alice)
        configure(settings, provider, oidc_teams=[("sales", team.pk, False)])

        for groups in ([], ["sales"]):
            provider.claims["groups"] = groups
            come_back(Client(), provider)
            assert alice.memberships.get().is_admin


class TestSignOut:
    def test_offers_to_leave_the_provider_too(self, visitor, alice, provider):
        come_back(visitor, provider)

        left = visitor.post("/logout/")

        assert left["Location"] == "/login/sso/left/"
        assert not is_signed_in(visitor)
        (link,) = [a for a in page(visitor.get("/login/sso/left/")).all("a") if "/leave" in a["href"]]
        assert link["href"].startswith(f"{provider.issuer}/leave?post_logout_redirect_uri=")
        assert f"client_id={CLIENT}" in link["href"]
