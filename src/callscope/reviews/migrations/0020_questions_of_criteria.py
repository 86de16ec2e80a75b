"""Note in reviews what each criterion asks, apart from its points and its section, by the settings of then.

It is noted where these settings give the fingerprint that the review kept, and left open elsewhere.
"""

from django.db import migrations

AT_ONCE = 200


def note_questions(apps, _schema_editor):
    from callscope.projects import configuration
    from callscope.reviews.criteria import digest_criterion

    reviews = apps.get_model("reviews", "Review")._base_manager
    versions = apps.get_model("projects", "ConfigVersion").objects
    projects = apps.get_model("projects", "Project").objects
    known = {}

    def read_criteria(project_id, number):
        if number is None:
            return None
        if (project_id, number) not in known:
            found = versions.filter(project=project_id, number=number)
            document = found.values_list("document", flat=True).first()
            if document is None:
                now = projects.filter(pk=project_id, config_version=number)
                document = now.values_list("config", flat=True).first()
            try:
                rubric = configuration.parse(document or {}, is_stored=True).rubric
                known[project_id, number] = {each.id: each for _section, each in rubric.criteria()}
            except Exception:  # settings that no release reads any more
                known[project_id, number] = {}
        return known[project_id, number]

    ids = list(reviews.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(ids), AT_ONCE):
        for review in reviews.filter(pk__in=ids[start : start + AT_ONCE]):
            criteria = read_criteria(review.project_id, review.config_version)
            is_changed = False
            for stored in review.criteria:
                criterion = None if criteria is None else criteria.get(stored["criterion_id"])
                if "question" in stored or (criterion is None and criteria is not None):
                    continue
                question, fingerprint = digest_criterion(stored, criterion)
                if fingerprint == stored["fingerprint"]:
                    stored["question"], is_changed = question, True
            if is_changed:
                review.save(update_fields=["criteria"])


class Migration(migrations.Migration):
    dependencies = [("reviews", "0019_withdrawn_appeals"), ("projects", "0003_invitation_mail_state")]
    operations = [migrations.RunPython(note_questions, migrations.RunPython.noop)]
