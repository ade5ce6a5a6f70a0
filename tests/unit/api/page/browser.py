"""A browser without scripts."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

import httpx
from fastapi.testclient import TestClient

_TOKEN = re.compile(r'name="made_for" value="([^"]*)"')
HTML = {"Accept": "text/html,application/xhtml+xml"}


@dataclass
class Browser:
    """Keeps cookies, sends the forms of the page it has open."""

    client: TestClient
    token: str = field(default="")

    def open(self, path: str) -> httpx.Response:
        return self._shown(self.client.get(path, headers=HTML))

    def submit(self, path: str, **fields: str | list[str]) -> httpx.Response:
        if not self.token:
            self.open("/sign-in")
        return self._shown(self.client.post(path, data={"made_for": self.token, **fields}, headers=HTML))

    def search(self, query: str, **fields: str | list[str]) -> str:
        answer = self.submit("/", query=query, **fields)
        assert answer.status_code == 200
        return answer.text

    def sign_in(self, key: str) -> httpx.Response:
        return self.submit("/sign-in", key=key)

    def _shown(self, answer: httpx.Response) -> httpx.Response:
        if found := _TOKEN.search(answer.text):
            self.token = found[1]
        return answer


def words_of(page: str) -> str:
    """What a reader sees of a page, on one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())
