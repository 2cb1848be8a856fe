"""A worker on the /work WebSocket that counts words. It needs the websockets package, 10 or newer, and nothing else.

Each message is explained in docs/protocol/work.md. It registers, beats, runs up to four jobs side by side, comes back with
what it has in hand when the connection or the server was away, and drains when it is asked to end.
"""

import asyncio
import hashlib
import json
import os
import pathlib
import platform
import random
import signal
import time

import websockets

ADDRESS = os.environ.get("LEADHAND_URL", "http://127.0.0.1:7070").replace("http", "ws", 1) + "/work"
PROTOCOLS = ["leadhand.work.v1", "bearer." + os.environ["LEADHAND_TOKEN"]]
SPEC = json.loads(pathlib.Path(__file__).with_name("count-words.json").read_text())
# The form of RFC 8785, for a schema of plain texts and whole numbers.
CANONICAL = json.dumps({"schema": SPEC["schema"]}, sort_keys=True, separators=(",", ":"))
CHECKSUM = "sha256:" + hashlib.sha256(CANONICAL.encode()).hexdigest()
PLACES = 4


def work(parameters):
    """Your work. It has a thread of its own, so that the heartbeats go on."""
    time.sleep(parameters.get("seconds", 0))
    return {"words": len(parameters["text"].split())}


class Worker:
    def __init__(self):
        self.running, self.results = set(), {}  # attempts in hand, and those that are done but not acknowledged
        self.me, self.pause, self.draining, self.done = None, 0.5, False, False
        self.news = asyncio.Event()

    def heartbeat(self, **parts):
        self.seq += 1
        parts["ready"] = 0 if self.draining else PLACES - len(self.running)
        parts["state"] = "draining" if self.draining else "active"
        parts["results"] = list(self.results.values())  # until they are acknowledged; twice is one outcome
        return json.dumps({"type": "heartbeat", "seq": self.seq, "ackedAssignment": self.seen, **parts})

    async def session(self, socket):
        self.seq, self.seen = 0, 0
        spec = {"id": SPEC["id"], "checksum": CHECKSUM}
        registration = {"hostname": platform.node(), "os": platform.system(), "pid": os.getpid(), "specs": [spec]}
        if self.me:
            held = [{"jobId": job, "attempt": attempt} for job, attempt in [*self.running, *self.results]]
            registration["resume"] = {**self.me, "jobs": held}
        await socket.send(self.heartbeat(registration=registration))
        beating = asyncio.ensure_future(self.beat(socket))
        try:
            while True:  # a server that says nothing for five seconds is gone
                self.hear(json.loads(await asyncio.wait_for(socket.recv(), 5)))
        finally:
            beating.cancel()

    async def beat(self, socket):
        while not (self.draining and not self.running and not self.results):
            try:
                await asyncio.wait_for(self.news.wait(), 1)
            except asyncio.TimeoutError:
                pass
            self.news.clear()
            await socket.send(self.heartbeat())
        self.done = True
        await socket.close(1000)

    def hear(self, message):
        if message["type"] == "welcome":
            self.me, self.pause = {"workerId": message["workerId"], "token": message["token"]}, 0.5
            print("resumed" if message["resumed"] else "welcome", message["specs"], flush=True)
        elif message["type"] == "assignment":
            self.seen = message["seq"]
            self.running.add((message["job"]["id"], message["job"]["attempt"]))
            asyncio.ensure_future(self.run(message["job"]))
            self.news.set()
        elif message["type"] == "resultAck" and not message.get("retry"):
            self.results.pop((message["jobId"], message["attempt"]), None)
        elif message["type"] == "drain":
            self.drain()
        elif message["type"] in ("specs", "error"):
            print(message, flush=True)

    async def run(self, job):
        attempt = (job["id"], job["attempt"])
        result = {"jobId": job["id"], "attempt": job["attempt"]}
        try:
            data = await asyncio.get_running_loop().run_in_executor(None, work, job["parameters"])
            result.update(outcome="succeeded", data=data)
        except Exception as error:
            result.update(outcome="failed", error={"code": type(error).__name__, "message": str(error)})
        self.running.remove(attempt)
        self.results[attempt] = result
        self.news.set()

    def drain(self):
        self.draining = True
        self.news.set()


async def main():
    worker = Worker()
    for each in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(each, worker.drain)
    while not worker.done:
        try:
            async with websockets.connect(ADDRESS, subprotocols=PROTOCOLS, max_size=None) as socket:
                await worker.session(socket)
        except (OSError, asyncio.TimeoutError, websockets.WebSocketException) as error:
            if worker.done or getattr(error, "code", None) == 4401:
                break
            print("trying again:", repr(error), flush=True)
        await asyncio.sleep(worker.pause * random.uniform(0.5, 1))
        worker.pause = min(worker.pause * 2, 10)
    raise SystemExit(0 if worker.done else 1)


asyncio.run(main())
