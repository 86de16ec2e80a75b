"""Take the names of files out of the audit trail, then give the existing events their digests.

The digest is computed as accounts.audit.compute_digest() does; it is repeated here because
a migration must not change with the code.
"""

import datetime as dt
import hashlib
import json

from django.db import migrations


def chain_events(apps, schema_editor):
    AuditEvent = apps.get_model("accounts", "AuditEvent")
    AuditHead = apps.get_model("accounts", "AuditHead")
    number, digest = 0, ""
    for event in AuditEvent.objects.order_by("pk").iterator(chunk_size=2000):
        event.detail.pop("file_name", None)  # file.deleted had it, and with it customers' numbers
        number += 1
        content = {
            "action": event.action,
            "actor": event.actor_id,
            "at": event.at.astimezone(dt.UTC).isoformat(timespec="microseconds"),
            "detail": event.detail,
            "number": number,
            "subject": event.subject,
        }
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        digest = hashlib.sha256(f"{digest}\n{text}".encode()).hexdigest()
        event.number, event.digest = number, digest
        event.save(update_fields=["detail", "number", "digest"])
    if number:
        AuditHead.objects.create(pk=1, number=number, digest=digest)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_audit_chain")]
    operations = [migrations.RunPython(chain_events, migrations.RunPython.noop)]
