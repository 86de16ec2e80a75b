"""The review of a call, and calibrations.

- `review`: the form;
- `summary`: what people decided about a call;
- `correction`: the form that corrects one answer;
- `places`: its agent and its contact reason, in the form and where person and machine differ.
- `calibration`: the answers of several raters side by side;
- `calibration_words`: what came out of it, in sentences;
- `concealment`: what its pages keep from who has to review one of its calls blind;
- `answers`: the answer of one rater in words, and one's own in an open calibration.
"""
