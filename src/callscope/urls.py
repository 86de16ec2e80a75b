"""Where each path goes: the API, the pages, the health checks."""

from django.urls import include, path

urlpatterns = [
    path("", include("callscope.interfaces.api.urls")),
    path("", include("callscope.interfaces.web.urls")),
]
