"""Pages of a list: count, next, previous, results."""

from rest_framework.pagination import PageNumberPagination


class StandardPagination(PageNumberPagination):
    """A hundred rows a page; a page past the end or malformed is a 404."""

    page_size = 100
