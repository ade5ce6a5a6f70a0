"""Documents from folders: which folder a document was listed in, so that its absence from that one folder means something.

Revision ID: 0002
Revises: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; documents of sources without folders keep NULL."""
    op.add_column("documents", sa.Column("root", sa.String(32)))
