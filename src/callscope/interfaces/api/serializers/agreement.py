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


class MeasuredAgreementSerializer(serializers.Serializer[Any]):
    """The agreement over all blind reviews of a window, and on each criterion."""

    calls = serializers.IntegerField()
    overall = AgreementSerializer()
    criteria = CriterionAgreementSerializer(many=True)
    findings = KindAgreementSerializer(many=True, help_text="What people answered beyond criteria, by kind.")
