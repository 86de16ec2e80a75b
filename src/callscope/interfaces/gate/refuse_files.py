"""Refuse the files of a form wherever none are taken."""

from typing import Any

from django.core.exceptions import BadRequest
from django.core.files.uploadhandler import FileUploadHandler


class RefuseFiles(FileUploadHandler):
    """The upload handler of every address that does not set another one.

    Django's own would write the file to the data folder before a view decides who sent it.
    """

    def new_file(self, *_args: Any, **_kwargs: Any) -> None:
        """Raise BadRequest at the first byte of a file."""
        raise BadRequest("This address takes no files.")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Take nothing; new_file() has refused it."""

    def file_complete(self, file_size: int) -> None:
        """Return no file; new_file() has refused it."""
