"""The years in which a call can lie."""

FIRST_YEAR, LAST_YEAR = 1900, 2100  # one outside is a slip, and would stretch every trend by centuries
