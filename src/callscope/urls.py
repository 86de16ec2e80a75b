"""Where each path goes: the API, the pages, the health checks."""

from django.urls import include, path

urlpatterns = [
    path("", include("callscope.interfaces.api.urls")),
    path("", include("callscope.interfaces.web.urls")),
]

# Under the paths of the API its boundary turns these pages into JSON.
handler400 = "callscope.interfaces.web.views.errors.bad_request"
handler403 = "callscope.interfaces.web.views.errors.forbidden"
handler404 = "callscope.interfaces.web.views.errors.not_found"
handler500 = "callscope.interfaces.web.views.errors.crashed"
