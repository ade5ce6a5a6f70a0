"""Images of pages: upright, straight, read by Tesseract, with what it is not sure of."""
