from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "callscope.accounts"
    label = "accounts"
