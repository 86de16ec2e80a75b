"""A sentence model (BERT or MPNet: MiniLM, BGE, mpnet-base) run with numpy from a folder the operator names.

The folder holds config.json, tokenizer.json and model.safetensors, and where the vector of a text is
not the mean of its tokens, 1_Pooling/config.json. Nothing is downloaded and nothing in the folder is
executed. The extra `embeddings` brings the readers of tokenizer and tensors.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from callscope.engines.embeddings.protocol import Vectors
from callscope.engines.embeddings.transformer import Bert, Floats, MpNet, Settings, Transformer, Weights
from callscope.engines.errors import EngineRejected
from callscope.messages.message import Message
from callscope.processes.extras import get_command

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_PIECES = 256  # of one text; the model was trained with this length
MARKS = 2  # pieces of a text without words: its beginning and its end
BATCH = 32
PROBES = ("probe", "𓀀")  # the second one has a letter that hardly any vocabulary knows
NEEDED_FILES = ("config.json", "tokenizer.json", "model.safetensors")
POOLING_FILE = "1_Pooling/config.json"
KINDS: dict[str, type[Transformer]] = {"bert": Bert, "mpnet": MpNet}  # `model_type` of config.json
_NUMBER_TYPES: dict[str, Any] = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "I64": np.int64,
    "I32": np.int32,
}


class SentenceModel:
    """Sentence vectors by the mean of the last layer, or by its first token where the model says so."""

    is_semantic = True
    hosts: list[str] = []

    def __init__(self, folder: Path) -> None:
        """Load the model. Raises EngineRejected with what is wrong in the folder."""
        missing = [name for name in NEEDED_FILES if not (folder / name).is_file()]
        if missing:
            raise EngineRejected(Message("sentence_folder_incomplete", path=folder, value=", ".join(missing)))
        try:
            self._transformer = _load_transformer(folder)
            self._tokenizer = _load_tokenizer(folder / "tokenizer.json", self._transformer)
            self._first_token = _is_pooled_by_first_token(folder / POOLING_FILE)
            with np.errstate(all="ignore"):  # what comes of it is said below
                if not np.isfinite(self.encode(PROBES)).all():
                    raise ValueError("its vectors hold values that are no numbers")
        except ImportError as error:
            raise EngineRejected(
                Message("sentence_packages_absent", name=error.name, value=get_command("embeddings"))
            ) from error
        except (OSError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError) as error:
            raise EngineRejected(Message("sentence_model_unfit", path=folder, value=repr(error))) from error
        digest = hashlib.sha256()
        for name in NEEDED_FILES:
            with (folder / name).open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        if self._first_token:
            digest.update(b"first token")
        # A hash of the files: the vectors of another model must never be compared with this one's.
        self.id = f"model-{digest.hexdigest()[:16]}"

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, zeros for a text without words."""
        # One by one: a batch would be split over threads, and workers that fork must have none. Half of a
        # surrogate pair, which no encoding can hold, is left out.
        whole = (text.encode(errors="ignore").decode() for text in texts)
        pieces = [self._tokenizer.encode(text).ids for text in whole]
        vectors = np.zeros((len(texts), self._transformer.size), dtype=np.float32)
        # Texts of like length share a batch, so that little is computed on padding.
        order = sorted(range(len(texts)), key=lambda i: len(pieces[i]))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            vectors[rows] = self._encode_batch([pieces[i] for i in rows])
        vectors[[i for i, ids in enumerate(pieces) if len(ids) <= MARKS]] = 0
        return vectors

    def _encode_batch(self, batch: list[list[int]]) -> Floats:
        longest = max(len(ids) for ids in batch)
        pieces = np.zeros((len(batch), longest), dtype=np.int64)
        mask = np.zeros((len(batch), longest), dtype=np.float32)
        for row, ids in enumerate(batch):
            pieces[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
        hidden = self._transformer.run(pieces, mask)
        if self._first_token:
            pooled = hidden[:, 0]
        else:
            pooled = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        lengths = np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        return np.asarray(pooled / lengths, dtype=np.float32)


def _read_settings(path: Path) -> dict[str, Any]:
    """Return the object of a JSON file. Raises ValueError for anything else."""
    settings = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(settings, dict):
        raise ValueError(f"{path.name} holds no JSON object")
    return settings


def _load_transformer(folder: Path) -> Transformer:
    """Return the model of a folder. Raises ValueError for a kind that is not run."""
    config = _read_settings(folder / "config.json")
    kind, activation = config.get("model_type", "bert"), config.get("hidden_act", "gelu")
    if kind not in KINDS:
        raise ValueError(f'model_type is "{kind}", which is not run: {" and ".join(KINDS)} are')
    if activation != "gelu":
        raise ValueError(f'hidden_act is "{activation}", which is not run: only "gelu" is')
    settings = Settings(
        layers=int(config["num_hidden_layers"]),
        heads=int(config["num_attention_heads"]),
        epsilon=float(config.get("layer_norm_eps", 1e-12)),
        buckets=int(config.get("relative_attention_num_buckets", 32)),
        padding=int(config.get("pad_token_id", 1)),
    )
    return KINDS[kind](settings, _load_weights(folder / "model.safetensors"))


def _is_pooled_by_first_token(path: Path) -> bool:
    """Return whether the first token stands for the text, and not the mean of all.

    Raises ValueError for a model that wants another way.
    """
    if not path.is_file():
        return False
    wanted = [
        name for name, value in _read_settings(path).items() if name.startswith("pooling_mode_") and value
    ]
    if wanted == ["pooling_mode_cls_token"]:
        return True
    if wanted != ["pooling_mode_mean_tokens"]:
        raise ValueError(
            f"{POOLING_FILE} asks for {', '.join(wanted) or 'nothing'}; mean and cls tokens are run"
        )
    return False


def _load_tokenizer(path: Path, transformer: Transformer) -> "Tokenizer":
    """Return the tokenizer of a file. Raises ValueError if it does not fit the model."""
    from tokenizers import Tokenizer
    from tokenizers.models import Unigram, WordPiece

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise ValueError(f"{path.name}: {error}") from error
    # Models of many languages have the second kind (SentencePiece).
    if not isinstance(tokenizer.model, WordPiece | Unigram):
        raise ValueError(f"{path.name} holds a tokenizer that is neither WordPiece nor Unigram")
    highest = max(tokenizer.get_vocab().values(), default=0)
    if highest >= transformer.words:
        raise ValueError(
            f"{path.name} numbers its pieces up to {highest}, and the model knows {transformer.words}"
        )
    max_pieces = min(MAX_PIECES, transformer.max_tokens)
    if max_pieces <= MARKS:
        raise ValueError(
            f"the model reads {max(max_pieces, 0)} pieces of a text, of which {MARKS} are its ends"
        )
    # Files of sentence models often cut at 128 pieces and pad to it: both are ours to choose.
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_pieces)
    _try_tokenizer(tokenizer, path)
    return tokenizer


def _try_tokenizer(tokenizer: "Tokenizer", path: Path) -> None:
    """Raise ValueError if the library cannot cut texts by this file: some of its faults show only then."""
    try:
        for text in PROBES:
            tokenizer.encode(text)
    except BaseException as error:  # the library panics, too, with what is no Exception
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise ValueError(f"{path.name}: {error}") from error


def _load_weights(path: Path) -> Weights:
    """Return every tensor by its name, as float32. Raises ValueError for numbers that are not read."""
    from safetensors import SafetensorError, deserialize

    try:
        entries = deserialize(path.read_bytes())
    except SafetensorError as error:
        raise ValueError(f"{path.name}: {error}") from error
    weights: Weights = {}
    for name, entry in entries:
        raw = np.frombuffer(entry["data"], dtype=_NUMBER_TYPES.get(entry["dtype"], np.uint16))
        if entry["dtype"] == "BF16":  # the upper half of a float32, which numpy has no type for
            raw = (raw.astype(np.uint32) << 16).view(np.float32)
        elif entry["dtype"] not in _NUMBER_TYPES:
            raise ValueError(f'{path.name}: numbers of type "{entry["dtype"]}" are not read')
        weights[name.removeprefix("bert.").removeprefix("mpnet.")] = raw.astype(np.float32).reshape(
            entry["shape"]
        )
    return weights
