"""Plays the published vectors of /work, knowing nothing but what docs/protocol/work.md says of them.

Usage: vectors.py FOLDER URL TOKENS, where TOKENS is JSON: {"admin", "user", "viewer", "wrong"}.
Prints one line of JSON for each vector: {"name", "fault"}, where a fault of null is none.
"""

import asyncio
import hashlib
import json
import sys
import urllib.request

import websockets

folder, url = sys.argv[1:3]
tokens = {**json.loads(sys.argv[3]), "none": None}


def canonical(value):
    """The form of RFC 8785."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def number(value):
    """As ECMAScript prints it: Python finds the same digits, and puts them down otherwise."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, exponent = f"{abs(value)!r}e0".split("e")[:2]
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0").rstrip("0")
    # Where the point stands, counted from the first digit that is not zero.
    point = len(whole) + int(exponent) - (len(whole + fraction) - len((whole + fraction).lstrip("0")))
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    tail = "." + digits[1:] if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def check_checksum(vector):
    spec = json.loads(vector["spec"], parse_int=float)
    text = canonical({key: spec[key] for key in ("schema", "output") if key in spec})
    assert text == vector["canonical"], text
    assert "sha256:" + hashlib.sha256(text.encode()).hexdigest() == vector["checksum"]


def ask(who, method, path, body=None):
    headers = {"Authorization": "Bearer " + tokens[who], "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + "/v1" + path, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read())


async def asked(*words):
    return await asyncio.get_running_loop().run_in_executor(None, ask, *words)


class Line:
    """One connection, and what has come by it."""

    def __init__(self, socket):
        self.socket, self.heard, self.read = socket, [], 0
        self.reading = asyncio.ensure_future(self.listen())

    async def listen(self):
        try:
            async for text in self.socket:
                self.heard.append(json.loads(text))
        except websockets.ConnectionClosed:
            pass

    async def next(self, beat):
        while True:
            await within(10, lambda: len(self.heard) > self.read, "a message")
            message = self.heard[self.read]
            self.read += 1
            if (message["type"] == "beat") == beat:
                return message

    async def silence(self):
        start = len(self.heard)
        await within(10, lambda: sum(m["type"] == "beat" for m in self.heard[start:]) >= 2, "two beats")
        said = [message for message in self.heard[self.read :] if message["type"] != "beat"]
        assert not said, said


async def within(seconds, holds, what):
    for _ in range(seconds * 100):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"not within {seconds} s: {what}")


async def connect(who):
    # Headers are named otherwise in each version of the library; subprotocols are not.
    offered = ["leadhand.work.v1"] + ([] if tokens[who] is None else ["bearer." + tokens[who]])
    address = url.replace("http", "ws", 1) + "/work"
    return Line(await websockets.connect(address, subprotocols=offered, max_size=None))


def filled(value, known):
    if isinstance(value, str):
        return known.get(value, value)
    if isinstance(value, list):
        return [filled(item, known) for item in value]
    if isinstance(value, dict):
        return {key: filled(item, known) for key, item in value.items()}
    return value


def contains(message, expected, known):
    if isinstance(expected, str) and expected.startswith("$"):
        return known.setdefault(expected, message) == message
    if isinstance(expected, dict):
        has = isinstance(message, dict)
        return has and all(key in message and contains(message[key], expected[key], known) for key in expected)
    if isinstance(expected, list):
        same = isinstance(message, list) and len(message) == len(expected)
        return same and all(contains(one, other, known) for one, other in zip(message, expected))
    return type(message) is type(expected) and message == expected


async def register(spec):
    await asked("admin", "PUT", "/specs/" + spec["id"], {"schema": spec["schema"]})


async def play(scene):
    known = {}
    for spec in scene["specs"]:
        await register(spec)
    line = await connect(scene["token"])
    for step in scene["steps"]:
        kind, value = next(iter(step.items()))
        if kind == "send":
            await line.socket.send(json.dumps(filled(value, known)))
        elif kind == "sendText":
            await line.socket.send(value)
        elif kind == "sendBinary":
            await line.socket.send(bytes.fromhex(value))
        elif kind == "sendRepeated":
            await line.socket.send(value["text"] * value["times"])
        elif kind == "expect":
            message = await line.next(value["type"] == "beat")
            assert contains(message, value, known), (message, value)
        elif kind == "expectAll":
            left = list(value)
            while left:
                message = await line.next(False)
                fits = [each for each in left if contains(message, each, known)]
                assert fits, (message, left)
                left.remove(fits[0])
        elif kind == "silence":
            await line.silence()
        elif kind == "close":
            await asyncio.wait_for(line.reading, 15)
            assert line.socket.close_code == value, line.socket.close_code
        elif kind == "hangUp":
            await line.socket.close(value)
        elif kind == "connect":
            line = await connect(scene["token"])
        elif kind == "submit":
            words = {key: value[key] for key in value if key != "spec"}
            task = await asked("user", "POST", "/rooms/@global/tasks/@global:specs:" + value["spec"], words)
            known[step["as"]] = task["id"]
        elif kind == "cancel":
            await asked("user", "POST", f"/tasks/{known[value]}/cancel")
        elif kind == "register":
            await register(value)
        elif kind == "task":
            for left in range(100, -1, -1):
                task = await asked("user", "GET", "/tasks/" + known[value])
                if contains(task, step["is"], known):
                    break
                assert left, (task, step["is"])
                await asyncio.sleep(0.05)
        else:
            raise AssertionError(f"no such step: {kind}")
    await line.socket.close()


async def tell(name, doing):
    fault = None
    try:
        await doing
    except Exception as error:
        fault = repr(error)
    print(json.dumps({"name": name, "fault": fault}), flush=True)


async def compared(vector):
    check_checksum(vector)


def read(name):
    with open(f"{folder}/{name}", encoding="utf-8") as file:
        return json.load(file)


async def main():
    for vector in read("checksums.json"):
        await tell(vector["name"], compared(vector))
    await asyncio.gather(*[tell(scene["name"], play(scene)) for scene in read("frames.json")])


asyncio.run(main())
