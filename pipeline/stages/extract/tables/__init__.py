"""Tables of PDF pages: found by pdfplumber, named columns, continued over pages."""
