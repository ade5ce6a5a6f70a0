"""Pure steps from a source's bytes to vectors. Siblings import no sibling; nothing here knows a database or an index."""
