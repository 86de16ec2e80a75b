from django.apps import AppConfig


class TranscriptionConfig(AppConfig):
    name = "callscope.transcription"
    label = "transcription"
