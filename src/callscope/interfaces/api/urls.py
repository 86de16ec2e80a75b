"""Every path of the REST door."""

from django.urls import URLPattern, URLResolver, path

from callscope.interfaces.api import health
from callscope.interfaces.api.call_details import CallDetailView
from callscope.interfaces.api.call_list import CallListView
from callscope.interfaces.api.call_progress import AnalysisStatusView, ReclusterView
from callscope.interfaces.api.call_questions import CustomQuestionsView
from callscope.interfaces.api.call_report_pdf import ReportPdfView
from callscope.interfaces.api.call_reports import ReportView
from callscope.interfaces.api.documentation import Schema, docs_page
from callscope.interfaces.api.files import FileContent, Files, OneFile
from callscope.interfaces.api.manifests import CallManifest
from callscope.interfaces.api.projects import OneProject, Projects
from callscope.interfaces.api.tasks import RetryTask
from callscope.interfaces.api.transcripts import OneTranscript
from callscope.interfaces.api.usage import UsageFigures

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("calls/api/report/", ReportView.as_view()),
    path("calls/api/report/pdf/", ReportPdfView.as_view()),
    path("calls/api/calls/", CallListView.as_view()),
    path("calls/api/calls/<int:call_id>/", CallDetailView.as_view()),
    path("calls/api/analysis-status/", AnalysisStatusView.as_view()),
    path("calls/api/custom-questions/", CustomQuestionsView.as_view()),
    path("calls/api/recluster/", ReclusterView.as_view()),
    path("api/projects/", Projects.as_view()),
    path("api/projects/<int:project_id>/", OneProject.as_view()),
    path("api/projects/<int:project_id>/call-manifest/", CallManifest.as_view()),
    path("api/files/", Files.as_view()),
    path("api/files/<int:file_id>/", OneFile.as_view()),
    path("api/files/<int:file_id>/content/", FileContent.as_view()),
    path("api/transcripts/<int:file_id>/", OneTranscript.as_view()),
    path("api/tasks/<str:task_id>/retry/", RetryTask.as_view()),
    path("api/usage/", UsageFigures.as_view()),
    path("api/schema/", Schema.as_view(), name="api-schema"),
    path("api/docs/", docs_page, name="api-docs"),
]
