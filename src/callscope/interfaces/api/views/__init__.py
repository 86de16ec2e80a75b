"""One module for each resource.

base: ApiView, UploadView, and checks that views share: get_project_or_404, require_writer, require_manager
projects, files, manifests, transcripts, tasks, usage, keys, invitations: /api/
call_list, call_detail, custom_questions, analysis_status, contact_reasons: /calls/api/
reports/: the report, as JSON and as a document
rubrics: what is changed in a rubric, looked at before it counts
agents/: who sees the calls of which agent
reviews/: what people decide about calls
audit: /api/audit/
health, metrics: /healthz, /readyz and /metrics
"""
