from django.apps import AppConfig


class PipelineConfig(AppConfig):
    name = "callscope.pipeline"
    label = "pipeline"
