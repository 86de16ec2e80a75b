from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "callscope.interfaces.api"
    label = "api"
