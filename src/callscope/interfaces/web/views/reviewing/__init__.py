"""What people do together with the reviews of a project.

overview: everything at a glance, with the forms that begin something
calibrations: one calibration: rate, close, compare, settle
"""
