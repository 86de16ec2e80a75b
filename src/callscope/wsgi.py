"""The WSGI application that `callscope serve` runs."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
application = get_wsgi_application()
