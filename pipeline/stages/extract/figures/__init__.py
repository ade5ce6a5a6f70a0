"""Pictures of PDF pages: classified, captioned."""
