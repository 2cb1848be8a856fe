"""A worker that knows nothing of the server but the names of its events and the routes of its REST API."""

import json
import sys
import urllib.request

import socketio

url, token, transport = sys.argv[1:4]


def send(method, path, data=None, headers={}):
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json", **headers}
    request = urllib.request.Request(url + "/v1/joblib" + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read()


def call(method, path, body=None):
    return json.loads(send(method, path, None if body is None else json.dumps(body).encode()))


job = call("PUT", "/rooms/snakes/jobs", {"category": "modifiers", "name": "Charm-" + transport, "schema": {}})
name, worker = job["full_name"], job["worker_id"]
words = {"category": "songs", "name": "Snake", "content_type": "application/octet-stream", "schema": {}}
provider = call("PUT", "/rooms/snakes/providers", {**words, "worker_id": worker})
client = socketio.Client(reconnection=False)


statuses = set()


# The library runs each handler in a thread of its own: the order in which they speak says nothing.
@client.on("task_status_event")
def seen(data):
    print("seen %d %s\n" % (data["version"], data["status"]), end="", flush=True)
    statuses.add(data["status"])
    if len(statuses) == 4:
        client.disconnect()


@client.on("task_available")
def available(data):
    assert data["job_name"] == name, data
    task = call("POST", "/tasks/claim", {"worker_id": worker})["task"]
    assert task["id"] == data["task_id"], (task, data)
    call("PATCH", "/tasks/" + task["id"], {"status": "running"})
    call("PATCH", "/tasks/" + task["id"], {"status": "completed"})


@client.on("provider_request")
def asked(data):
    assert data["provider_name"] == provider["full_name"], data
    line = json.loads(data["params"])["line"]
    headers = {"X-Request-Hash": data["request_id"], "Content-Type": "application/octet-stream"}
    send("POST", "/providers/" + provider["id"] + "/results", b"\x00hiss " + line.encode(), headers)


try:
    socketio.Client(reconnection=False).connect(url, auth={"token": "wrong"}, transports=[transport])
    print("let in", flush=True)
except socketio.exceptions.ConnectionError:
    print("turned away", flush=True)

client.connect(url, auth={"token": token}, transports=[transport])
print("refused", client.call("room_join", {"room_id": "@no"})["problem"]["status"], flush=True)
print("joined", client.call("room_join", {"room_id": "snakes"})["ok"], flush=True)
client.emit("join_job_room", {"job_name": name, "worker_id": worker})
print("listening", client.call("join_job_room", {"job_name": name, "worker_id": worker})["ok"], flush=True)
join = {"provider_name": provider["full_name"], "worker_id": worker}
print("providing", client.call("join_provider_room", join)["ok"], flush=True)
print("read", send("GET", "/rooms/snakes/providers/" + provider["full_name"] + "?line=7"), flush=True)
call("POST", "/rooms/snakes/tasks/" + name, {"payload": {}})
client.wait()
