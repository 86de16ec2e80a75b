"""Every path of the REST door."""

from django.urls import URLPattern, URLResolver, path

from callscope.interfaces.api import health

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
]
