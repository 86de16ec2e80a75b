"""The report on paper: words, numbers and dates of a language, the layout, the PDF."""
