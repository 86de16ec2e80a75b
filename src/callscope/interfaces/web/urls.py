"""Every page."""

from django.urls import path

from callscope.interfaces.web import (
    call_page,
    calls_page,
    preferences,
    project_files,
    project_people,
    project_settings,
    projects_page,
    report_page,
    sign_in,
    start_page,
    upload_page,
)

app_name = "web"
urlpatterns = [
    path("", start_page.home, name="home"),
    path("login/", sign_in.SignIn.as_view(), name="sign-in"),
    path("logout/", sign_in.SignOut.as_view(), name="sign-out"),
    path("report/", report_page.report, name="report"),
    path("report/<slug:table>.csv", report_page.report_csv, name="report-csv"),
    path("calls/", calls_page.calls, name="calls"),
    path("calls/export.csv", calls_page.calls_csv, name="calls-csv"),
    path("calls/<int:call_id>/", call_page.call, name="call"),
    path("upload/", upload_page.upload, name="upload"),
    path("upload/states/", upload_page.states, name="upload-states"),
    path("start/", start_page.start, name="start"),
    path("start/samples/", start_page.load_samples, name="load-samples"),
    path("projects/", projects_page.projects, name="projects"),
    path("projects/new/", projects_page.new_project, name="new-project"),
    path("projects/<int:project_id>/", project_settings.settings, name="project-settings"),
    path("projects/<int:project_id>/check/", project_settings.check, name="project-check"),
    path("projects/<int:project_id>/save/", project_settings.save, name="project-save"),
    path("projects/<int:project_id>/yaml/", project_settings.as_yaml, name="project-yaml"),
    path("projects/<int:project_id>/try/", project_settings.try_out, name="project-try"),
    path("projects/<int:project_id>/files/", project_files.files, name="project-files"),
    path("projects/<int:project_id>/files/<int:file_id>/", project_files.change_file, name="project-file"),
    path("projects/<int:project_id>/people/", project_people.people, name="project-people"),
    path("projects/<int:project_id>/people/<int:user_id>/", project_people.unshare, name="project-unshare"),
    path("projects/<int:project_id>/name/", project_people.rename, name="project-rename"),
    path("projects/<int:project_id>/delete/", project_people.delete, name="project-delete"),
    path("preferences/theme/", preferences.set_theme, name="theme"),
    path("preferences/language/", preferences.set_language, name="language"),
]
