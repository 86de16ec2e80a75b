from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    name = "callscope.analysis"
    label = "analysis"
