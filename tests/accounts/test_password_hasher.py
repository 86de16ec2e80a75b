"""What a password costs to hash, and how many are hashed at once."""

import os
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher, check_password, make_password

from callscope.accounts import password_hasher
from callscope.accounts.password_hasher import (
    NICENESS,
    TURN_FILE,
    WAITING_HASHES,
    BoundedArgon2Hasher,
    TooManyHashes,
    require_place,
)
from callscope.processes.file_lock import FileLock


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


@pytest.fixture
def hash_slowly(monkeypatch):
    """Hold every hash until `is_open`; count how many were inside argon2 at once, and how nice they were."""
    inside, most, niceness = [], [], set()
    is_open, lock = threading.Event(), threading.Lock()

    def encode(_self, password, _salt):
        with lock:
            inside.append(password)
            most.append(len(inside))
            niceness.add(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        is_open.wait(30)
        with lock:
            inside.remove(password)
        return password

    monkeypatch.setattr(Argon2PasswordHasher, "encode", encode)
    yield SimpleNamespace(most=most, niceness=niceness, is_open=is_open)
    is_open.set()


def test_hashes_one_at_a_time_and_refuses_more_than_can_wait(hash_slowly):
    refused = []

    def ask(number):
        try:
            BoundedArgon2Hasher().encode(str(number), "salt-salt")
        except TooManyHashes:
            refused.append(number)
            hash_slowly.is_open.set()  # all places are taken

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(WAITING_HASHES + 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(refused) == 1
    assert BoundedArgon2Hasher().encode("again", "salt-salt") == "again"  # all places are free again
    assert max(hash_slowly.most) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere threads have no priority of their own")
def test_hashes_when_nothing_else_wants_the_processor(hash_slowly):
    """Also in a process that is nice itself: only the superuser may make a thread less nice."""
    hash_slowly.is_open.set()

    BoundedArgon2Hasher().encode("a", "salt-salt")

    ours = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert hash_slowly.niceness == {min(ours + NICENESS, 19)}


def test_waits_while_another_process_hashes(hash_slowly, settings, monkeypatch):
    """A lock of the same file stands for the other process: the kernel makes no difference."""
    monkeypatch.setattr(password_hasher, "WAIT_S", 0.05)
    hash_slowly.is_open.set()

    with FileLock(Path(settings.DATA_DIR) / TURN_FILE), pytest.raises(TooManyHashes):
        BoundedArgon2Hasher().encode("a", "salt-salt")

    monkeypatch.undo()
    assert BoundedArgon2Hasher().verify("a", Argon2PasswordHasher().encode("a", "b" * 16))


def test_knows_before_anything_is_written_that_no_hash_can_wait(monkeypatch):
    monkeypatch.setattr(password_hasher, "_places", threading.BoundedSemaphore(1))
    require_place()
    password_hasher._places.acquire()

    with pytest.raises(TooManyHashes):
        require_place()
