"""The client under test: yours does more. wait(seconds) returns when this time is over."""
import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def ask(url, token, body=None):
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(url, data, headers)) as answer:
            return answer.status, answer.headers, answer.read()
    except HTTPError as refusal:
        return refusal.code, refusal.headers, refusal.read()


def run_crew(url, token, inputs, wait, deadline=60):
    status, headers, text = ask(f"{url}/kickoff", token, {"inputs": inputs})
    if status in (429, 503):
        wait(int(headers.get("retry-after", 1)))
        status, _, text = ask(f"{url}/kickoff", token, {"inputs": inputs})
    if status != 200:
        raise RuntimeError(f"kickoff: {status}")
    kickoff_id = json.loads(text)["kickoff_id"]
    for _ in range(deadline):
        wait(1)
        status, _, text = ask(f"{url}/status/{kickoff_id}", token)
        if status == 401:
            raise RuntimeError("the token is not valid any more")
        try:
            told = json.loads(text)
        except ValueError:
            continue
        if told.get("status") == "completed":
            return told
        if told.get("status") == "error":
            raise RuntimeError(told["error"])
    raise RuntimeError("gave up")
