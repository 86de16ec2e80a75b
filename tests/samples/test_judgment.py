"""The sample rubrics tell good service from bad, by the rules alone."""

import statistics

import pytest

from callscope.analysis.analyze import enabled_types
from callscope.analysis.conversation.turns import build_conversation
from callscope.analysis.rules import analyzer
from callscope.projects.configuration import parse_yaml
from callscope.projects.engines import project_engines
from callscope.samples.catalog import load_catalog
from callscope.transcription import subtitles

pytestmark = pytest.mark.one_database


@pytest.fixture(scope="module")
def findings():
    """What the rules find in every sample transcript, by file name; a re-upload replaces its predecessor."""
    found = {}
    for project in load_catalog():
        config = parse_yaml(project.config_path.read_bytes())
        for path in (f for f in project.files if f.suffix in (".srt", ".vtt")):
            cues = subtitles.parse_subtitles(path.read_bytes())
            said = [{"start": c.start_s, "end": c.end_s, "speaker": c.speaker, "text": c.text} for c in cues]
            conversation = build_conversation(
                said, language=config.language, spoken_language=config.language, quality={}
            )
            embedder = project_engines().embedder
            found[path.name] = analyzer.analyze_by_rules(
                conversation, config, embedder, types=enabled_types(config), rubric_version=1
            )
    return found


def answer(finding, criterion_id: str) -> str | None:
    """Return the answer, None where the criterion was left open."""
    rows = finding.copc["criterion_scores"]
    return next((s["answer"] for s in rows if s["criterion_id"] == criterion_id), None)


class TestJudgement:
    def test_scores_every_call_and_spreads_the_scores(self, findings):
        scores = [f.copc["score_percentage"] for f in findings.values()]

        assert None not in scores
        assert min(scores) < 45
        assert max(scores) > 95
        assert 55 < statistics.mean(scores) < 85
        assert sum(50 <= s < 95 for s in scores) >= 15

    def test_finds_critical_errors_in_some_calls_only(self, findings):
        with_error = [name for name, f in findings.items() if f.copc["has_critical_error"]]

        assert 0.15 < len(with_error) / len(findings) < 0.5

    @pytest.mark.parametrize(
        ("name", "criterion_id"),
        [
            ("0123-whose-account.vtt", "identity"),
            ("0105-card-payment-read-aloud.srt", "payment_data"),
            ("0126-winback-outbound.vtt", "respect"),
            ("0114-cancel-for-vantage.srt", "retention"),
            ("0220-datos-del-vecino.vtt", "identificacion"),
            ("0205-pago-con-tarjeta.srt", "datos_de_pago"),
            ("0223-oferta-mantenimiento.vtt", "respeto"),
            ("0213-baja-sin-mas.srt", "retencion"),
        ],
    )
    def test_sees_the_error_that_a_call_was_written_for(self, findings, name, criterion_id):
        assert answer(findings[name], criterion_id) == "not_met"

    def test_gives_no_credit_for_asking_for_it(self, findings):
        assert answer(findings["0125-ignore-the-rubric.srt"], "summary") != "met"

    @pytest.mark.parametrize(
        ("name", "criterion_id"),
        [
            ("0134-pay-over-the-phone.vtt", "payment_data"),
            ("0112-cancel-too-expensive.vtt", "retention"),
            ("0225-pago-por-teclado.vtt", "datos_de_pago"),
            ("0212-baja-por-precio.vtt", "retencion"),
        ],
    )
    def test_sees_the_same_thing_done_well(self, findings, name, criterion_id):
        assert answer(findings[name], criterion_id) == "met"

    @pytest.mark.parametrize(
        ("name", "met", "not_met"),
        [
            ("0102-bill-went-up.vtt", "company", "greeting"),
            ("0126-winback-outbound.vtt", "greeting", "offers_help"),
            ("0103-late-fee-dispute.srt", "own_name", "identity"),
            ("0134-pay-over-the-phone.vtt", "identity", "diagnosis"),
            ("0203-recargo-por-demora.srt", "compania", "saludo"),
            ("0206-corte-de-noche.vtt", "saludo", "compania"),
            ("0208-diferencial-salta.srt", "empatia", "identificacion"),
            ("0216-alta-piso-vacio.vtt", "espera", "gracias_por_esperar"),
        ],
    )
    def test_judges_apart_what_used_to_share_a_criterion(self, findings, name, met, not_met):
        assert answer(findings[name], met) == "met"
        assert answer(findings[name], not_met) in ("not_met", None)

    def test_judges_a_criterion_only_where_it_applies(self, findings):
        assert answer(findings["0106-storm-outage-night.vtt"], "retention") == "not_applicable"
        assert answer(findings["0104-first-paper-bill.vtt"], "payment_data") == "not_applicable"

    def test_hears_different_sentiments(self, findings):
        assert {"positive", "negative"} <= {f.insights["sentiment"] for f in findings.values()}

    def test_finds_missed_prompts_and_mistakes(self, findings):
        missed = {p["id"] for f in findings.values() for p in f.no_protocol["missing_prompts"]}
        made = {m["id"] for f in findings.values() for m in f.no_protocol["mistakes"]}

        assert {"recording", "reference", "grabacion", "referencia"} <= missed
        assert {"dismissive", "gives_up", "resta_importancia", "presiona"} <= made

    @pytest.mark.parametrize(
        ("number", "criterion_id", "customer", "agent"),
        [
            (0, "payment_data", "Can I give you my card number?", "Please don't read me your card."),
            (1, "datos_de_pago", "¿Le doy el número de la tarjeta?", "No me diga el número, por favor."),
        ],
    )
    def test_gives_no_credit_for_refusing_a_card_without_another_way_to_pay(
        self, number, criterion_id, customer, agent
    ):
        config = parse_yaml(load_catalog()[number].config_path.read_bytes())
        said = [
            {"start": 0.0, "end": 2.0, "speaker": "customer", "text": customer},
            {"start": 2.0, "end": 4.0, "speaker": "agent", "text": agent},
        ]
        conversation = build_conversation(
            said, language=config.language, spoken_language=config.language, quality={}
        )

        finding = analyzer.analyze_by_rules(
            conversation, config, project_engines().embedder, types=enabled_types(config), rubric_version=1
        )

        assert answer(finding, criterion_id) == "not_met"
