/**
 * A polling loop in Python that needs only its standard library; it obeys the `Retry-After` of a
 * refusal.
 */
import type { PollingPolicy } from '../../../scenario/polling/index.ts'
import { pollingWordsOf } from '../../../scenario/polling/schemas.ts'

/**
 * The function of the loop, `wait_for_end(base, token, execution)`, returns the last status answer.
 */
export function pythonLoop(
  policy: PollingPolicy,
  around: readonly [before: string, after: string],
): string {
  const [before, after] = around.map(inFString)
  return `import json
import random
import time
import urllib.error
import urllib.request
from calendar import timegm
from email.utils import parsedate


def next_wait(polls, previous, elapsed, completed):
    """Seconds until the next poll."""
${pollingWordsOf(policy).loop.python(policy)}


def seconds_asked(headers):
    """Retry-After: a number, or a date by the clock of the answer; 0 for none."""
    text = headers.get("Retry-After") or "0"
    if text.replace(".", "", 1).isdecimal():
        return float(text)
    until, now = parsedate(text), parsedate(headers.get("Date") or "")
    return timegm(until) - (timegm(now) if now else time.time()) if until else 0.0


def wait_for_end(base, token, execution, deadline=1800):
    accepted = time.monotonic()
    polls, previous, elapsed, completed, asked = 0, 0.0, 0.0, 0, 0.0
    while True:
        previous = max(next_wait(polls, previous, elapsed, completed), asked)
        if elapsed + previous >= deadline:
            raise TimeoutError("not done within the deadline")
        time.sleep(previous)
        request = urllib.request.Request(
            f"{base}${before}{execution}${after}", headers={"Authorization": f"Bearer {token}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                asked, answer = 0.0, json.load(response)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise
            asked = seconds_asked(error.headers)
            answer = {}
        polls += 1
        elapsed = time.monotonic() - accepted
        state = str(answer.get("state") or answer.get("status")).upper()
        if state in ("COMPLETED", "ERROR", "SUCCESS", "FAILED", "REVOKED"):
            return answer
        progress = answer.get("progress") or {}
        completed = progress.get("completed_tasks", progress.get("completed")) or completed
`
}

function inFString(text: string): string {
  return text.replace(/[\\"]/g, String.raw`\$&`).replace(/[{}]/g, '$&$&')
}
