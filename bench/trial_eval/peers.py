"""The same studies and queries through LlamaIndex and LangChain, each in its usual hybrid set-up; writes runs that measure.py reads.

Neither is a dependency of this project. In an environment of their own:

    pip install numpy llama-index-core llama-index-retrievers-bm25 langchain-classic langchain-community langchain-core rank-bm25
    python -m bench.trial_eval.peers CACHE peers.json

CACHE is the folder of measure.py's --cache, which holds one text a study, cut at the model's window, and vectors of these and of the queries
by the model that this project uses: both libraries get them through their own embedding classes, so that only the retrieval differs.
"""

# mypy: disable-error-code="import-not-found"
from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

DEPTH: Final = 100  # studies that each of the two retrievers is asked for


@dataclass(frozen=True)
class Input:
    """What measure.py left: studies and queries, by text, with the vectors of both."""

    studies: dict[str, str]
    queries: dict[str, str]
    vectors: dict[str, list[float]] = field(repr=False)

    @classmethod
    def read(cls, folder: Path) -> Input:
        """Read ``texts.json`` and ``vectors.npz``."""
        texts = json.loads((folder / "texts.json").read_text("utf-8"))
        arrays = np.load(folder / "vectors.npz")
        vectors = dict(zip(texts["studies"].values(), arrays["studies"].tolist(), strict=True))
        vectors |= dict(zip(texts["queries"].values(), arrays["queries"].tolist(), strict=True))
        return cls(texts["studies"], texts["queries"], vectors)


def llama_index_run(given: Input) -> dict[str, list[str]]:
    """QueryFusionRetriever (reciprocal ranks, no generated queries) over VectorStoreIndex and BM25Retriever, all else as it comes."""
    from llama_index.core import VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.schema import TextNode
    from llama_index.retrievers.bm25 import BM25Retriever

    class Known(BaseEmbedding):  # type: ignore[misc]
        def _get_text_embedding(self, text: str) -> list[float]:
            return given.vectors[text]

        def _get_query_embedding(self, query: str) -> list[float]:
            return given.vectors[query]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return given.vectors[query]

    nodes = [TextNode(id_=study, text=text, embedding=given.vectors[text]) for study, text in given.studies.items()]
    index = VectorStoreIndex(nodes, embed_model=Known())
    retriever = QueryFusionRetriever(
        [index.as_retriever(similarity_top_k=DEPTH), BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=DEPTH)],
        llm=MockLLM(),
        mode="reciprocal_rerank",
        num_queries=1,
        similarity_top_k=DEPTH,
        use_async=False,
    )
    return {query: [found.node.node_id for found in retriever.retrieve(text)] for query, text in given.queries.items()}


def langchain_run(given: Input) -> dict[str, list[str]]:
    """EnsembleRetriever, half and half, over InMemoryVectorStore and BM25Retriever, all else as it comes."""
    from langchain_classic.retrievers import EnsembleRetriever
    from langchain_community.retrievers import BM25Retriever
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore

    class Known(Embeddings):  # type: ignore[misc]
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [given.vectors[text] for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return given.vectors[text]

    documents = [Document(page_content=text, metadata={"study": study}, id=study) for study, text in given.studies.items()]
    store = InMemoryVectorStore.from_documents(documents, Known())
    terms = BM25Retriever.from_documents(documents)
    terms.k = DEPTH
    retriever: Any = EnsembleRetriever(retrievers=[terms, store.as_retriever(search_kwargs={"k": DEPTH})], weights=[0.5, 0.5])
    return {query: [found.metadata["study"] for found in retriever.invoke(text)][:DEPTH] for query, text in given.queries.items()}


def main() -> int:
    """Run both and write their runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cache", type=Path, help="folder that measure.py left its texts and vectors in")
    parser.add_argument("runs", type=Path, help="file to write")
    options = parser.parse_args()
    given = Input.read(options.cache)
    runs = {"LlamaIndex hybrid": llama_index_run(given), "LangChain hybrid": langchain_run(given)}
    options.runs.write_text(json.dumps(runs), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
