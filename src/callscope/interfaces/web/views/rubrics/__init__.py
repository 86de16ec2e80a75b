"""The pages about a rubric before it counts (lint), and its versions."""
