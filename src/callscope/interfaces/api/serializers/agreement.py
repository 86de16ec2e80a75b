"""Agreement of machine and people."""

from typing import Any

from rest_framework import serializers

from callscope.interfaces.api.serializers.derived import serializer_for
from callscope.reviews.agreement.measures import KINDS, Agreement

TABLE = serializers.DictField(
    child=serializers.DictField(child=serializers.IntegerField()),
    help_text="The machine's answer → the person's answer → how often.",
)
AgreementSerializer = serializer_for(Agreement, "Agreement", fields={"table": TABLE})


class JudgedAgreementSerializer(AgreementSerializer):  # type: ignore[valid-type,misc]  # made above
    """The figures, and whether they are surely low."""

    is_weak = serializers.BooleanField(help_text="kappa_high is below 0.6 over 20 answers or more.")


class CriterionAgreementSerializer(JudgedAgreementSerializer):
    """The agreement on one criterion."""

    criterion_id = serializers.CharField()
    name = serializers.CharField()


class ItemAgreementSerializer(JudgedAgreementSerializer):
    """The agreement on one mistake or prompt."""

    id = serializers.CharField()
    name = serializers.CharField()


class KindAgreementSerializer(JudgedAgreementSerializer):
    """The agreement on all mistakes, all prompts, the goal or the sentiment."""

    kind = serializers.CharField(help_text=", ".join(KINDS))
    items = ItemAgreementSerializer(many=True)


class SectionAgreementSerializer(JudgedAgreementSerializer):
    """The agreement on the criteria of one section."""

    section = serializers.CharField(allow_blank=True)


class MonthAgreementSerializer(JudgedAgreementSerializer):
    """The agreement on the calls of one month."""

    month = serializers.CharField(help_text="Of the calls, in the server's time zone, such as 2026-01.")


class VersionAgreementSerializer(JudgedAgreementSerializer):
    """The agreement on calls that the machine judged by one version of the settings."""

    project_id = serializers.IntegerField()
    version = serializers.CharField(allow_blank=True, help_text='"" for imported results.')


class EngineAgreementSerializer(JudgedAgreementSerializer):
    """The agreement with one engine."""

    engine = serializers.CharField(
        allow_blank=True, help_text='Engine with its model; "" where it is not known.'
    )


class MeasuredAgreementSerializer(serializers.Serializer[Any]):
    """The agreement over all blind reviews of a period, and on each criterion."""

    calls = serializers.IntegerField()
    overall = AgreementSerializer()
    criteria = CriterionAgreementSerializer(many=True)
    findings = KindAgreementSerializer(many=True, help_text="What people answered beyond criteria, by kind.")
    sections = SectionAgreementSerializer(many=True, help_text="Of the rubric; criteria alone, as below.")
    months = MonthAgreementSerializer(many=True, help_text="Over time.")
    versions = VersionAgreementSerializer(many=True, help_text="By version of the project's settings.")
    engines = EngineAgreementSerializer(many=True, help_text="By the engine that had judged.")
