/** Short loops that poll by a strategy, to be pasted into a client. */
import { DOCUMENTED_PATHS, ID_PLACE } from '../../crew/crew-request.ts'
import type { PollingPolicy } from '../../scenario/polling/index.ts'
import { pollingWordsOf } from '../../scenario/polling/schemas.ts'

interface Loops {
  typescript: string
  python: string
}

/** `path`: of a status, with `{id}` in the place of the kickoff id. */
export function loopsOf(policy: PollingPolicy, path = DOCUMENTED_PATHS.status): Loops {
  const around = path.split(ID_PLACE) as [before: string, after: string]
  return { typescript: typescriptLoop(policy, around), python: pythonLoop(policy, around) }
}

/**
 * The function of the loop, `wait_for_end(base, token, execution)`, returns the last status answer.
 */
function pythonLoop(
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

function inFString(written: string): string {
  return written.replace(/[\\"]/g, String.raw`\$&`).replace(/[{}]/g, '$&$&')
}

/**
 * The function of the loop, `waitForEnd(base, token, id)`, resolves with the last status answer.
 */
function typescriptLoop(
  policy: PollingPolicy,
  around: readonly [before: string, after: string],
): string {
  const [before, after] = around.map(inTemplate)
  return `type Pace = { polls: number; previous: number; elapsed: number; completed: number }

/** Seconds until the next poll. */
function nextWait({ polls, previous, elapsed, completed }: Pace): number {
${pollingWordsOf(policy).loop.typescript(policy)}
}

/** Retry-After: a number, or a date by the clock of the answer; 0 for none. */
function secondsAsked(headers: Headers): number {
  const text = headers.get('retry-after') ?? '0'
  if (Number.isFinite(Number(text))) return Number(text)
  const now = Date.parse(headers.get('date') ?? '') || Date.now()
  return (Date.parse(text) - now) / 1000 || 0
}

export async function waitForEnd(base: string, token: string, id: string, deadline = 1800) {
  const accepted = performance.now()
  const pace: Pace = { polls: 0, previous: 0, elapsed: 0, completed: 0 }
  let asked = 0
  for (;;) {
    pace.previous = Math.max(nextWait(pace), asked)
    if (pace.elapsed + pace.previous >= deadline) throw new Error('not done within the deadline')
    await new Promise((resolve) => setTimeout(resolve, pace.previous * 1000))
    const response = await fetch(\`\${base}${before}\${id}${after}\`, {
      headers: { authorization: \`Bearer \${token}\` },
      signal: AbortSignal.timeout(30_000),
    })
    pace.polls++
    pace.elapsed = (performance.now() - accepted) / 1000
    asked = 0
    if (response.status === 429 || response.status === 503) {
      asked = secondsAsked(response.headers)
      await response.text() // the next poll can use the connection only once the body is read
      continue
    }
    if (!response.ok) throw new Error(\`status \${response.status}: \${await response.text()}\`)
    const answer = await response.json()
    const state = String(answer.state ?? answer.status).toUpperCase()
    if (['COMPLETED', 'ERROR', 'SUCCESS', 'FAILED', 'REVOKED'].includes(state)) return answer
    pace.completed = answer.progress?.completed_tasks ?? answer.progress?.completed ?? pace.completed
  }
}
`
}

function inTemplate(written: string): string {
  return written.replace(/[\\`$]/g, String.raw`\$&`)
}
