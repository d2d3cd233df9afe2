"""A fake crew for pytest, with a clock that only advance() moves: a fixture for all tests."""
import json, subprocess
from urllib.parse import urlencode
from urllib.request import Request, urlopen
import pytest

START = "npx --no crewload fake --profile crew.yaml --clock manual --json --with-parent".split()

class FakeCrew:
    def __init__(self):
        self.process = subprocess.Popen(START, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        started = json.loads(line or pytest.fail("the fake crew did not start", pytrace=False))
        self.url, self.token = started["url"], started["token"]

    def control(self, path, body=None, method=None):
        data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
        with urlopen(Request(f"{self.url}/__fake__/{path}", data, method=method)) as answer:
            return [json.loads(line) for line in answer if line.strip()]

    def fault(self, **fault): self.control("faults", fault)
    def advance(self, seconds): self.control("clock/advance", f"{seconds}s")
    def requests(self, **values): return self.control(f"requests?{urlencode(values)}")
    def ledger(self): return self.control("ledger")

@pytest.fixture(scope="session")
def started():
    fake = FakeCrew()
    yield fake
    fake.process.terminate()

@pytest.fixture
def crew(started):
    started.control("reset", method="POST")
    return started
