#!/usr/bin/env python3
"""A Leadhand worker with nothing but Python's standard library. It counts primes.

Ctrl-C or SIGTERM: it finishes the task in hand, says goodbye and ends.
"""

import http.client
import json
import math
import os
import random
import signal
import sys
import threading
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("LEADHAND_URL", "http://127.0.0.1:7070")
TOKEN = os.environ.get("LEADHAND_TOKEN") or sys.exit("LEADHAND_TOKEN is not set")
BEAT_SECONDS = float(os.environ.get("BEAT_SECONDS", "15"))  # The server gives up a worker after 60 seconds of silence.
WAIT_SECONDS = 20

JOB = {
    "category": "analysis",
    "name": "count-primes",
    "schema": {"type": "object", "properties": {"below": {"type": "integer"}}, "required": ["below"]},
    # A task whose worker is lost runs again on another; one that failed is tried three times in all.
    "policy": {"onWorkerLost": "requeue", "retry": {"maxAttempts": 3}},
}


def work(payload, cancelled):
    """What this worker is for. It looks now and then whether anybody still wants to know."""
    count = 0
    for number in range(2, payload["below"]):
        if cancelled.is_set():
            return None
        count += all(number % divisor for divisor in range(2, math.isqrt(number) + 1))
    return {"primes": count}


class Refused(Exception):
    """The server said no. Asking the same again would not help."""

    def __init__(self, status, detail):
        super().__init__(f"{status} {detail}")
        self.status = status


class Unavailable(Exception):
    """No answer, or not now. Asking the same again may help."""

    def __init__(self, detail, retry_after=None):
        super().__init__(detail)
        self.retry_after = retry_after


class Stopped(BaseException):
    """Somebody wants us to end while we wait for work."""


def ask(method, path, body=None, headers=None, timeout=10):
    """One request. Answers what its JSON says."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **(headers or {})}
    request = urllib.request.Request(f"{URL}/v1{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.loads(answer.read() or "null")
    except urllib.error.HTTPError as error:
        detail = error.read().decode(errors="replace")
        if error.code == 429 or error.code >= 500:
            wait = error.headers.get("Retry-After", "")
            raise Unavailable(f"{error.code} {detail}", float(wait) if wait.isdigit() else None) from error
        raise Refused(error.code, detail) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unavailable(repr(error)) from error


class Worker:
    def __init__(self):
        self.stopping = threading.Event()
        self.waiting = False

    def stop(self, *_):
        self.stopping.set()
        if self.waiting:
            raise Stopped

    def run(self):
        while not self.stopping.is_set():
            try:
                self.live()
            except Stopped:
                pass
            except Refused as refused:
                if refused.status != 404:
                    raise
                log("the server has given us up; we come back as a new worker")

    def live(self):
        """The life of one registration."""
        self.id = self.ask_patiently("PUT", "/rooms/lab/jobs", JOB)["worker_id"]
        log(f"worker {self.id}")
        self.held = (None, threading.Event())
        over = threading.Event()
        beats = threading.Thread(target=self.beat, args=(over,))
        beats.start()
        try:
            while not self.stopping.is_set():
                task = self.claim()
                if task is not None:
                    self.do(task)
        finally:
            over.set()
            beats.join()
            self.say_goodbye()

    def beat(self, over):
        """Runs beside the work. The answer to a beat says which of our tasks were cancelled."""
        while True:
            try:
                cancelled = ask("PATCH", f"/workers/{self.id}")["cancel"]
            except Refused:
                self.held[1].set()  # We are given up, and so is what we hold.
                return
            except Unavailable:
                cancelled = []
            task_id, event = self.held
            if task_id in cancelled:
                event.set()
            if over.wait(BEAT_SECONDS):
                return

    def claim(self):
        """The next task, or None if none came."""
        # Under its key a claim may be repeated: a task whose answer was lost on the way is answered again.
        headers = {"Prefer": f"wait={WAIT_SECONDS}", "Idempotency-Key": str(uuid.uuid4())}
        self.waiting = True  # From here on a signal interrupts us; one that came before is seen here.
        try:
            if self.stopping.is_set():
                return None
            body = {"worker_id": self.id}
            return self.ask_patiently("POST", "/tasks/claim", body, headers, WAIT_SECONDS + 10)["task"]
        finally:
            self.waiting = False

    def do(self, task):
        cancelled = threading.Event()
        self.held = (task["id"], cancelled)
        if not self.start(task):
            return
        try:
            outcome = {"status": "completed", "result": work(task["payload"], cancelled)}
        except Exception as error:
            outcome = {"status": "failed", "error": str(error), "error_code": type(error).__name__}
        if cancelled.is_set():
            log(f"task {task['id']} was cancelled")
        elif self.settle(task, outcome):
            log(f"task {task['id']} {outcome['status']}")

    def start(self, task):
        if self.settle(task, {"status": "running"}):
            return True
        # Perhaps our first try got through and only its answer was lost: then it is ours, and running.
        now = self.ask_patiently("GET", f"/tasks/{task['id']}")
        return (now["status"], now["worker_id"], now["attempt"]) == ("running", self.id, task["attempt"])

    def settle(self, task, change):
        """Whether it counted. The lease token says for which attempt we speak; 409 means that it is no longer ours."""
        try:
            self.ask_patiently("PATCH", f"/tasks/{task['id']}", {**change, "lease_token": task["lease_token"]})
            return True
        except Refused as refused:
            if refused.status not in (404, 409):
                raise
            log(f"task {task['id']} dropped: {refused}")
            return False

    def ask_patiently(self, *request):
        """Asks until there is an answer, with longer and longer pauses; but nothing twice while we are stopping."""
        pause = 0.5
        while True:
            try:
                return ask(*request)
            except Unavailable as unavailable:
                log(f"{unavailable}; trying again")
                if self.stopping.wait(unavailable.retry_after or pause * random.uniform(0.5, 1.5)):
                    raise Stopped from unavailable
                pause = min(2 * pause, 15)

    def say_goodbye(self):
        """So that the server need not wait for beats that will not come. What we still hold goes back at once."""
        try:
            ask("DELETE", f"/workers/{self.id}")
        except (Refused, Unavailable):
            pass


def log(text):
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    worker = Worker()
    signal.signal(signal.SIGTERM, worker.stop)
    signal.signal(signal.SIGINT, worker.stop)
    worker.run()
    log("goodbye")
