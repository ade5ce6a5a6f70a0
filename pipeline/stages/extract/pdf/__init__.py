"""Text layer of PDFs: PDFium's glyphs to words, lines and blocks in reading order."""
