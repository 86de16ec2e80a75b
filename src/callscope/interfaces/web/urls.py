"""Every page."""

from django.urls import path

from callscope.interfaces.web.views import (
    account,
    call,
    call_details,
    calls,
    keys,
    preferences,
    project_files,
    project_people,
    projects,
    questions,
    report,
    report_progress,
    review,
    session,
    start,
    teams,
    upload,
)
from callscope.interfaces.web.views.access import (
    email_changes,
    invitations,
    logo,
    password_reset,
    second_factor,
    single_sign_on,
    user_erasure,
    users,
)
from callscope.interfaces.web.views.agents import appeals as agent_appeals
from callscope.interfaces.web.views.agents import coaching as agent_coaching
from callscope.interfaces.web.views.lists import call_choices, chosen_calls, chosen_files, saved_views
from callscope.interfaces.web.views.reasons import changes as reason_changes
from callscope.interfaces.web.views.reasons import codes as reason_codes
from callscope.interfaces.web.views.reasons import pages as reasons
from callscope.interfaces.web.views.records import audit, usage
from callscope.interfaces.web.views.reviewing import agreement as agreement_pages
from callscope.interfaces.web.views.reviewing import calibrations as calibration_pages
from callscope.interfaces.web.views.reviewing import overview as reviewing
from callscope.interfaces.web.views.reviewing import plans as plan_pages
from callscope.interfaces.web.views.reviewing import queue as review_queue
from callscope.interfaces.web.views.reviewing import samples as sample_pages
from callscope.interfaces.web.views.rubrics import (
    criterion_trials,
    lint,
    probe_copies,
    probes,
    replay_calls,
    replays,
    versions,
)
from callscope.interfaces.web.views.settings import document as settings_document
from callscope.interfaces.web.views.settings import general as settings_general
from callscope.interfaces.web.views.settings import parts as settings_parts
from callscope.interfaces.web.views.sharing import report_mails, share_links, shared

app_name = "web"
urlpatterns = [
    path("", start.home, name="home"),
    path("login/", session.SignIn.as_view(), name="sign-in"),
    path("login/sso/", single_sign_on.start, name="sso"),
    path("login/sso/done/", single_sign_on.finish, name="sso-done"),
    path("login/sso/left/", single_sign_on.left, name="sso-left"),
    path("login/code/", second_factor.ask_for_code, name="sign-in-code"),
    path("invitations/", invitations.list_invitations, name="invitations"),
    path("invitations/<int:invitation_id>/", invitations.answer, name="invitation"),
    path("invitation/<str:token>/", invitations.open_link, name="invitation-link"),
    path("account/second-factor/", second_factor.set_up, name="second-factor"),
    path("password/forgotten/", password_reset.forgotten, name="forgotten-password"),
    path("password/<uidb64>/<token>/", password_reset.ResetPassword.as_view(), name="reset-password"),
    path("logout/", session.SignOut.as_view(), name="sign-out"),
    path("report/", report.report, name="report"),
    *(
        path(f"report/{part}/", report.report, {"part": part}, name=f"report-{part}")
        for part in ("criteria", "agents", "reasons", "trend")
    ),
    path("report/progress/", report_progress.progress, name="report-progress"),
    path("report/origin/", report_progress.origin, name="report-origin"),
    path("report/regroup/", report_progress.regroup, name="regroup"),
    path("report/mails/", report_mails.report_mails, name="report-mails"),
    path("report/mails/<int:mail_id>/send/", report_mails.send_mail_now, name="report-mail-now"),
    path("report/mails/<int:mail_id>/end/", report_mails.end_mail, name="report-mail-end"),
    path("report/<slug:table>.csv", report.report_table_csv, name="report-csv"),
    path("report/<slug:table>.xlsx", report.report_table_xlsx, name="report-xlsx"),
    path("shares/", share_links.shares, name="shares"),
    path("shares/<int:link_id>/revoke/", share_links.revoke, name="revoke-share"),
    path("logo/", logo.logo, name="logo"),
    path("shared/<str:token>/", shared.shared, name="shared"),
    path("shared/<str:token>/recording/", shared.shared_recording, name="shared-recording"),
    path("calls/", calls.calls, name="calls"),
    path("calls/export.csv", calls.calls_csv, name="calls-csv"),
    path("calls/export.xlsx", calls.calls_xlsx, name="calls-xlsx"),
    path("calls/chosen/", chosen_calls.act, name="chosen-calls"),
    path("calls/choices/", call_choices.call_choices, name="call-choices"),
    path("calls/views/", saved_views.change, name="saved-views"),
    path("calls/<int:call_id>/", call.call, name="call"),
    path("calls/<int:call_id>/details/", call_details.details, name="call-details"),
    path("calls/<int:call_id>/review/", review.review, name="review"),
    path("calls/<int:call_id>/results/", review.show_results, name="show-results"),
    path("calls/<int:call_id>/appeals/", agent_appeals.file_appeal, name="file-appeal"),
    path("calls/<int:call_id>/acknowledge/", agent_appeals.acknowledge, name="acknowledge"),
    path("calls/<int:call_id>/notes/", agent_coaching.create_note, name="create-note"),
    path("notes/<int:note_id>/", agent_coaching.change_note, name="change-note"),
    path("agents/<int:agent_id>/", agent_coaching.show_agent, name="agent"),
    path("reviews/", review_queue.show_queue, name="reviews"),
    path("appeals/", agent_appeals.appeals, name="appeals"),
    path("appeals/<int:appeal_id>/decide/", agent_appeals.decide, name="appeal-decide"),
    path("appeals/<int:appeal_id>/withdraw/", agent_appeals.withdraw, name="appeal-withdraw"),
    path("questions/", questions.questions, name="questions"),
    path("questions/export.csv", questions.questions_csv, name="questions-csv"),
    path("questions/export.xlsx", questions.questions_xlsx, name="questions-xlsx"),
    path("upload/", upload.upload, name="upload"),
    path("upload/sentences/", upload.sentences, name="upload-sentences"),
    path("upload/states/", upload.states, name="upload-states"),
    path("start/", start.start, name="start"),
    path("start/samples/", start.load_samples, name="load-samples"),
    path("projects/", projects.projects, name="projects"),
    path("projects/new/", projects.new_project, name="new-project"),
    path("projects/<int:project_id>/", settings_parts.settings, name="project-settings"),
    path(
        "projects/<int:project_id>/settings/general/",
        settings_general.general,
        name="project-settings-general",
    ),
    path(
        "projects/<int:project_id>/settings/rubric/start/",
        settings_parts.load_rubric,
        name="project-rubric-start",
    ),
    path(
        "projects/<int:project_id>/settings/<slug:part>/",
        settings_parts.settings,
        name="project-settings-part",
    ),
    path("projects/<int:project_id>/check/", settings_document.check, name="project-check"),
    path("projects/<int:project_id>/save/", settings_document.save, name="project-save"),
    path("projects/<int:project_id>/yaml/", settings_document.as_yaml, name="project-yaml"),
    path(
        "projects/<int:project_id>/retention/", settings_document.forecast_retention, name="project-retention"
    ),
    path("projects/<int:project_id>/try/", settings_document.try_out, name="project-try"),
    path(
        "projects/<int:project_id>/try-criterion/",
        criterion_trials.try_criterion,
        name="project-try-criterion",
    ),
    path("projects/<int:project_id>/lint/", lint.lint, name="project-lint"),
    path("projects/<int:project_id>/replays/", replays.start, name="project-replays"),
    path("projects/<int:project_id>/replays/<int:replay_id>/", replays.show, name="project-replay"),
    path(
        "projects/<int:project_id>/replays/<int:replay_id>/calls/",
        replay_calls.list_calls,
        name="project-replay-calls",
    ),
    path(
        "projects/<int:project_id>/replays/<int:replay_id>/again/",
        replays.start_again,
        name="project-replay-again",
    ),
    path("projects/<int:project_id>/replays/<int:replay_id>/stop/", replays.stop, name="project-replay-stop"),
    path(
        "projects/<int:project_id>/replays/<int:replay_id>/publish/",
        replays.publish,
        name="project-replay-publish",
    ),
    path(
        "projects/<int:project_id>/replays/<int:replay_id>/days/",
        replays.count_calls,
        name="project-replay-day",
    ),
    path("projects/<int:project_id>/probes/", probes.probes, name="project-probes"),
    path("projects/<int:project_id>/probes/<int:probe_id>/", probes.show, name="project-probe"),
    path("projects/<int:project_id>/probes/<int:probe_id>/stop/", probes.stop, name="project-probe-stop"),
    path(
        "projects/<int:project_id>/probes/<int:probe_id>/copies/<int:call_id>/<slug:variant>/",
        probe_copies.show_copy,
        name="project-probe-copy",
    ),
    path("projects/<int:project_id>/versions/", versions.list_versions, name="project-versions"),
    path(
        "projects/<int:project_id>/versions/<int:number>/restore/",
        versions.restore,
        name="project-version-restore",
    ),
    path("projects/<int:project_id>/files/", project_files.files, name="project-files"),
    path("projects/<int:project_id>/files/chosen/", chosen_files.act, name="project-chosen-files"),
    path("projects/<int:project_id>/files/<int:file_id>/", project_files.change_file, name="project-file"),
    path("projects/<int:project_id>/manifest.csv", upload.manifest_template, name="manifest-template"),
    path("projects/<int:project_id>/retry-failed/", project_files.retry_all, name="project-retry-failed"),
    path("projects/<int:project_id>/reasons/", reasons.list_reasons, name="project-reasons"),
    path("projects/<int:project_id>/reasons/codes/", reason_codes.make_codes, name="project-reasons-codes"),
    path("projects/<int:project_id>/reasons/merge/", reason_changes.merge, name="project-reasons-merge"),
    path(
        "projects/<int:project_id>/reasons/regroup/", reason_changes.regroup, name="project-reasons-regroup"
    ),
    path(
        "projects/<int:project_id>/reasons/changes/<int:change_id>/undo/",
        reason_changes.undo,
        name="project-reasons-undo",
    ),
    path("projects/<int:project_id>/reasons/<int:reason_id>/", reasons.show_reason, name="project-reason"),
    path(
        "projects/<int:project_id>/reasons/<int:reason_id>/mark/",
        reason_changes.mark,
        name="project-reason-mark",
    ),
    path("projects/<int:project_id>/reviews/", reviewing.overview, name="project-reviews"),
    path("projects/<int:project_id>/agreement/", agreement_pages.show_agreement, name="project-agreement"),
    path("projects/<int:project_id>/sampling-plans/", plan_pages.plans, name="project-plans"),
    path("projects/<int:project_id>/sampling-plans/<int:plan_id>/", plan_pages.edit, name="project-plan"),
    path(
        "projects/<int:project_id>/sampling-plans/<int:plan_id>/end/", plan_pages.end, name="project-plan-end"
    ),
    path("projects/<int:project_id>/samples/", sample_pages.new_sample, name="project-new-sample"),
    path(
        "projects/<int:project_id>/samples/<int:sample_id>/", sample_pages.show_sample, name="project-sample"
    ),
    path(
        "projects/<int:project_id>/calibrations/",
        calibration_pages.new_calibration,
        name="project-new-calibration",
    ),
    path(
        "projects/<int:project_id>/calibrations/<int:calibration_id>/",
        calibration_pages.show_calibration,
        name="project-calibration",
    ),
    path("projects/<int:project_id>/people/", project_people.people, name="project-people"),
    path("projects/<int:project_id>/people/<int:user_id>/", project_people.unshare, name="project-unshare"),
    path("projects/<int:project_id>/leave/", project_people.leave, name="project-leave"),
    path("projects/<int:project_id>/agent-users/", project_people.link_agent, name="project-agent-users"),
    path(
        "projects/<int:project_id>/agent-users/<int:link_id>/",
        project_people.unlink_agent,
        name="project-agent-user",
    ),
    path("projects/<int:project_id>/name/", settings_general.rename, name="project-rename"),
    path("projects/<int:project_id>/team/", settings_general.move, name="project-move"),
    path("projects/<int:project_id>/owner/", settings_general.transfer_project, name="project-transfer"),
    path("projects/<int:project_id>/delete/", settings_general.delete, name="project-delete"),
    path("teams/", teams.teams, name="teams"),
    path("teams/<int:team_id>/", teams.team, name="team"),
    path("teams/<int:team_id>/name/", teams.rename, name="team-rename"),
    path("teams/<int:team_id>/delete/", teams.delete, name="team-delete"),
    path("teams/<int:team_id>/<int:user_id>/", teams.change_member, name="team-member"),
    path("users/", users.users, name="users"),
    path("users/<int:user_id>/", users.user, name="user"),
    path("users/<int:user_id>/change/", users.change, name="change-user"),
    path("users/<int:user_id>/email/", email_changes.ask, name="change-email"),
    path("users/<int:user_id>/erase/", user_erasure.erase, name="erase-user"),
    path("keys/", keys.keys, name="keys"),
    path("keys/<str:prefix>/revoke/", keys.revoke, name="revoke-key"),
    path("usage/", usage.usage, name="usage"),
    path("audit/", audit.audit, name="audit"),
    path("audit/export.csv", audit.audit_csv, name="audit-csv"),
    path("account/", account.account, name="account"),
    path("account/email/<str:token>/", email_changes.confirm, name="confirm-email"),
    path("account/sessions/end/", account.end_sessions, name="end-sessions"),
    path("preferences/theme/", preferences.set_theme, name="theme"),
    path("preferences/rows/", preferences.set_density, name="rows"),
    path("preferences/shortcuts/", preferences.set_shortcuts, name="shortcuts"),
    path("preferences/language/", preferences.set_language, name="language"),
]
