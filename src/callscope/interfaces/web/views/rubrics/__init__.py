"""The pages about a rubric before it counts (lint, replays), and its versions."""
