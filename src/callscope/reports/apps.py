from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "callscope.reports"
    label = "reports"
