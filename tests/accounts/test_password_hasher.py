"""What a password costs to hash, and how many are hashed at once."""

import threading

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher, check_password, make_password

from callscope.accounts import password_hasher
from callscope.accounts.password_hasher import BoundedArgon2Hasher, TooManyHashes


@pytest.fixture
def real_hasher(settings):
    settings.PASSWORD_HASHERS = ["callscope.accounts.password_hasher.BoundedArgon2Hasher"]


def test_takes_at_most_46_mb(real_hasher):
    encoded = make_password("a password")

    memory_kib = int(encoded.split("m=")[1].split(",")[0])
    assert 19 * 1024 <= memory_kib <= 46 * 1024
    assert check_password("a password", encoded)
    assert not check_password("another", encoded)


@pytest.mark.django_db
def test_replaces_an_older_hash_at_the_next_sign_in(real_hasher, alice):
    hasher = Argon2PasswordHasher()
    alice.password = hasher.encode("alice-password", hasher.salt())
    alice.save()
    assert "m=102400" in alice.password

    assert alice.check_password("alice-password")

    alice.refresh_from_db()
    assert "m=19456,t=2,p=1" in alice.password
    assert alice.check_password("alice-password")


def test_hashes_two_at_a_time_and_refuses_more_than_can_wait(monkeypatch):
    """Counts how many are inside argon2 at once, while more come than there are places."""
    inside, most, refused = [], [], []
    is_open = threading.Event()
    lock = threading.Lock()

    def hash_slowly(_self, password, _salt):
        with lock:
            inside.append(password)
            most.append(len(inside))
        is_open.wait(30)
        with lock:
            inside.remove(password)
        return password

    monkeypatch.setattr(Argon2PasswordHasher, "encode", hash_slowly)
    places = password_hasher.HASHES_AT_ONCE + password_hasher.WAITING_HASHES

    def ask(number):
        try:
            BoundedArgon2Hasher().encode(str(number), "salt-salt")
        except TooManyHashes:
            refused.append(number)
            is_open.set()  # all places are taken

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(places + 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(refused) == 1
    assert BoundedArgon2Hasher().encode("again", "salt-salt") == "again"  # all places are free again
    assert max(most) == password_hasher.HASHES_AT_ONCE
