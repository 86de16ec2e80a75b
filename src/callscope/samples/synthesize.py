"""Make the sample recordings again from their scripts.

For those who change a script: `python -m callscope.samples.synthesize` reads
copper_lane/scripts/*.txt and writes the recordings of the same names. It needs
`flite` (apt-get install flite), whose voices the demo recognizer understands
far better than others after a telephone line. The recordings are committed, so
the product never runs this.

A script names the format, a voice and a pace for each side, then has one turn a line:
`A:` agent, `C:` customer, `-- 3` for three seconds in which nobody speaks.
"""

import shutil
import subprocess
import sys
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import av
import numpy as np
import numpy.typing as npt
from av.audio.stream import AudioStream
from scipy import signal

from callscope.samples.catalog import FOLDER

RATE = 8000  # what a telephone line carries
BAND_HZ = (180.0, 3600.0)
PEAK = 0.5  # of full scale
NOISE = 0.0008  # of full scale: no line is silent
PAUSE_S = (0.35, 0.9)  # between two turns
LEAD_S = 0.8  # before the first and after the last word
SIDES = {"A": 0, "C": 1}  # channel 0 is the agent
# Encoders share what both channels have in common, and one side would be heard on the other: keep them apart.
ENCODINGS: dict[str, tuple[str, int | None, dict[str, str]]] = {
    ".ogg": ("libopus", 32_000, {"mapping_family": "255"}),
    ".mp3": ("libmp3lame", 32_000, {"joint_stereo": "0"}),
    ".wav": ("pcm_mulaw", None, {}),
}

Sound = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Voice:
    """A voice of flite, and how much slower than usual it speaks."""

    name: str
    stretch: float


@dataclass(frozen=True, slots=True)
class Script:
    """The format, who speaks with which voice, and the turns: (side, text), or ("-", seconds) for a wait."""

    format: str
    voices: dict[str, Voice]
    turns: list[tuple[str, str]]


def main(names: list[str]) -> None:
    """Make the recordings with these names, or all of them."""
    if not shutil.which("flite"):
        raise SystemExit("flite is not installed. On Debian and Ubuntu: apt-get install flite.")
    folder = FOLDER / "copper_lane"
    for path in sorted((folder / "scripts").glob("*.txt")):
        if not names or path.stem in names:
            script = read_script(path)
            channels = record(script, seed=zlib.crc32(path.stem.encode()))
            write(channels, folder / "calls" / f"{path.stem}.{script.format}")


def read_script(path: Path) -> Script:
    """Return the script in a file. Raises ValueError with the line that is not one."""
    format_name = "ogg"
    voices: dict[str, Voice] = {}
    turns: list[tuple[str, str]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        head, _, rest = line.partition(" ")
        match head:
            case "format:":
                format_name = rest
            case "agent:" | "customer:":
                name, stretch = rest.split()
                voices["A" if head == "agent:" else "C"] = Voice(name, float(stretch))
            case "A:" | "C:":
                turns.append((head[0], rest.strip()))
            case "--":
                turns.append(("-", rest))
            case _:
                raise ValueError(f'{path.name}: "{line}" is neither a format, a voice nor a turn.')
    return Script(format_name, voices, turns)


def record(script: Script, *, seed: int) -> Sound:
    """Return the two channels, one row each, as they come off the line."""
    chance = np.random.default_rng(seed)
    placed: list[tuple[int, int, Sound]] = []
    now = int(LEAD_S * RATE)
    for side, text in script.turns:
        if side == "-":
            now += int(float(text) * RATE)
            continue
        sound = _speak_over_telephone(text, script.voices[side])
        placed.append((SIDES[side], now, sound))
        now += len(sound) + int(chance.uniform(*PAUSE_S) * RATE)
    channels = chance.normal(0.0, NOISE, (2, now + int(LEAD_S * RATE)))
    for channel, start, sound in placed:
        channels[channel, start : start + len(sound)] += sound
    return channels


def write(channels: Sound, path: Path) -> None:
    """Encode the channels in the format that the name asks for."""
    codec, bit_rate, options = ENCODINGS[path.suffix]
    samples = np.ascontiguousarray((np.clip(channels, -1, 1) * 32767).astype("<i2").T.reshape(1, -1))
    with av.open(str(path), "w", options={"fflags": "+bitexact"}) as container:
        stream = cast(AudioStream, container.add_stream(codec, rate=RATE, layout="stereo", options=options))
        if bit_rate:
            stream.bit_rate = bit_rate
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="stereo")
        frame.sample_rate = RATE
        resampler = av.AudioResampler(stream.format, "stereo", RATE, frame_size=stream.frame_size or 0)
        for piece in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(piece))
        container.mux(stream.encode(None))


def _speak_over_telephone(text: str, voice: Voice) -> Sound:
    """Return a text as it is heard at the other end of the line, at an even level."""
    with tempfile.TemporaryDirectory() as folder:
        spoken = Path(folder) / "spoken.wav"
        pace = f"duration_stretch={voice.stretch}"
        subprocess.run(
            ["flite", "-voice", voice.name, "--setf", pace, "-t", text, "-o", str(spoken)],
            check=True,
            timeout=60,
        )
        with av.open(str(spoken)) as container:
            resampler = av.AudioResampler("s16", "mono", RATE)
            frames = [f for frame in container.decode(audio=0) for f in resampler.resample(frame)]
            frames += resampler.resample(None)
    sound = np.concatenate([f.to_ndarray()[0] for f in frames]).astype(np.float64) / 32768
    band: Sound = signal.sosfiltfilt(signal.butter(4, BAND_HZ, "bandpass", fs=RATE, output="sos"), sound)
    return band * (PEAK / max(float(np.abs(band).max()), 1e-9))


if __name__ == "__main__":
    main(sys.argv[1:])
