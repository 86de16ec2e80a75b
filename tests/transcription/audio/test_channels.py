"""Which channels of a recording carry a speaker of their own."""

import numpy as np
import pytest

from callscope.transcription.audio import decoding
from callscope.transcription.audio.channels import split_speakers

pytestmark = pytest.mark.one_database

RANDOM = np.random.default_rng(5)


def noise(seconds=4.0, loudness=4000):
    return (RANDOM.standard_normal(int(seconds * 16_000)) * loudness).clip(-32768, 32767).astype(np.int16)


def stereo(left, right):
    return np.stack([left, right], axis=1)


class TestChannels:
    def test_with_different_sound_are_two_speakers(self):
        assert len(split_speakers(stereo(noise(), noise()))) == 2

    def test_with_the_same_sound_are_one(self):
        sound = noise()

        assert len(split_speakers(stereo(sound, sound))) == 1

    @pytest.mark.parametrize("change", ["louder", "turned", "later", "earlier", "coded"])
    def test_with_nearly_the_same_sound_are_one(self, change):
        sound = noise(loudness=2000)
        other = {
            "louder": lambda: sound * 3,
            "turned": lambda: -sound,
            "later": lambda: np.roll(sound, 90),
            "earlier": lambda: np.roll(sound, -90),
            "coded": lambda: (sound // 256 * 256).astype(np.int16),
        }[change]()

        assert len(split_speakers(stereo(sound, other.astype(np.int16)))) == 1

    def test_that_hear_each_other_a_little_are_two(self):
        agent, customer = noise(loudness=3000), noise(loudness=3000)

        assert len(split_speakers(stereo(agent + customer // 3, customer + agent // 3))) == 2

    @pytest.mark.parametrize("silent", [0, 1])
    def test_without_any_signal_on_one_side_are_one(self, silent):
        sides = [noise(), noise()]
        sides[silent] = RANDOM.integers(-8, 9, len(sides[0])).astype(np.int16)

        (left,) = split_speakers(stereo(*sides))

        assert np.array_equal(left, sides[1 - silent])

    @pytest.mark.parametrize("length", [0, 1, 7])
    def test_of_next_to_nothing_are_no_error(self, length):
        assert split_speakers(np.zeros((length, 2), np.int16))
        assert split_speakers(np.full((length, 2), 900, np.int16))

    def test_of_one_are_one(self):
        assert len(split_speakers(noise().reshape(-1, 1))) == 1

    def test_of_real_calls_are_two(self, shared_data):
        for path in sorted((shared_data / "tts_calls" / "audio").glob("*.wav")):
            with decoding.decode_recording(path) as recording:
                assert len(split_speakers(recording.samples)) == 2, path.name
