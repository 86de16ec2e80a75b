"""The review of a call, and calibrations.

- `review`: the form;
- `summary`: what people decided about a call;
- `correction`: the form that corrects one answer;
- `places`: its agent and its contact reason, in the form and where person and machine differ.
- `calibration`: the answers of several raters side by side.
"""
