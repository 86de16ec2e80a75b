"""The rubric of a project before it counts (lint), and its versions."""
