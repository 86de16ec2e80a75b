"""Messages are codes with parameters; the sentences are written once, in English, and translated by gettext.

Read in this order:

catalog      every code with its English sentence: the source texts of the translations
engine_catalog those about engines of speech, language and meaning
agent_catalog those about agents and their users
reason_catalog why a regrouping moved calls, and why reasons cannot become codes
report_catalog those about windows and filters
lint_catalog those about rubrics: of the lint, of replays and of probes
review_catalog those of reviews, samples and calibrations
call_list_catalog those about chosen calls and saved views
message      a code with its parameters, and the error that carries one; knows no Django
former_texts  sentences as they were worded before, which rows still hold
translation  a message, or a sentence that was stored in English, in the language of the page
"""
