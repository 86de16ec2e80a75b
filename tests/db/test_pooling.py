"""A pooler that lends sessions of PostgreSQL by transaction is found; nothing else is taken for one."""

import os
import shutil
import socket
import subprocess
import time

import pytest
from django.db import connection

from callscope.db import pooling

pytestmark = pytest.mark.django_db

CONFIGURATION = """[databases]
* = host={host} port={port} user={user} {password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
server_round_robin = {round_robin}
ignore_startup_parameters = options, extra_float_digits
"""


def wait_for(pooler, port):
    """Wait until a process listens."""
    while True:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert pooler.poll() is None, "pgbouncer ended"
        time.sleep(0.05)


def test_own_connections_are_not_taken_for_a_pooler():
    assert not pooling.is_pooled_by_transaction()


@pytest.mark.parametrize(
    ("mode", "round_robin", "is_found"),
    [("session", 0, False), ("transaction", 0, True), ("transaction", 1, True), ("statement", 0, True)],
)
@pytest.mark.skipif(not shutil.which("pgbouncer"), reason="no pgbouncer")
def test_pgbouncer_is_found_in_the_modes_that_share_sessions(
    mode, round_robin, is_found, tmp_path, monkeypatch, request
):
    if connection.vendor != "postgresql":
        pytest.skip("PgBouncer is for PostgreSQL")
    known = connection.settings_dict
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        own_port = free.getsockname()[1]
    configuration = tmp_path / "pgbouncer.ini"
    configuration.write_text(
        CONFIGURATION.format(
            host=known["HOST"] or "127.0.0.1", port=known["PORT"] or 5432, user=known["USER"],
            password=f"password={known['PASSWORD']}" if known["PASSWORD"] else "",
            own_port=own_port, mode=mode, round_robin=round_robin,
        )
    )  # fmt: skip
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(0o755)
    as_user = ["-u", "nobody"] if os.getuid() == 0 else []
    pooler = subprocess.Popen(["pgbouncer", "-q", *as_user, str(configuration)])
    request.addfinalizer(lambda: (pooler.terminate(), pooler.wait()))
    wait_for(pooler, own_port)
    pooled = connection.copy()
    pooled.settings_dict.update(HOST="127.0.0.1", PORT=own_port)
    monkeypatch.setattr(pooling, "connection", pooled)
    request.addfinalizer(pooled.close)

    assert pooling.is_pooled_by_transaction() is is_found
