from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "callscope.interfaces.web"
    label = "web"
