"""The documents' worker API with nothing but Python's standard library: JobManager, Extension, Category, ClaimedTask.

Copy this file beside your program. `api` is the host application's own, as the documents' ApiManager has it: `http` with a
`request` as that of httpx, `base_url`, `get_headers()` and `raise_for_status(response)`; host.py has one. `tsio` may be a client of
python-socketio, and need not be there.
"""

import enum
import json
import logging
import random
import signal
import threading
import time
import types
import typing
import uuid

log = logging.getLogger("leadhand_jobs")
JOIN_SECONDS = 10


class Category(str, enum.Enum):
    MODIFIER = "modifiers"
    SELECTION = "selections"
    ANALYSIS = "analysis"


class Extension:
    """A job: its annotated fields are the payload, `run` is the work. What is annotated as ClassVar is no field."""

    category: typing.ClassVar[Category]

    def __init__(self, **values):
        for name in self.fields():
            if name not in values and not hasattr(type(self), name):
                raise ValueError(f"{name} is missing")
            setattr(self, name, values.get(name, getattr(type(self), name, None)))

    def run(self, vis, **kwargs):
        raise NotImplementedError

    @classmethod
    def fields(cls):
        hints = typing.get_type_hints(cls)
        return {name: kind for name, kind in hints.items() if typing.get_origin(kind) is not typing.ClassVar}

    @classmethod
    def schema(cls):
        properties = {}
        for name, kind in cls.fields().items():
            properties[name] = schema_of(kind)
            if hasattr(cls, name):
                properties[name]["default"] = getattr(cls, name)
        required = [name for name in properties if "default" not in properties[name]]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def schema_of(kind):
    names = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null", dict: "object"}
    if typing.get_origin(kind) in (typing.Union, getattr(types, "UnionType", typing.Union)):
        return {"anyOf": [schema_of(each) for each in typing.get_args(kind)]}
    if kind is list or typing.get_origin(kind) is list:
        return {"type": "array", **({"items": schema_of(typing.get_args(kind)[0])} if typing.get_args(kind) else {})}
    kind = typing.get_origin(kind) or kind
    return {"type": names[kind]} if kind in names else {}


class ClaimedTask:
    def __init__(self, answer, extension):
        self.task_id, self.job_name, self.room_id = answer["id"], answer["job_name"], answer["room_id"]
        self.attempt, self.lease_token = answer["attempt"], answer["lease_token"]
        self.extension = extension
        self.cancelled = threading.Event()
        """Set when a beat has told that nobody wants it any more; for work that takes long to look at."""


class Refused(Exception):
    """409: the task is over, was cancelled, or is in other hands."""

    def __init__(self, response):
        super().__init__(response.text)


class Unavailable(Exception):
    """No answer, or not now."""


class JobManager:
    """With `execute` it serves by itself. Without, the caller has `claim` or `listen`; then only the beats do."""

    def __init__(
        self, api, tsio=None, execute=None, *, heartbeat_interval=30.0, polling_interval=2.0, unreachable_limit=120.0
    ):
        self.api, self.tsio, self.execute = api, tsio, execute
        self.heartbeat_interval, self.polling_interval = heartbeat_interval, polling_interval
        self.unreachable_limit = unreachable_limit
        self.worker_id, self.jobs, self.error = None, {}, None
        self._stop, self._task_ready, self._threads, self._held = threading.Event(), threading.Event(), [], {}
        self._gone = threading.Lock()
        if tsio is not None:
            tsio.on("task_available", lambda _: self._task_ready.set())
            tsio.on("connect", self._join_rooms)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.disconnect()

    def register(self, extension=None, *, room="@global"):
        """As `@manager.register`, `@manager.register(room=…)`, or a call."""
        if extension is None:
            return lambda each: self.register(each, room=room)
        category = getattr(extension.category, "value", extension.category)
        body = {"category": category, "name": extension.__name__, "schema": extension.schema()}
        job = self._ask("PUT", f"/rooms/{room}/jobs", {**body, "worker_id": self.worker_id})
        self.worker_id = job["worker_id"]
        self.jobs[job["full_name"]] = extension
        self._join_rooms()
        if not self._threads:
            loops = [self._beats] + ([self._claims] if self.execute else [])
            self._threads = [threading.Thread(target=self._until_the_end, args=(each,), daemon=True) for each in loops]
            for thread in self._threads:
                thread.start()
        return extension

    def claim(self):
        """The next task, or None. One whose payload does not fit its class is failed, and never left claimed."""
        # Under its key the claim may be repeated: a task whose answer was lost on the way is answered again.
        answer = self._ask("POST", "/tasks/claim", {"worker_id": self.worker_id}, {"Idempotency-Key": str(uuid.uuid4())})
        if answer["task"] is None:
            return None
        task = ClaimedTask(answer["task"], None)
        self._held[task.task_id] = task
        try:
            task.extension = self.jobs[task.job_name](**answer["task"]["payload"])
            return task
        except Exception as error:
            fault = f"The payload does not fit: {error!r}"
        try:
            self.start(task)
            self.fail(task, fault)
        except Refused as refused:
            log.warning("task %s is no longer ours: %s", task.task_id, refused)
        return None

    def listen(self, polling_interval=None):
        """Claims one task after the other, until the manager is disconnected."""
        while not self._stop.is_set():
            self._task_ready.clear()
            task = self.claim()
            if task is not None:
                yield task
            else:
                self._task_ready.wait(polling_interval or self.polling_interval)
        if self.error is not None:
            raise self.error

    def start(self, task):
        try:
            self._settle(task, {"status": "running"}, keep=True)
        except Refused:
            # Perhaps a first try got through and only its answer was lost: then it is ours, and running.
            now = self._ask("GET", f"/tasks/{task.task_id}")
            if (now["status"], now["worker_id"], now["attempt"]) != ("running", self.worker_id, task.attempt):
                raise

    def complete(self, task, result=None):
        self._settle(task, {"status": "completed", "result": result})

    def fail(self, task, error):
        self._settle(task, {"status": "failed", "error": str(error)})

    def submit(self, extension, room, job_room="@global"):
        kind = type(extension)
        category = getattr(kind.category, "value", kind.category)
        payload = {name: getattr(extension, name) for name in kind.fields()}
        path = f"/rooms/{room}/tasks/{job_room}:{category}:{kind.__name__}"
        return self._ask("POST", path, {"payload": payload}, {"Idempotency-Key": str(uuid.uuid4())})["id"]

    def heartbeat(self):
        for task_id in self._ask("PATCH", f"/workers/{self.worker_id}").get("cancel", []):
            if task_id in self._held:
                self._held[task_id].cancelled.set()

    def wait(self):
        """Blocks until SIGINT or SIGTERM, or until the manager could not go on; then it raises why."""
        signals = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
        before = [signal.signal(each, signal.default_int_handler) for each in signals]
        try:
            self._stop.wait()
        except KeyboardInterrupt:
            pass
        finally:
            for each in signals:
                signal.signal(each, signal.SIG_IGN)  # Once is enough; what is under way has its time.
            self.disconnect()
            for each, handler in zip(signals, before):
                signal.signal(each, handler)
        if self.error is not None:
            raise self.error

    def disconnect(self):
        """Lets the task in hand end, and says goodbye, so that the server need not wait for beats that will not come."""
        self._stop.set()
        self._task_ready.set()
        with self._gone:
            for thread in self._threads:
                if thread is not threading.current_thread():
                    thread.join(JOIN_SECONDS)
            if self.worker_id is None:
                return
            try:
                self._emit_all("leave_job_room")
                self._ask_once("DELETE", f"/workers/{self.worker_id}")
            except Exception as error:
                log.warning("no goodbye: %r", error)
            self.worker_id, self._threads = None, []
            self.jobs.clear()
            self._held.clear()

    def _until_the_end(self, loop):
        try:
            loop()
        except Exception as error:
            log.error("the manager stops: %s", error)
            self.error = error
            self._stop.set()
            self._task_ready.set()

    def _beats(self):
        # The first beat comes at once: from then on the server collects cancels for us.
        while True:
            self.heartbeat()
            if self._stop.wait(self.heartbeat_interval):
                return

    def _claims(self):
        for task in self.listen():
            try:
                self.start(task)
                try:
                    result = self.execute(task)
                except Exception as error:
                    self.fail(task, error)
                else:
                    self.complete(task, result)
            except Refused as refused:
                log.warning("task %s is no longer ours: %s", task.task_id, refused)

    def _settle(self, task, change, keep=False):
        # The lease token says for which attempt we speak.
        self._ask("PATCH", f"/tasks/{task.task_id}", {**change, "lease_token": task.lease_token})
        if not keep:
            self._held.pop(task.task_id, None)

    def _ask(self, method, path, body=None, headers=None):
        """Asks until there is an answer, with longer and longer pauses; gives up after `unreachable_limit` seconds."""
        pause, end = 0.5, time.monotonic() + self.unreachable_limit
        while True:
            try:
                return self._ask_once(method, path, body, headers)
            except Unavailable as error:
                wait = pause * random.uniform(0.5, 1.5)
                if time.monotonic() + wait > end:
                    raise
                log.warning("%s %s: %s; trying again", method, path, error)
                time.sleep(wait)
                pause = min(2 * pause, 15)

    def _ask_once(self, method, path, body=None, headers=None):
        headers = {**self.api.get_headers(), **(headers or {})}
        url = f"{self.api.base_url}/v1/joblib{path}"
        try:
            response = self.api.http.request(method, url, json=body, headers=headers, timeout=10)
        except Exception as error:
            raise Unavailable(repr(error)) from error
        if response.status_code == 429 or response.status_code >= 500:
            raise Unavailable(response.status_code)
        if response.status_code == 409:
            raise Refused(response)
        self.api.raise_for_status(response)
        return json.loads(response.content or "null")

    def _join_rooms(self):
        self._emit_all("join_job_room")
        self._task_ready.set()  # What was submitted meanwhile was told to nobody.

    def _emit_all(self, event):
        if self.tsio is not None and self.tsio.connected:
            for name in list(self.jobs):
                self.tsio.emit(event, {"job_name": name, "worker_id": self.worker_id})
