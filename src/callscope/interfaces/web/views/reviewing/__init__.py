"""What people do together with the reviews of a project.

queue: what waits for the visitor in all projects
overview: everything of one project at a glance, with the forms that begin something
calibration_form: the form that opens a calibration, with calls chosen by chance
plans: draw every week
draw_filters: the filters of a draw, as controls and in words
samples: draw calls to review; the audit of one draw
agreement: how far machine and people agree, criterion by criterion
calibrations: one calibration: rate, close, compare, settle
"""
