from django.apps import AppConfig


class ProjectsConfig(AppConfig):
    name = "callscope.projects"
    label = "projects"
