"""HTML, DOCX and RTF: text with headings and tables."""
