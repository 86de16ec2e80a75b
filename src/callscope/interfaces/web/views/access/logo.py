"""The organization's logo, for everybody who sees a page: the sign-in page and share links show it, too."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from callscope.accounts.organization import read_logo

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    # Its address changes with it, see page_context.py.
    "Cache-Control": "public, max-age=86400",
}


@require_safe
def logo(_request: HttpRequest) -> HttpResponse:
    """Answer the picture, as it was drawn when it was set."""
    content = read_logo()
    if content is None:
        raise Http404
    return HttpResponse(content, content_type="image/png", headers=HEADERS)
