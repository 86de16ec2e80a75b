"""Rules of the old form give the results that they gave before a rule could say more, byte for byte.

What results came to hold since is left out, and so are the sentences, whose wording may change.
"""

import hashlib
import json
from pathlib import Path

import pytest

from callscope.analysis.analyze import enabled_types
from callscope.analysis.conversation.turns import build_conversation
from callscope.analysis.rules.analyzer import analyze_by_rules
from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.projects.configuration import parse_yaml
from callscope.samples.catalog import load_catalog
from callscope.transcription import subtitles

pytestmark = pytest.mark.one_database
FOLDER = Path(__file__).parent / "old_form"
PARTS = ("copc", "no_protocol", "custom_questions", "insights", "provenance")


def digest_results(embedder) -> dict[str, str]:
    """Return, for each sample transcript, a digest of what is stored of it under the rubrics of old_form/."""
    digests = {}
    for project in load_catalog():
        config = parse_yaml((FOLDER / f"{project.config_path.parent.name}.yaml").read_bytes())
        for path in (f for f in project.files if f.suffix in (".srt", ".vtt")):
            cues = subtitles.parse_subtitles(path.read_bytes())
            said = [{"start": c.start_s, "end": c.end_s, "speaker": c.speaker, "text": c.text} for c in cues]
            call = build_conversation(
                said, language=config.language, spoken_language=config.language, quality={}
            )
            found = analyze_by_rules(call, config, embedder, types=enabled_types(config), rubric_version=1)
            for row in (found.copc or {}).get("criterion_scores", []):
                row.pop("margin", None)  # stored since
                row.pop("justification", None)
            for row in (found.no_protocol or {}).get("missing_prompts", []):
                row.pop("reason", None)
            stored = json.dumps([getattr(found, part) for part in PARTS], ensure_ascii=False)
            digests[f"{path.parent.name}/{path.name}"] = hashlib.sha256(stored.encode()).hexdigest()[:16]
    return digests


class TestRulesOfTheOldForm:
    def test_give_the_same_bytes_for_every_sample_call(self):
        known = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))

        assert digest_results(LexicalEmbedder()) == known
