"""The projects that the visitor can see, and the form for a new one."""

from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Count, OuterRef, Subquery
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from callscope.accounts.models import Team
from callscope.calls.models import UploadedFile
from callscope.interfaces.web import project_access
from callscope.interfaces.web.decorators import current_user, signed_in_page
from callscope.interfaces.web.settings_parts.starts import STARTER, Starts, name_starter
from callscope.messages.translation import translate
from callscope.projects import permissions, services
from callscope.projects.models import Project

EMPTY = "empty"


class NewProject(forms.Form):
    """Name, kind and team of a project, and what its settings start from."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=services.MAX_NAME_LENGTH)
    type = forms.ChoiceField(
        label=gettext_lazy("What is uploaded"),
        choices=[
            (Project.Type.CALL, gettext_lazy("Customer calls, judged and reported")),
            (Project.Type.GENERAL, gettext_lazy("Any recordings, only transcribed")),
        ],
        initial=Project.Type.CALL,
    )
    team = forms.ModelChoiceField(
        Team.objects.none(),
        label=gettext_lazy("Team"),
        required=False,
        empty_label=gettext_lazy("No team"),
        help_text=gettext_lazy(
            "Admins of the team see and change the project. It can be moved to another team later."
        ),
    )
    start = forms.ChoiceField(
        label=gettext_lazy("Settings to start from"),
        help_text=gettext_lazy("For customer calls: other recordings are not judged."),
    )

    def __init__(self, request: HttpRequest, data: QueryDict | None = None) -> None:
        if data is not None and data.get("type") == Project.Type.GENERAL:
            data = data.copy()
            data["start"] = STARTER  # nothing is judged, so whatever was chosen has no use
        super().__init__(data, initial={"start": STARTER})
        user = current_user(request)
        self.starts = Starts(project_access.list_projects(request))
        start = self.fields["start"]
        assert isinstance(start, forms.ChoiceField)
        start.choices = [
            (STARTER, name_starter()),
            (EMPTY, _("Nothing: an empty rubric")),
            *self.starts.list_copies(),
        ]
        team = self.fields["team"]
        assert isinstance(team, forms.ModelChoiceField)
        team.queryset = user.teams.order_by("name", "pk")

    @property
    def document(self) -> dict[str, Any]:
        """The configuration that was chosen to start from; none where nothing is judged by it."""
        if self.cleaned_data["type"] != Project.Type.CALL:
            return {"language": "auto"}
        chosen = self.starts.load(self.cleaned_data["start"])
        return {"language": "auto"} if chosen is None else dict(chosen)  # of no rubric nobody knows it yet


@signed_in_page
@require_safe
def projects(request: HttpRequest) -> HttpResponse:
    """List the visible projects with what is in them and the visitor's role."""
    found = project_access.list_projects(request)
    roles = permissions.get_roles(current_user(request), found)
    pks = [project.pk for project in found]
    numbers = dict(UploadedFile.objects.filter(project__in=pks).values_list("project").annotate(Count("pk")))
    newest = UploadedFile.objects.filter(project=OuterRef("pk")).order_by("-pk").values("created_at")[:1]
    latest = dict(Project.objects.filter(pk__in=pks).values_list("pk", Subquery(newest)))
    rows = [
        {
            "project": project,
            "type": project_access.TYPE_NAMES[Project.Type(project.type)],
            "role": project_access.ROLE_NAMES.get(roles.get(project.pk) or "", ""),
            "files": numbers.get(project.pk, 0),
            "latest": latest[project.pk],
            "may_write": roles.get(project.pk) in permissions.WRITERS,
        }
        for project in found
        if project.pk in latest  # else it is gone since it was read
    ]
    return render(request, "web/projects.html", {"rows": rows})


@signed_in_page
@require_http_methods(["GET", "HEAD", "POST"])
def new_project(request: HttpRequest) -> HttpResponse:
    """Show the form; make the project and go on to uploading."""
    form = NewProject(request, request.POST if request.method == "POST" else None)
    same_name = ""
    if form.is_bound and form.is_valid():
        same_name = ask_about_name(request, form)
        project = None if same_name else create(request, form)
        if project is not None:
            messages.success(request, _("The project %(name)s was created.") % {"name": project.name})
            return redirect(
                "web:start" if request.POST.get("from") == "start" else "web:project-settings",
                *([] if request.POST.get("from") == "start" else [project.pk]),
            )
    return render(
        request,
        "web/projects/new.html",
        {"form": form, "from": request.POST.get("from", ""), "same_name": same_name},
        status=400 if form.is_bound else 200,
    )


def ask_about_name(request: HttpRequest, form: NewProject) -> str:
    """Return the name that has to be confirmed, with the question in the form; "" where none has to be.

    Equal names are allowed, but people choose projects by their names.
    """
    name = " ".join(form.cleaned_data["name"].split())
    other = project_access.find_namesake(request, name)
    if other is None or request.POST.get("same_name") == name:
        return ""
    if other.owner_id == current_user(request).pk:
        text = _("You already have a project with this name. Choose another name, or create it anyway.")
    else:
        text = _("%(owner)s has a project with this name. Choose another name, or create it anyway.")
    form.add_error("name", text % {"owner": other.owner.email})
    return name


def create(request: HttpRequest, form: NewProject) -> Project | None:
    """Make the project of a valid form; None with the error in the form when it cannot be made."""
    user = current_user(request)
    try:
        return services.create_project(
            user,
            form.cleaned_data["name"],
            type=form.cleaned_data["type"],
            team=form.cleaned_data["team"],
            document=form.document,
            by=user,
        )
    except services.InvalidProject as error:
        form.add_error(error.field if error.field in form.fields else None, translate(error.message))
        return None
