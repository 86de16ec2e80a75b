"""What people review together: draws of calls and calibrations."""
