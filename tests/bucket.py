"""An S3 server of our own, and storage that lies in one of its buckets."""

import contextlib
import functools
import secrets
from collections.abc import Iterator
from typing import Any

PREFIX = "recordings/team"
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
}


@contextlib.contextmanager
def served() -> Iterator[str]:
    """Serve S3 while the block runs; yield its address."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def environment(address: str) -> dict[str, str]:
    """Make an empty bucket; return the variables with which a process uses it."""
    import boto3

    name = f"calls-{secrets.token_hex(4)}"
    session = boto3.session.Session(
        aws_access_key_id="test", aws_secret_access_key="test", region_name="us-east-1"
    )
    session.client("s3", endpoint_url=address).create_bucket(Bucket=name)
    return {
        **CREDENTIALS,
        "AWS_ENDPOINT_URL_S3": address,
        "CALLSCOPE_STORAGE_URL": f"s3://{name}/{PREFIX}",
    }


@functools.lru_cache
def storage(**options: Any) -> Any:
    """Return the storage in a bucket, the same one each time: its client takes a second to make."""
    from storages.backends.s3 import S3Storage

    return S3Storage(**options)


def objects(address: str, url: str) -> list[str]:
    """Return the keys of all objects in the bucket of this storage URL."""
    import boto3

    session = boto3.session.Session(
        aws_access_key_id="test", aws_secret_access_key="test", region_name="us-east-1"
    )
    client = session.client("s3", endpoint_url=address)
    listed = client.list_objects_v2(Bucket=url.split("/")[2])
    return [item["Key"] for item in listed.get("Contents", [])]
