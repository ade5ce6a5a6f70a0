"""What every ``IndexCatalog`` must do, as a test class: subclass it and override ``catalog`` and ``again``."""

# ruff: noqa: D102, S101  # these are tests: their names say what they show
from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipeline.domain.ports import IndexCatalog, VectorIndex
from pipeline.testing.points import make_point, make_points, make_spec


class IndexCatalogContract:
    """Collections beside each other, and the name that the live one is known by."""

    prefix = "clindex"

    @pytest.fixture
    def catalog(self) -> Iterator[IndexCatalog]:
        """A catalog without collections of this prefix."""
        raise NotImplementedError

    def again(self, catalog: IndexCatalog) -> IndexCatalog:
        """Return a new object on the same store, as another process would build it."""
        raise NotImplementedError

    def made(self, catalog: IndexCatalog, name: str) -> VectorIndex:
        index = catalog.open(name)
        index.create(make_spec(name))
        return index

    def ours(self, catalog: IndexCatalog) -> list[str]:
        return [name for name in catalog.names() if name.startswith(self.prefix)]

    def test_collections_are_listed_once_they_are_made(self, catalog: IndexCatalog) -> None:
        catalog.open(self.prefix)
        assert self.ours(catalog) == []
        self.made(catalog, f"{self.prefix}-2")
        self.made(catalog, self.prefix)
        assert self.ours(catalog) == [self.prefix, f"{self.prefix}-2"]
        assert self.ours(self.again(catalog)) == [self.prefix, f"{self.prefix}-2"]

    def test_a_collection_is_opened_once(self, catalog: IndexCatalog) -> None:
        assert catalog.open(self.prefix) is catalog.open(self.prefix)
        assert catalog.open(self.prefix) is not catalog.open(f"{self.prefix}-2")

    def test_what_is_done_to_one_collection_leaves_the_other_alone(self, catalog: IndexCatalog) -> None:
        first, second = self.made(catalog, self.prefix), self.made(catalog, f"{self.prefix}-2")
        with first.session(), second.session():
            first.upsert(make_points(1, range(1, 6)))
            second.upsert(make_points(2, range(1, 4)))
            first.delete_points([make_point(1, 1).id, make_point(2, 1).id])
            assert (first.count(), second.count()) == (4, 3)
        first.remove()
        assert self.ours(catalog) == [f"{self.prefix}-2"]
        assert second.count() == 3

    def test_an_alias_names_the_collection_that_it_was_pointed_at_last(self, catalog: IndexCatalog) -> None:
        assert catalog.pointed(self.prefix) is None
        self.made(catalog, self.prefix)
        self.made(catalog, f"{self.prefix}-2")
        for name in (self.prefix, f"{self.prefix}-2", f"{self.prefix}-2", self.prefix):
            catalog.point(self.prefix, name)
            assert catalog.pointed(self.prefix) == name
            assert self.again(catalog).pointed(self.prefix) == name
        assert catalog.pointed(f"{self.prefix}-2") is None
        assert self.ours(catalog) == [self.prefix, f"{self.prefix}-2"]
