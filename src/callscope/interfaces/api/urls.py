"""Every path of the REST door."""

from django.urls import URLPattern, URLResolver, path

from callscope.interfaces.api import health
from callscope.interfaces.api.call_details import CallDetailView
from callscope.interfaces.api.call_list import CallListView
from callscope.interfaces.api.call_progress import AnalysisStatusView, ReclusterView
from callscope.interfaces.api.call_questions import CustomQuestionsView
from callscope.interfaces.api.call_reports import ReportView

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("calls/api/report/", ReportView.as_view()),
    path("calls/api/calls/", CallListView.as_view()),
    path("calls/api/calls/<int:call_id>/", CallDetailView.as_view()),
    path("calls/api/analysis-status/", AnalysisStatusView.as_view()),
    path("calls/api/custom-questions/", CustomQuestionsView.as_view()),
    path("calls/api/recluster/", ReclusterView.as_view()),
]
