/** A polling loop in Python that needs only its standard library; it obeys `Retry-After`. */
import { unreachable } from '../../../base/assert.ts'
import { JITTER_FLOOR_MICROS } from '../../../scenario/backoff.ts'
import type { ExponentialPolling } from '../../../scenario/polling/exponential.ts'
import type { PollingPolicy } from '../../../scenario/polling/index.ts'
import { seconds } from './typescript.ts'

/** `wait_for_end(base, token, execution)` returns the last status answer. */
export function pythonLoop(policy: PollingPolicy): string {
  return `import json
import random
import time
import urllib.error
import urllib.request


def next_wait(polls, previous, elapsed, completed):
    """Seconds until the next poll."""
${bodyOf(policy)}


def wait_for_end(base, token, execution, deadline=1800):
    accepted = time.monotonic()
    polls, previous, elapsed, completed, asked = 0, 0.0, 0.0, 0, 0.0
    while True:
        previous = max(next_wait(polls, previous, elapsed, completed), asked)
        if elapsed + previous >= deadline:
            raise TimeoutError("not done within the deadline")
        time.sleep(previous)
        request = urllib.request.Request(
            f"{base}/status/{execution}", headers={"Authorization": f"Bearer {token}"}
        )
        asked = 0.0
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                answer = json.load(response)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise
            retry_after = error.headers.get("Retry-After", "")
            asked = float(retry_after) if retry_after.isdigit() else 0.0
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

function bodyOf(policy: PollingPolicy): string {
  switch (policy.kind) {
    case 'fixed': {
      const { everyMicros, initialDelayMicros } = policy
      if (everyMicros === initialDelayMicros) return `    return ${seconds(everyMicros)}`
      return `    return ${seconds(initialDelayMicros)} if polls == 0 else ${seconds(everyMicros)}`
    }
    case 'schedule': {
      const waits = policy.intervalsMicros.map(seconds)
      return `    waits = [${waits.join(', ')}]\n    return waits[min(polls, len(waits) - 1)]`
    }
    case 'exponential':
      return exponentialBody(policy)
    case 'progress': {
      const { minMicros, maxMicros, pollsPerTask } = policy
      return `    task = elapsed / max(1, completed)\n    return max(${seconds(minMicros)}, min(${seconds(maxMicros)}, task / ${pollsPerTask}))`
    }
    default:
      return unreachable(policy)
  }
}

function exponentialBody({ initialMicros, factor, maxMicros, jitter }: ExponentialPolling): string {
  const [initial, max] = [seconds(initialMicros), seconds(maxMicros)]
  const base = `    base = min(${max}, ${initial} * ${factor} ** min(polls, 100))`
  switch (jitter) {
    case 'none':
      return `${base}\n    return base`
    case 'full':
      return `${base}\n    return max(${seconds(JITTER_FLOOR_MICROS)}, base * random.random())`
    case 'equal':
      return `${base}\n    return base / 2 * (1 + random.random())`
    case 'decorrelated':
      return `    top = 3 * max(previous, ${initial})\n    return min(${max}, ${initial} + (top - ${initial}) * random.random())`
    default:
      return unreachable(jitter)
  }
}
