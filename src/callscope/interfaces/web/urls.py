"""Every page."""

from django.urls import path
from django.views.generic import RedirectView

from callscope.interfaces.web import call_page, calls_page, preferences, report_page, sign_in

app_name = "web"
urlpatterns = [
    path("", RedirectView.as_view(pattern_name="web:report", query_string=True), name="home"),
    path("login/", sign_in.SignIn.as_view(), name="sign-in"),
    path("logout/", sign_in.SignOut.as_view(), name="sign-out"),
    path("report/", report_page.report, name="report"),
    path("report/<slug:table>.csv", report_page.report_csv, name="report-csv"),
    path("calls/", calls_page.calls, name="calls"),
    path("calls/export.csv", calls_page.calls_csv, name="calls-csv"),
    path("calls/<int:call_id>/", call_page.call, name="call"),
    path("preferences/theme/", preferences.set_theme, name="theme"),
    path("preferences/language/", preferences.set_language, name="language"),
]
