"""Why customers call: the topics of calls grouped into contact reasons, or matched to predefined codes.

Read in this order:

- `models`: a reason, the reason of a call, the regrouping that is under way, and each change;
- `assignment`: the reason of one call when its analysis arrives;
- `grouping`: all topics of a project grouped again, proposed first and applied later;
- `naming`: the name that a topic gives to a reason;
- `wording`: the name that a language model gives to a new group, where one is configured;
- `clusters`: groups of topics, on plain arrays;
- `hierarchy`: headings over reasons, where there are more than twenty;
- `editing`: what people change: names, order, which call belongs where;
- `reviewed`: the reasons that reviews give to calls;
- `following`: results, agents and contact reasons of calls follow their reviews;
- `history`: every change recorded, and undone;
- `settings_change`: what a change did to the settings, and how it is undone;
- `codes`: reasons that become the predefined codes of their project;
- `forgetting`: what goes when calls are erased;
- `listing`: reasons and changes as people read them.
"""
