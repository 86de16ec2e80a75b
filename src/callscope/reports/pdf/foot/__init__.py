"""The foot of the PDF: what its figures mean."""
