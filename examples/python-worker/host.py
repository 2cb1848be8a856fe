"""The application around the documents' examples: how it talks to its server, and what its extensions work on."""

import json as json_text
import logging
import os
import sys
import urllib.error
import urllib.request

logging.basicConfig(format="%(message)s")
URL = os.environ.get("LEADHAND_URL", "http://127.0.0.1:7070")
TOKEN = os.environ.get("LEADHAND_TOKEN") or sys.exit("LEADHAND_TOKEN is not set")


class Response:
    def __init__(self, status_code, content):
        self.status_code, self.content = status_code, content
        self.text = content.decode(errors="replace")


class Http:
    """As much of an httpx.Client as a JobManager needs."""

    def request(self, method, url, *, json=None, headers=None, timeout=10):
        data = None if json is None else json_text.dumps(json).encode()
        headers = {"Content-Type": "application/json", **(headers or {})}
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return Response(answer.status, answer.read())
        except urllib.error.HTTPError as error:
            return Response(error.code, error.read())


class Api:
    http = Http()
    base_url = URL

    def get_headers(self):
        return {"Authorization": f"Bearer {TOKEN}"}

    def raise_for_status(self, response):
        if response.status_code >= 400:
            raise RuntimeError(f"{response.status_code} {response.text}")


class Vis:
    def rotate(self, angle):
        if angle > 360:
            raise ValueError(f"{angle} is more than once around")
        print(f"rotated by {angle}", flush=True)


api, vis, tsio = Api(), Vis(), None

if os.environ.get("WITH_SOCKET"):  # The one thing that the standard library has not: pip install "python-socketio[client]"
    import socketio

    tsio = socketio.Client()
    tsio.connect(URL, auth={"token": TOKEN})
