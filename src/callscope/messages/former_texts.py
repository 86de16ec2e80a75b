"""English sentences as they were worded before: rows that hold them are still read in every language.

What a job, a file or an analysis failed with is stored as its English sentence. When one is reworded in
the catalog, its former sentence is added here, so that translation.py recognizes both.
"""

FORMER_TEXTS = (
    ("file_without_call", "The file belongs to no call."),
    ("no_cues", "The transcript holds no cue with a time and text."),
    ("no_audio", "The file holds no audio."),
    (
        "not_telephone",
        "The recording has %(channels)s channels at %(rate)s Hz, which is no telephone recording.",
    ),
    ("long_recording", "The recording is longer than %(hours)s hours, the most that is accepted."),
    ("destroyed_recording", "The recording is damaged: nothing of it can be decoded."),
    ("decoding_memory", "The recording needs more memory to decode than is allowed."),
    ("decoding_limits", "Decoding the recording used more time or memory than is allowed and was stopped."),
    ("file_gone", "The file is no longer in the storage."),
    ("private_unfit", "%(engine)s is not fit for private recordings."),
    ("private_failed", "The private transcriber failed; the recording was sent nowhere else. %(problem)s"),
    ("no_speech", "No speech was heard in the sound, so the text may be invented."),
    ("only_agent", "Only one side is heard: the agent."),
    ("only_customer", "Only one side is heard: the customer."),
    ("unknown_words", "Only %(count)s %% of the words are known ones; at least %(least)s %% are needed."),
    ("demo_transcript", "The demo recognizer heard this call, which mishears many words."),
    ("engine_broke_off", "%(host)s broke off (%(value)s)."),
    ("engine_refused_key", "%(host)s refused the API key (%(status)s): %(value)s"),
    (
        "engine_wrong_address",
        "No such engine answers at %(url)s (HTTP %(status)s: %(value)s). Check the address and the model.",
    ),
    (
        "engine_guarded",
        "%(host)s is not asked: %(value)s, a link-local address or a metadata service. "
        "CALLSCOPE_ENGINE_NETWORKS allows it.",
    ),
    ("engine_gave_up", "Given up after %(value)s of waiting for what this needs. %(problem)s"),
    ("engine_refused_recording", "%(host)s refused the recording: %(value)s"),
    (
        "demo_language",
        'The demo recognizer only knows English; the project speaks "%(value)s". Choose '
        "another engine with CALLSCOPE_TRANSCRIBER.",
    ),
    (
        "llm_refused_key",
        "The language model at %(host)s refused %(name)s (HTTP %(status)s): %(value)s",
    ),
    (
        "llm_refused_request",
        "The language model at %(host)s refused the request (HTTP %(status)s): %(value)s",
    ),
    ("llm_refused", "The language model at %(host)s refused the request: %(value)s"),
    (
        "server_trouble",
        "The server's disk is full or its database is busy. The work goes on when that is over.",
    ),
    ("transcript_too_long", "The transcript does not fit into the context of the model %(model)s."),
    ("analysis_crashed", "The analysis met an unexpected %(value)s. The log of the workers says more."),
    ("regrouping_crashed", "The regrouping met an unexpected %(value)s. The log of the workers says more."),
    (
        "sweep_crashed",
        "The removal by retention met an unexpected %(value)s. The log of the workers says more.",
    ),
    ("replay_crashed", "The replay met an unexpected %(value)s. The log of the workers says more."),
    ("rescore_crashed", "The re-scoring met an unexpected %(value)s. The log of the workers says more."),
    ("mail_crashed", "The mail met an unexpected %(value)s. The log of the workers says more."),
    ("mail_server_down", "The mail server takes no mail now (%(cause)s)."),
    (
        "analysis_too_long",
        "Judging was ended after %(value)s s: the settings hold too many phrases for a transcript "
        "of this length.",
    ),
    ("work_too_long", "The work did not end within %(minutes)s minutes."),
    (
        "worker_killed",
        "The process that did the work was killed again and again, most likely for want of memory.",
    ),
    ("probe_crashed", "The probe met an unexpected %(value)s. The log of the workers says more."),
    (
        "transcription_crashed",
        "The transcription met an unexpected %(value)s. The log of the workers says more.",
    ),
)
