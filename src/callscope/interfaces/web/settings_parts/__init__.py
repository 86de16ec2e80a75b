"""The parts of a project's settings: what each holds, its address, and its fields as a form sends them.

A part is made of whole settings of the document. What lists need (the rubric, codes, prompts, trackers) is
in templates of their own; the fields of the others stand here, so that they work without scripts too.

Read in this order:
fields: what a part and a field of its form are
retention_part: the part of the retention, with what goes and stays
catalog: every part with its fields, in the groups of the page
starts: what a project or its rubric can start from
forms: a part read from what a form or a YAML text sends, and shown again
field_words: what is wrong with a field, in the words of the page
setting_names: what every setting is called outside its form, and how its values are said
changes: what a version changed, setting by setting
"""
