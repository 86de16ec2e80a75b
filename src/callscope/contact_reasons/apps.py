from django.apps import AppConfig


class ContactReasonsConfig(AppConfig):
    name = "callscope.contact_reasons"
    label = "contact_reasons"
