from django.apps import AppConfig

from callscope import locale


class WebConfig(AppConfig):
    name = "callscope.interfaces.web"
    label = "web"

    def ready(self) -> None:
        """Refresh compiled translations in a checkout; an installed wheel brings them along."""
        locale.compile_catalogs()
