from django.apps import AppConfig


class CallsConfig(AppConfig):
    name = "callscope.calls"
    label = "calls"
