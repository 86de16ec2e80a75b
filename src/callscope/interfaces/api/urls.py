"""Every path of the REST door."""

from django.urls import URLPattern, URLResolver, path

from callscope.interfaces.api.docs.views import SchemaView, docs_page
from callscope.interfaces.api.views import health
from callscope.interfaces.api.views.agents.agent_users import AgentUserDetailView, AgentUserListView
from callscope.interfaces.api.views.agents.appeals import (
    AcknowledgeView,
    AppealDecideView,
    AppealListView,
    AppealWithdrawView,
    CallAppealsView,
)
from callscope.interfaces.api.views.agents.coaching import AgentPageView, CallNotesView, NoteView
from callscope.interfaces.api.views.analysis_status import AnalysisStatusView, ReclusterView
from callscope.interfaces.api.views.audit import AuditView
from callscope.interfaces.api.views.call_detail import CallDetailView
from callscope.interfaces.api.views.call_list import CallListView
from callscope.interfaces.api.views.contact_reasons import (
    ReasonCallsView,
    ReasonCodesView,
    ReasonDetailView,
    ReasonHistoryView,
    ReasonListView,
    ReasonMergeView,
    ReasonSplitView,
    ReasonUndoView,
)
from callscope.interfaces.api.views.custom_questions import CustomQuestionsView
from callscope.interfaces.api.views.files import FileContentView, FileDetailView, FileListView
from callscope.interfaces.api.views.invitations import InvitationDetailView, InvitationListView
from callscope.interfaces.api.views.keys import KeyDetailView, KeyListView
from callscope.interfaces.api.views.manifests import ManifestView
from callscope.interfaces.api.views.projects import ProjectDetailView, ProjectListView
from callscope.interfaces.api.views.reports.findings import ReportFindingsView
from callscope.interfaces.api.views.reports.maps import AgentCriteriaView, WeekHoursView
from callscope.interfaces.api.views.reports.pdf import ReportPdfView
from callscope.interfaces.api.views.reports.report import ReportView
from callscope.interfaces.api.views.reports.trend import FigureTrendView
from callscope.interfaces.api.views.reviews.agreement import AgreementView
from callscope.interfaces.api.views.reviews.calibrations import (
    CalibrationCloseView,
    CalibrationDetailView,
    CalibrationListView,
    CalibrationSettleView,
)
from callscope.interfaces.api.views.reviews.plans import PlanDetailView, PlanListView
from callscope.interfaces.api.views.reviews.revisions import ReviewDetailView, ReviewListView
from callscope.interfaces.api.views.reviews.samples import SampleDetailView, SampleListView
from callscope.interfaces.api.views.rubrics.lint import LintView
from callscope.interfaces.api.views.rubrics.probes import (
    FairnessDetailView,
    FairnessListView,
    SteadinessDetailView,
    SteadinessListView,
)
from callscope.interfaces.api.views.rubrics.replays import (
    ReplayDetailView,
    ReplayListView,
    ReplayPublishView,
    RescoreView,
)
from callscope.interfaces.api.views.rubrics.versions import RubricVersionListView, RubricVersionRestoreView
from callscope.interfaces.api.views.tasks import RetryFailedView, RetryTaskView
from callscope.interfaces.api.views.transcripts import TranscriptView
from callscope.interfaces.api.views.usage import UsageView

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("calls/api/report/", ReportView.as_view()),
    path("calls/api/report/findings/", ReportFindingsView.as_view()),
    path("calls/api/report/agent-criteria/", AgentCriteriaView.as_view()),
    path("calls/api/report/week-hours/", WeekHoursView.as_view()),
    path("calls/api/report/trend/", FigureTrendView.as_view()),
    path("calls/api/report/pdf/", ReportPdfView.as_view()),
    path("calls/api/calls/", CallListView.as_view()),
    path("calls/api/calls/<int:call_id>/", CallDetailView.as_view()),
    path("calls/api/<int:call_id>/reviews/", ReviewListView.as_view()),
    path("calls/api/<int:call_id>/appeals/", CallAppealsView.as_view()),
    path("calls/api/<int:call_id>/notes/", CallNotesView.as_view()),
    path("calls/api/notes/<int:note_id>/", NoteView.as_view()),
    path("calls/api/agents/<int:agent_id>/", AgentPageView.as_view()),
    path("calls/api/<int:call_id>/acknowledge/", AcknowledgeView.as_view()),
    path("calls/api/appeals/", AppealListView.as_view()),
    path("calls/api/appeals/<int:appeal_id>/decide/", AppealDecideView.as_view()),
    path("calls/api/appeals/<int:appeal_id>/withdraw/", AppealWithdrawView.as_view()),
    path("calls/api/reviews/<int:review_id>/", ReviewDetailView.as_view()),
    path("calls/api/analysis-status/", AnalysisStatusView.as_view()),
    path("calls/api/custom-questions/", CustomQuestionsView.as_view()),
    path("calls/api/agreement/", AgreementView.as_view()),
    path("calls/api/review-samples/", SampleListView.as_view()),
    path("calls/api/review-samples/<int:sample_id>/", SampleDetailView.as_view()),
    path("calls/api/sampling-plans/", PlanListView.as_view()),
    path("calls/api/sampling-plans/<int:plan_id>/", PlanDetailView.as_view()),
    path("calls/api/calibrations/", CalibrationListView.as_view()),
    path("calls/api/calibrations/<int:calibration_id>/", CalibrationDetailView.as_view()),
    path("calls/api/calibrations/<int:calibration_id>/close/", CalibrationCloseView.as_view()),
    path("calls/api/calibrations/<int:calibration_id>/settle/", CalibrationSettleView.as_view()),
    path("calls/api/recluster/", ReclusterView.as_view()),
    path("calls/api/reasons/", ReasonListView.as_view()),
    path("calls/api/reasons/merge/", ReasonMergeView.as_view()),
    path("calls/api/reasons/codes/", ReasonCodesView.as_view()),
    path("calls/api/reasons/history/", ReasonHistoryView.as_view()),
    path("calls/api/reasons/history/<int:change_id>/undo/", ReasonUndoView.as_view()),
    path("calls/api/reasons/<int:reason_id>/", ReasonDetailView.as_view()),
    path("calls/api/reasons/<int:reason_id>/split/", ReasonSplitView.as_view()),
    path("calls/api/reasons/<int:reason_id>/calls/", ReasonCallsView.as_view()),
    path("api/projects/", ProjectListView.as_view()),
    path("api/projects/<int:project_id>/", ProjectDetailView.as_view()),
    path("api/projects/<int:project_id>/call-manifest/", ManifestView.as_view()),
    path("api/projects/<int:project_id>/retry-failed/", RetryFailedView.as_view()),
    path("api/projects/<int:project_id>/lint/", LintView.as_view()),
    path("api/projects/<int:project_id>/rubric-versions/", RubricVersionListView.as_view()),
    path(
        "api/projects/<int:project_id>/rubric-versions/<int:number>/restore/",
        RubricVersionRestoreView.as_view(),
    ),
    path("api/projects/<int:project_id>/replays/", ReplayListView.as_view()),
    path("api/projects/<int:project_id>/replays/<int:replay_id>/", ReplayDetailView.as_view()),
    path("api/projects/<int:project_id>/replays/<int:replay_id>/publish/", ReplayPublishView.as_view()),
    path("api/projects/<int:project_id>/rescore/", RescoreView.as_view()),
    path("api/projects/<int:project_id>/agent-users/", AgentUserListView.as_view()),
    path("api/projects/<int:project_id>/agent-users/<int:link_id>/", AgentUserDetailView.as_view()),
    path("api/projects/<int:project_id>/steadiness/", SteadinessListView.as_view()),
    path("api/projects/<int:project_id>/steadiness/<int:steadiness_id>/", SteadinessDetailView.as_view()),
    path("api/projects/<int:project_id>/fairness-probes/", FairnessListView.as_view()),
    path("api/projects/<int:project_id>/fairness-probes/<int:fairness_id>/", FairnessDetailView.as_view()),
    path("api/files/", FileListView.as_view()),
    path("api/files/<int:file_id>/", FileDetailView.as_view()),
    path("api/files/<int:file_id>/content/", FileContentView.as_view()),
    path("api/transcripts/<int:file_id>/", TranscriptView.as_view()),
    path("api/tasks/<str:task_id>/retry/", RetryTaskView.as_view()),
    path("api/keys/", KeyListView.as_view()),
    path("api/keys/<str:prefix>/", KeyDetailView.as_view()),
    path("api/invitations/", InvitationListView.as_view()),
    path("api/invitations/<int:invitation_id>/", InvitationDetailView.as_view()),
    path("api/audit/", AuditView.as_view()),
    path("api/usage/", UsageView.as_view()),
    path("api/schema/", SchemaView.as_view(), name="api-schema"),
    path("api/docs/", docs_page, name="api-docs"),
]
