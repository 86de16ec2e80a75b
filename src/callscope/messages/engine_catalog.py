"""Sentences about engines of speech, language and meaning, which the catalog takes in."""


def _(text: str) -> str:
    """Mark a text for translation; tests/web/messages.py finds it by this name."""
    return text


ENGINES = {
    "engine_slow": _("%(host)s did not finish in time."),
    "engine_unreachable": _("%(host)s cannot be reached (%(value)s)."),
    "engine_broke_off": _("%(host)s closed the connection (%(value)s)."),
    "engine_answered": _("%(host)s answered %(status)s: %(value)s"),
    "engine_no_transcript": _("%(host)s answered %(status)s instead of a transcript."),
    "engine_refused_key": _("%(host)s rejected the API key (%(status)s): %(value)s"),
    "engine_no_model": _("%(host)s has no such model: %(value)s"),
    "engine_wrong_address": _(
        "There is no engine of this kind at %(url)s (HTTP %(status)s: %(value)s). Check the "
        "address and the model."
    ),
    "engine_guarded": _(
        "%(host)s was not contacted: %(value)s is a link-local address or a metadata service. "
        "CALLSCOPE_ENGINE_NETWORKS can allow it."
    ),
    "engine_not_json": _("%(host)s sent an answer that is not JSON."),
    "engine_gave_up": _("Stopped after waiting %(value)s for something it needs. %(problem)s"),
    "storage_unreachable": _("The storage at %(value)s cannot be used (%(name)s)."),
    "engine_refused_recording": _("%(host)s rejected the recording: %(value)s"),
    "engine_no_text": _("%(host)s answered without a text."),
    "speech_model_slow": _("The speech model %(model)s did not finish in time."),
    "speech_model_failed": _("The speech model %(model)s failed (%(value)s)."),
    "speech_model_english": _(
        'The speech model "%(model)s" knows English alone, and the project says "%(value)s". '
        "Name a model of many languages in %(setting)s."
    ),
    "speech_not_installed": _(
        "faster-whisper is not installed. To add it, run in the folder of Callscope's source: %(value)s. Or "
        "set CALLSCOPE_TRANSCRIBER to the URL of a speech server."
    ),
    "speech_folder_empty": _(
        'The speech model folder "%(path)s" holds no model.bin. It must be a Whisper model converted for '
        "CTranslate2."
    ),
    "speech_tokenizer_absent": _(
        'The speech model folder "%(path)s" holds no tokenizer.json; copy it from the model.'
    ),
    "speech_file_unreadable": _(
        'The file "%(path)s" of the speech model is damaged. Copy or fetch the model again.'
    ),
    "speech_model_cut_off": _(
        'The file "%(path)s" is not a whole Whisper model for CTranslate2: it was cut off or is another '
        "file. Copy or fetch the model again."
    ),
    "speech_model_unknown": _('"%(model)s" is not a speech model: %(value)s.'),
    "speech_model_absent": _(
        'The speech model "%(model)s" is not on this machine. Fetch it once with: %(value)s, or name its '
        "folder in %(setting)s."
    ),
    "speech_model_not_loaded": _(
        "The speech model %(model)s does not load on device %(name)s with compute type %(kind)s: %(value)s."
    ),
    "speech_compute_type": _(
        "CALLSCOPE_WHISPER_COMPUTE_TYPE is %(value)s, which device %(name)s of this machine does not compute "
        "with. Choose default or one of: %(known)s."
    ),
    "demo_not_installed": _(
        "The demo recognizer is not installed. To add it, run in the folder of Callscope's source: %(value)s."
    ),
    "demo_slow": _("The demo recognizer did not finish in time."),
    "demo_language": _(
        'The demo recognizer only knows English; the language of the project is "%(value)s". Choose '
        "another engine with CALLSCOPE_TRANSCRIBER."
    ),
    "llm_slow": _("The language model at %(host)s did not answer in time."),
    "llm_unreachable": _("The language model at %(host)s cannot be reached."),
    "llm_unavailable": _("The language model at %(host)s is not available (HTTP %(status)s)."),
    "llm_unavailable_because": _("The language model at %(host)s is not available: %(value)s"),
    "llm_no_quota": _("The language model at %(host)s is out of quota: %(value)s"),
    "llm_refused_key": _("The language model at %(host)s rejected %(name)s (HTTP %(status)s): %(value)s"),
    "llm_refused_request": _(
        "The language model at %(host)s rejected the request (HTTP %(status)s): %(value)s"
    ),
    "llm_refused": _("The language model at %(host)s rejected the request: %(value)s"),
    "llm_not_json": _("The language model at %(host)s sent an answer that is not JSON."),
    "llm_no_message": _("The language model at %(host)s sent an answer without a message."),
    "llm_cut_off": _("The language model at %(host)s was cut off before its answer was complete."),
    "llm_declined": _("The language model at %(host)s refused to answer."),
    "llm_empty": _("The language model at %(host)s sent an empty answer."),
    "embedding_lengths": _("The embedding server at %(host)s sent vectors of different lengths."),
    "embedding_unreachable": _("The embedding server at %(host)s cannot be reached."),
    "embedding_no_vectors": _("The embedding server at %(host)s sent no list of vectors."),
    "embedding_count": _("The embedding server at %(host)s sent %(number)s vectors for %(count)s texts."),
    "sentence_folder_incomplete": _("CALLSCOPE_EMBED_MODEL_DIR is %(path)s, which does not hold: %(value)s."),
    "sentence_packages_absent": _(
        "CALLSCOPE_EMBED_MODEL_DIR needs %(name)s. To add it, run in the folder of Callscope's source: "
        "%(value)s."
    ),
    "sentence_model_unfit": _(
        "%(path)s holds no BERT or MPNet sentence model that can be run: %(value)s. Copy or fetch the model "
        "again, or choose another."
    ),
}
