"""Tables that people take away, streamed: csv_export, xlsx_export and its headings."""
