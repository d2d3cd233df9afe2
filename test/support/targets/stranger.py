"""A crew that somebody else wrote: Python's standard library, threads, and habits of its own.

    python3 stranger.py '{"workers": 4, "tasks": [{"name": "research", "mean": 0.08}]}'

The first line of stdout is JSON with the address. Each line on stdin is answered by one line with
everything that is true of the crew so far: what each execution really did, and each request. The
process ends when stdin does. All times are seconds; those of the truth count from the start.
"""
import json
import queue
import random
import sys
import threading
import time
import uuid
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DEFAULTS = {
    "dialect": "interface",  # or "platform", as live deployments answer
    "tokens": ["open-sesame"],
    "required": ["topic"],
    "optional": [],  # listed by GET /inputs like the others
    "described": False,  # GET /inputs lists objects with "name" and "required"
    "reserved": [],  # listed too, but a kickoff that sends one is refused
    "members": [],  # names that a kickoff must carry beside inputs
    "paths": {"inputs": "/inputs", "kickoff": "/kickoff", "status": "/status/{id}"},
    "workers": 4,
    "scaling": None,  # {"to": n, "upAfter": seconds, "downAfter": seconds}: more while some wait
    "queue": 1000,  # executions that may wait for a worker
    "tasks": [
        {"name": "research", "agent": "Researcher", "mean": 0.08, "cv": 0.3},
        {"name": "writing", "agent": "Writer", "mean": 0.05, "cv": 0.3},
    ],
    "slower": 1.0,  # multiplies the time of each task: a later version of the same crew
    "callSeconds": 0.0,  # a quota: each task makes a call, and calls pass no faster than this
    "setUp": 0.01,  # before each task: loading a prompt, opening a session
    "failing": 0.0,  # the share of executions whose last task raises
    "seed": 1,
    "firstCall": 0.0,  # the first request waits so long, and all that come meanwhile
    "keepAlive": 5.0,  # idle connections are closed after it, as uvicorn does
    "person": None,  # {"after": tasks, "seconds": n or None, "shown": "paused" or "not found"}
    "limit": None,  # {"requests": n, "seconds": n, "scope": "path" or "client"}
}


class Execution:
    def __init__(self, crew, ordinal, inputs):
        draws = random.Random(f"{crew.settings['seed']}:{ordinal}")
        self.crew = crew
        self.id = str(uuid.UUID(int=draws.getrandbits(128), version=4))
        self.inputs = inputs
        self.kicked_off = crew.now()
        self.begun = self.ended = self.asked_person = self.person_answered = None
        self.error = None
        self.done = []  # (task, seconds that it took, when it ended)
        self.plan = [(task, self.seconds_of(task, draws, crew)) for task in crew.settings["tasks"]]
        self.will_fail = draws.random() < crew.settings["failing"]

    @staticmethod
    def seconds_of(task, draws, crew):
        shape = 1 / task.get("cv", 0.3) ** 2
        return draws.gammavariate(shape, task["mean"] / shape) * crew.settings["slower"]

    def stamp(self, at):
        moment = datetime.fromtimestamp(time.time() - self.crew.now() + at, timezone.utc)
        return moment.isoformat()

    @property
    def paused(self):
        return self.asked_person is not None and self.person_answered is None

    @property
    def current(self):
        return self.plan[min(len(self.done), len(self.plan) - 1)][0]

    def truth(self):
        return {
            "id": self.id,
            "inputs": self.inputs,
            "kickedOff": self.kicked_off,
            "begun": self.begun,
            "ended": self.ended,
            "askedPerson": self.asked_person,
            "personAnswered": self.person_answered,
            "failed": self.error is not None,
            "taskSeconds": [seconds for _, seconds, _ in self.done],
        }


class Crew:
    """A pool of workers behind a bounded queue, first come, first served."""

    def __init__(self, settings):
        self.settings = settings
        self.start = time.monotonic()
        self.lock = threading.Lock()
        self.executions = {}
        self.waiting = queue.Queue(settings["queue"])
        self.next_call = 0.0
        self.workers = []  # (when, how many from then on)
        self.busy = 0
        for _ in range(settings["workers"]):
            self.add_worker()
        if settings["scaling"]:
            threading.Thread(target=self.scale, daemon=True).start()

    def now(self):
        return time.monotonic() - self.start

    def kickoff(self, inputs):
        """Returns None if the queue is full."""
        with self.lock:
            execution = Execution(self, len(self.executions), inputs)
            try:
                self.waiting.put_nowait(execution)
            except queue.Full:
                return None
            self.executions[execution.id] = execution
            return execution

    def add_worker(self):
        self.workers.append((self.now(), self.workers[-1][1] + 1 if self.workers else 1))
        threading.Thread(target=self.work, daemon=True).start()

    def scale(self):
        """As an autoscaler that looks at the queue: one more or one fewer after each such time."""
        rule = self.settings["scaling"]
        waits_since = idle_since = None
        while True:
            time.sleep(0.01)
            now, count = self.now(), self.workers[-1][1]
            waits_since = (waits_since or now) if self.waiting.qsize() > 0 else None
            idle_since = (idle_since or now) if self.busy < count else None
            if waits_since and count < rule["to"] and now - waits_since >= rule["upAfter"]:
                self.add_worker()
                waits_since = now
            if idle_since and count > self.settings["workers"]:
                if now - idle_since >= rule["downAfter"]:
                    self.workers.append((now, count - 1))
                    self.waiting.put(None)
                    idle_since = now

    def work(self):
        while True:
            execution = self.waiting.get()
            if execution is None:
                return
            with self.lock:
                self.busy += 1
            if execution.begun is None:
                execution.begun = self.now()
            self.carry(execution)
            with self.lock:
                self.busy -= 1

    def carry(self, execution):
        person = self.settings["person"]
        for task, seconds in execution.plan[len(execution.done) :]:
            asks = person is not None and len(execution.done) == person["after"]
            if asks and execution.asked_person is None:
                self.ask(execution, person["seconds"])
                return
            time.sleep(self.settings["setUp"])
            begun = self.now()
            self.call()
            time.sleep(seconds)
            ended = self.now()
            if execution.will_fail and len(execution.done) == len(execution.plan) - 1:
                execution.error = f"{task['name']}: the model refused to answer"
                break
            execution.done.append((task, ended - begun, ended))
        execution.ended = self.now()

    def call(self):
        """Waits until the quota lets another call pass, in the order of asking."""
        with self.lock:
            passes = max(self.now(), self.next_call)
            self.next_call = passes + self.settings["callSeconds"]
        time.sleep(max(0, passes - self.now()))

    def ask(self, execution, seconds):
        """The worker is free for others until the person has answered."""
        execution.asked_person = self.now()
        if seconds is None:
            return
        timer = threading.Timer(seconds, self.answered, [execution])
        timer.daemon = True
        timer.start()

    def answered(self, execution):
        execution.person_answered = self.now()
        self.waiting.put(execution)


class Limiter:
    """As slowapi 0.1 with `headers_enabled` and its default strategy: a fixed window for each key
    that begins with its first request; each answer carries `Retry-After`, not only refusals."""

    def __init__(self, limit):
        self.limit = limit
        self.lock = threading.Lock()
        self.windows = {}  # by key: [when it ends, requests in it]

    def take(self, client, path):
        """Returns whether one more is let in, and the headers that say what is left."""
        key = (client, path) if self.limit["scope"] == "path" else client
        with self.lock:
            now = time.time()
            window = self.windows.get(key)
            if window is None or window[0] <= now:
                window = self.windows[key] = [now + self.limit["seconds"], 0]
            window[1] += 1
            reset = 1 + window[0]
            left = self.limit["requests"] - window[1]
            return left >= 0, {
                "X-RateLimit-Limit": str(self.limit["requests"]),
                "X-RateLimit-Remaining": str(max(0, left)),
                "X-RateLimit-Reset": str(reset),
                "Retry-After": str(int(reset - now)),
            }

    def refusal(self):
        limit = "{requests} per {seconds} second".format(**self.limit)
        return {"error": f"Rate limit exceeded: {limit}"}


class InterfaceDialect:
    """The answers that the document of the interface shows."""

    UNAUTHORIZED = {"error": "Unauthorized", "message": "Invalid or missing bearer token"}
    NOT_FOUND = {"error": "Not Found", "message": "No such path"}
    BUSY = {"error": "Service Unavailable", "message": "The queue is full"}
    MALFORMED = 400, {"error": "Bad Request", "message": "The body must hold an object inputs"}

    @staticmethod
    def invalid(message):
        return {"error": "Validation Error", "message": message}

    @staticmethod
    def unknown(identifier):
        message = f"No execution found with ID: {identifier}"
        return 404, {"error": "Execution not found", "message": message}

    @staticmethod
    def status(execution):
        if execution.error is not None and execution.ended is not None:
            seconds = execution.ended - execution.begun
            return {"status": "error", "error": execution.error, "execution_time": seconds}
        if execution.ended is None:
            progress = {"completed_tasks": len(execution.done), "total_tasks": len(execution.plan)}
            task = execution.current["name"]
            return {"status": "running", "current_task": task, "progress": progress}
        tasks = [
            {
                "task_id": task["name"],
                "output": f"What {task['name']} found",
                "agent": task.get("agent", "Agent"),
                "execution_time": seconds,
            }
            for task, seconds, _ in execution.done
        ]
        return {
            "status": "completed",
            "result": {"output": output_of(execution), "tasks": tasks},
            "execution_time": execution.ended - execution.begun,
        }


class PlatformDialect:
    """The answers of live deployments, which name a `state`."""

    UNAUTHORIZED = {"detail": "Invalid or missing authentication credentials"}
    NOT_FOUND = {"detail": "Not Found"}
    BUSY = {"detail": "The queue is full"}
    MALFORMED = 422, {"detail": "Field required: inputs"}

    @staticmethod
    def invalid(message):
        return {"detail": message}

    @staticmethod
    def unknown(_identifier):
        words = "Task not found or Invalid kickoff id"
        return 200, {"state": "NOT FOUND", "status": words, "result": None, "progress": None}

    @staticmethod
    def status(execution):
        body = {"state": "PENDING", "status": None, "result": None, "result_json": None}
        body["last_executed_task"] = execution.done[-1][0]["name"] if execution.done else None
        body["progress"] = None
        if execution.begun is None:
            return body
        done, total = len(execution.done), len(execution.plan)
        body["progress"] = {
            "unit": "task",
            "completed": done,
            "total": total,
            "remaining": total - done,
            "current": None if done == total else execution.current["name"],
            "current_agent": None if done == total else execution.current.get("agent", "Agent"),
            "started_at": execution.stamp(execution.begun),
            "updated_at": execution.stamp(execution.ended or execution.crew.now()),
            "duration_seconds": (execution.ended or execution.crew.now()) - execution.begun,
        }
        body["state"] = "PAUSED" if execution.paused else "RUNNING"
        if execution.ended is not None:
            failed = execution.error is not None
            body["state"] = "FAILED" if failed else "SUCCESS"
            body["status"] = execution.error
            body["result"] = None if failed else output_of(execution)
        return body


def output_of(execution):
    return f"All about {execution.inputs.get('topic', 'nothing')}, in {len(execution.plan)} parts"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "stranger/2.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def setup(self):
        self.timeout = self.server.settings["keepAlive"]
        super().setup()

    def do_GET(self):
        self.handle_request()

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = do_GET

    def handle_request(self):
        server = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        server.warm_up()
        path = self.path.split("?")[0]
        headers = {}
        let_in = True
        if server.limiter is not None:
            let_in, headers = server.limiter.take(self.client_address[0], path)
        code, answer = self.answer(path, body) if let_in else (429, server.limiter.refusal())
        if code == 401:
            headers["WWW-Authenticate"] = "Bearer"
        server.seen.append((server.crew.now(), self.command, path, code))
        self.send(code, answer, headers)

    def answer(self, path, body):
        server, words = self.server, self.server.dialect
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or token not in server.settings["tokens"]:
            return 401, words.UNAUTHORIZED
        paths = server.settings["paths"]
        if self.command == "GET" and path == paths["inputs"]:
            return 200, {"inputs": server.inputs()}
        if self.command == "POST" and path == paths["kickoff"]:
            return self.kickoff(body)
        before, after = paths["status"].split("{id}")
        if self.command == "GET" and path.startswith(before) and path.endswith(after):
            identifier = path[len(before) : len(path) - len(after)]
            execution = server.crew.executions.get(identifier)
            person = server.settings["person"] or {}
            hidden = execution and execution.paused and person.get("shown") == "not found"
            if execution is None or hidden:
                return words.unknown(identifier)
            return 200, words.status(execution)
        return 404, words.NOT_FOUND

    def kickoff(self, body):
        server, words = self.server, self.server.dialect
        try:
            whole = json.loads(body)
            inputs = whole["inputs"]
            given = set(inputs.keys())
        except (ValueError, KeyError, TypeError, AttributeError):
            return words.MALFORMED
        lacking = sorted(set(server.settings["members"]) - set(whole.keys()))
        if lacking:
            return 422, words.invalid(f"Field required: {', '.join(lacking)}")
        missing = sorted(set(server.settings["required"]) - given)
        if missing:
            return 422, words.invalid(f"Missing inputs: {', '.join(missing)}")
        reserved = sorted(set(server.settings["reserved"]) & given)
        if reserved:
            return 422, words.invalid(f"Reserved: {', '.join(reserved)}")
        execution = server.crew.kickoff(inputs)
        return (503, words.BUSY) if execution is None else (200, {"kickoff_id": execution.id})

    def send(self, code, answer, headers):
        text = json.dumps(answer).encode()
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        if answer.get("result") is None or self.request_version == "HTTP/1.0":
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(text)
            return
        # Results are streamed, in two chunks.
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        half = len(text) // 2
        for part in (text[:half], text[half:]):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def send_error(self, code, message=None, explain=None):
        self.close_connection = True
        body = {"error": message or "Error", "message": explain or ""}
        self.send(code, body, {"Connection": "close"})

    def log_message(self, format, *args):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, settings):
        self.settings = settings
        self.dialect = {"interface": InterfaceDialect, "platform": PlatformDialect}[
            settings["dialect"]
        ]
        self.crew = Crew(settings)
        self.limiter = Limiter(settings["limit"]) if settings["limit"] else None
        self.warm = False
        self.warming = threading.Lock()
        self.seen = []
        super().__init__(("127.0.0.1", 0), Handler)

    def handle_error(self, request, client_address):
        """A client that closes its connection is no error of the server's."""

    def warm_up(self):
        with self.warming:
            if not self.warm:
                time.sleep(self.settings["firstCall"])
            self.warm = True

    def inputs(self):
        required = self.settings["required"]
        names = required + self.settings["optional"] + self.settings["reserved"]
        if not self.settings["described"]:
            return names
        return [{"name": name, "required": name in required} for name in names]

    def truth(self):
        executions = [execution.truth() for execution in list(self.crew.executions.values())]
        seen = [dict(zip(("at", "method", "path", "code"), line)) for line in list(self.seen)]
        workers = [{"at": at, "count": count} for at, count in list(self.crew.workers)]
        now = self.crew.now()
        return {"now": now, "executions": executions, "requests": seen, "workers": workers}


def main():
    given = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    unknown = sorted(set(given) - set(DEFAULTS))
    if unknown:
        sys.exit(f"stranger.py: unknown settings: {', '.join(unknown)}")
    server = Server({**DEFAULTS, **given})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    host, port = server.server_address[:2]
    print(json.dumps({"url": f"http://{host}:{port}"}), flush=True)
    for _ in sys.stdin:
        print(json.dumps(server.truth()), flush=True)


if __name__ == "__main__":
    main()
