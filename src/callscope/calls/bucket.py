"""A bucket as the storage of recordings, asked with little patience: a request of somebody waits."""

from typing import Any

from botocore.config import Config
from storages.backends.s3 import S3Storage

CONNECT_S, READ_S = 5.0, 30.0
ATTEMPTS = 3


class BucketStorage(S3Storage):
    """S3Storage whose requests end within half a minute each; botocore's defaults are minutes."""

    def __init__(self, **options: Any) -> None:
        config = Config(
            connect_timeout=CONNECT_S,
            read_timeout=READ_S,
            retries={"total_max_attempts": ATTEMPTS, "mode": "standard"},
        )
        super().__init__(**{"client_config": config, **options})
