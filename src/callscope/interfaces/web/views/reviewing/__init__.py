"""What people do together with the reviews of a project.

queue: what waits for the visitor in all projects
overview: everything of one project at a glance
calibration_form: what is typed to open a calibration
plans: draw every week
draw_filters: the filters of a draw, as controls and in words
samples: draw calls to review; the audit of one draw
agreement: how far machine and people agree, criterion by criterion
calibrations: open a calibration; rate, close, compare, settle
"""
