"""The trial quota is charged at upload, without decoding the sound, and corrected when it is decoded."""

import av
import numpy as np
import pytest

from callscope.calls.models import UploadedFile
from callscope.pipeline.files import intake
from callscope.pipeline.ledger import trial_quota
from callscope.testing import run_due_jobs
from callscope.transcription.audio import decode_child, decoding

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice_on_trial(alice):
    alice.trial_quota_us = 60_000_000
    alice.save()
    return alice


def write_mp3(path, seconds: float):
    """Write a tone; the frames of an MP3 last longer than the sound in them."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libmp3lame", rate=8000)
        stream.layout = "mono"
        tone = (9000 * np.sin(np.arange(int(seconds * 8000)) / 5)).astype(np.int16).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(tone, format="s16", layout="mono")
        frame.sample_rate = 8000
        resampler = av.AudioResampler(stream.format.name, "mono", 8000, frame_size=576)
        for part in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(part))
        container.mux(stream.encode(None))
    return path


def upload(path, project, user):
    return intake.accept_upload(intake.copy_to_incoming(path), project=project, user=user)


class TestChargeOfATranscript:
    @pytest.mark.parametrize(("end", "words", "charged_s"), [(0, 300, 120), (30, 300, 120), (240, 300, 240)])
    def test_covers_the_time_that_its_words_take(self, alice, project, tmp_path, end, words, charged_s):
        alice.trial_quota_us = 240_000_000
        alice.save()
        path = tmp_path / "a.srt"
        cue = f"1\n00:00:00,000 --> 00:{end // 60:02}:{end % 60:02},000\nAgent: {'word ' * words}\n"
        path.write_text(cue)

        file = upload(path, project, alice)

        alice.refresh_from_db()
        assert alice.trial_used_us == charged_s * 1_000_000
        assert file.duration_us == end * 1_000_000

    def test_refuses_more_words_than_the_quota_has_minutes(self, alice, project, tmp_path):
        alice.trial_quota_us = 60_000_000
        alice.save()
        path = tmp_path / "a.srt"
        path.write_text(f"1\n00:00:00,000 --> 00:00:00,000\nAgent: {'word ' * 151}\n")

        with pytest.raises(trial_quota.TrialQuotaExceeded):
            upload(path, project, alice)


class TestCharge:
    def test_at_upload_decodes_no_more_than_a_frame(self, alice_on_trial, project, tmp_path):
        path = write_mp3(tmp_path / "a.mp3", 20.0)
        decoded = []

        class Packet:
            def __init__(self, packet):
                self.packet, self.duration, self.time_base = packet, packet.duration, packet.time_base

            def decode(self):
                frames = self.packet.decode()
                decoded.extend(frames)
                return frames

        class Container:
            def demux(self, stream):
                return map(Packet, stream.container.demux(stream))

        with av.open(str(path)) as container:
            stream = container.streams.audio[0]
            found = decode_child._count_packets(av, Container(), stream, max_s=99)

        assert upload(path, project, alice_on_trial).duration_us == round(found["duration_s"] * 1_000_000)
        assert found["duration_s"] == pytest.approx(20, abs=0.3)
        assert len(decoded) == 1

    def test_is_corrected_by_the_transcription(self, alice_on_trial, project, tmp_path):
        path = write_mp3(tmp_path / "a.mp3", 20.0)
        with decoding.decode_recording(path) as recording:
            exact_us = round(recording.duration_s * 1_000_000)
        file = upload(path, project, alice_on_trial)
        alice_on_trial.refresh_from_db()
        assert alice_on_trial.trial_used_us == file.duration_us != exact_us

        run_due_jobs()  # no speech model is there, but the sound is decoded before that shows

        alice_on_trial.refresh_from_db()
        assert alice_on_trial.trial_used_us == exact_us
        assert UploadedFile.objects.get().duration_us == exact_us

    def test_is_corrected_once_however_often_the_file_is_tried(self, alice_on_trial, project, tmp_path):
        file = upload(write_mp3(tmp_path / "a.mp3", 20.0), project, alice_on_trial)

        for _ in range(3):
            trial_quota.correct_charge(file, 15.0)
            UploadedFile.objects.update(duration_us=15_000_000)

        alice_on_trial.refresh_from_db()
        assert alice_on_trial.trial_used_us == 15_000_000

    def test_is_given_back_for_a_recording_that_proves_too_short(self, alice_on_trial, project, tmp_path):
        file = upload(write_mp3(tmp_path / "a.mp3", 10.0), project, alice_on_trial)
        alice_on_trial.refresh_from_db()
        assert alice_on_trial.trial_used_us > 0

        trial_quota.correct_charge(file, 9.99)

        alice_on_trial.refresh_from_db()
        assert alice_on_trial.trial_used_us == 0

    def test_leaves_users_without_a_quota_alone(self, alice, project, tmp_path):
        file = upload(write_mp3(tmp_path / "a.mp3", 20.0), project, alice)
        assert file.duration_us is None

        run_due_jobs()

        alice.refresh_from_db()
        assert alice.trial_used_us == 0
