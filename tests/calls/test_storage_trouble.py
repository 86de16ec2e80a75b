"""A bucket that is away is no verdict: requests get 503, jobs wait, nothing is lost."""

import socket

import pytest
from django.test import Client

from callscope.accounts.services import create_key
from callscope.calls import storage
from callscope.calls.models import UploadedFile
from callscope.pipeline.models import Job
from callscope.pipeline.workers.stages import run_stage
from callscope.pipeline.workers.worker import claim_and_start
from tests import bucket
from tests.api.samples import SRT
from tests.pipeline.conftest import RUBRIC, accept, configure

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]


@pytest.fixture(scope="module")
def s3():
    with bucket.served() as address:
        yield address


@pytest.fixture
def use_bucket(settings, monkeypatch):
    """Point the storage to a bucket at an address, as CALLSCOPE_STORAGE_URL does."""

    def use(address, name):
        for variable, value in {**bucket.CREDENTIALS, "AWS_ENDPOINT_URL_S3": address}.items():
            monkeypatch.setenv(variable, value)
        monkeypatch.setattr("callscope.calls.bucket.ATTEMPTS", 1)
        settings.STORAGES = {
            **settings.STORAGES,
            "default": {
                "BACKEND": "callscope.calls.bucket.BucketStorage",
                "OPTIONS": {"bucket_name": name, "location": bucket.PREFIX},
            },
        }

    return use


@pytest.fixture
def judged(project):
    return configure(project, RUBRIC)


@pytest.fixture
def nobody():
    """An address where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{probe.getsockname()[1]}"


class TestBucketThatIsAway:
    def test_parks_a_job_without_an_attempt_and_it_goes_on_when_the_bucket_is_back(
        self,
        judged,
        s3,
        nobody,
        use_bucket,
        settings,
    ):
        name = bucket.environment(s3)["CALLSCOPE_STORAGE_URL"].split("/")[2]
        use_bucket(s3, name)
        file = accept(judged)
        use_bucket(nobody, name)

        for _ in range(6):
            run_stage(claim_and_start(["asr"]))

        job = Job.objects.get(pk=file.task_id)
        assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
        assert job.error

        use_bucket(s3, name)
        run_stage(claim_and_start(["asr"]))
        file.refresh_from_db()
        assert file.status == UploadedFile.Status.TRANSCRIBED

    def test_answers_503_to_an_upload_and_stores_nothing(self, alice, project, nobody, use_bucket):
        use_bucket(nobody, "calls")
        visitor = Client(headers={"Authorization": f"Api-Key {create_key(alice)[1]}"})
        from django.core.files.uploadedfile import SimpleUploadedFile

        answer = visitor.post(
            "/api/files/", {"project": project.pk, "file": SimpleUploadedFile("a.srt", SRT)}
        )

        assert answer.status_code == 503
        assert answer.headers["Retry-After"]
        assert not UploadedFile.objects.exists()

    def test_is_another_error_than_a_file_that_is_gone(self, s3, use_bucket):
        name = bucket.environment(s3)["CALLSCOPE_STORAGE_URL"].split("/")[2]
        use_bucket(s3, name)

        with pytest.raises(FileNotFoundError):
            storage.size_of("1/nothing.wav")
        with pytest.raises(FileNotFoundError):
            storage.open_slice("1/nothing.wav", 0, 5)

    @pytest.mark.parametrize("use", [storage.size_of, lambda key: storage.remove([key])])
    def test_is_one_kind_of_error(self, nobody, use_bucket, use):
        use_bucket(nobody, "calls")

        with pytest.raises(storage.StorageUnavailable, match="The bucket cannot be used: EndpointConn"):
            use("1/a.wav")


class Dripping:
    """A body of botocore's that sends one byte every few seconds; `clock` is the time that this takes."""

    def __init__(self, content, seconds):
        self.content, self.seconds, self.now = content, seconds, 0.0
        self._raw_stream = self

    def clock(self):
        return self.now

    def read1(self, _):
        self.now += self.seconds
        piece, self.content = self.content[:1], self.content[1:]
        return piece


class TestBucketThatDrips:
    def test_is_given_up_after_a_while(self):
        body = Dripping(b"x" * 100, seconds=3)

        with pytest.raises(storage.StorageUnavailable, match="too slowly"):
            storage.PacedBody(body, 100, body.clock).read()

        assert body.now < storage.GRACE_S + 5

    def test_is_waited_for_while_it_is_slow_but_alive(self):
        body = Dripping(b"x" * 100, seconds=0.5)

        assert storage.PacedBody(body, 100, body.clock).read() == b"x" * 100

    def test_is_another_thing_than_a_slow_listener(self):
        body = Dripping(b"x" * 20, seconds=0)
        paced = storage.PacedBody(body, 20, body.clock)

        for _ in range(20):
            assert paced.read(1) == b"x"
            body.now += 60

    def test_has_not_sent_everything_when_it_ends_early(self):
        body = Dripping(b"x" * 7, seconds=0)

        with pytest.raises(storage.StorageUnavailable, match="early"):
            storage.PacedBody(body, 20, body.clock).read()

    def test_parks_the_job(self, judged, s3, use_bucket, monkeypatch):
        use_bucket(s3, bucket.environment(s3)["CALLSCOPE_STORAGE_URL"].split("/")[2])
        file = accept(judged)
        monkeypatch.setattr(storage, "GRACE_S", -1.0)

        run_stage(claim_and_start(["asr"]))

        job = Job.objects.get(pk=file.task_id)
        assert (job.state, job.attempts) == (Job.State.QUEUED, 0)
        assert job.error
