/** A polling loop in TypeScript that needs only `fetch`; it obeys `Retry-After`. */
import { unreachable } from '../../../base/assert.ts'
import { MICROS_PER_SECOND } from '../../../base/units.ts'
import type { Micros } from '../../../base/units.ts'
import { JITTER_FLOOR_MICROS } from '../../../scenario/backoff.ts'
import type { ExponentialPolling } from '../../../scenario/polling/exponential.ts'
import type { PollingPolicy } from '../../../scenario/polling/index.ts'

/** `waitForEnd(base, token, id)` resolves with the last status answer. */
export function typescriptLoop(policy: PollingPolicy): string {
  return `type Pace = { polls: number; previous: number; elapsed: number; completed: number }

/** Seconds until the next poll. */
function nextWait({ polls, previous, elapsed, completed }: Pace): number {
${bodyOf(policy)}
}

export async function waitForEnd(base: string, token: string, id: string, deadline = 1800) {
  const accepted = performance.now()
  const pace: Pace = { polls: 0, previous: 0, elapsed: 0, completed: 0 }
  let asked = 0
  for (;;) {
    pace.previous = Math.max(nextWait(pace), asked)
    if (pace.elapsed + pace.previous >= deadline) throw new Error('not done within the deadline')
    await new Promise((resolve) => setTimeout(resolve, pace.previous * 1000))
    const response = await fetch(\`\${base}/status/\${id}\`, {
      headers: { authorization: \`Bearer \${token}\` },
    })
    pace.polls++
    pace.elapsed = (performance.now() - accepted) / 1000
    asked = Number(response.headers.get('retry-after')) || 0
    if (response.status === 429 || response.status === 503) continue
    if (!response.ok) throw new Error(\`status \${response.status}: \${await response.text()}\`)
    const answer = await response.json()
    const state = String(answer.state ?? answer.status).toUpperCase()
    if (['COMPLETED', 'ERROR', 'SUCCESS', 'FAILED', 'REVOKED'].includes(state)) return answer
    pace.completed = answer.progress?.completed_tasks ?? answer.progress?.completed ?? pace.completed
  }
}
`
}

function bodyOf(policy: PollingPolicy): string {
  switch (policy.kind) {
    case 'fixed': {
      const { everyMicros, initialDelayMicros } = policy
      if (everyMicros === initialDelayMicros) return `  return ${seconds(everyMicros)}`
      return `  return polls === 0 ? ${seconds(initialDelayMicros)} : ${seconds(everyMicros)}`
    }
    case 'schedule': {
      const intervals = policy.intervalsMicros.map(seconds)
      return `  const waits = [${intervals.join(', ')}]\n  return waits[Math.min(polls, waits.length - 1)]!`
    }
    case 'exponential':
      return exponentialBody(policy)
    case 'progress': {
      const { minMicros, maxMicros, pollsPerTask } = policy
      return `  const task = elapsed / Math.max(1, completed)\n  return Math.max(${seconds(minMicros)}, Math.min(${seconds(maxMicros)}, task / ${pollsPerTask}))`
    }
    default:
      return unreachable(policy)
  }
}

function exponentialBody({ initialMicros, factor, maxMicros, jitter }: ExponentialPolling): string {
  const [initial, max] = [seconds(initialMicros), seconds(maxMicros)]
  const base = `  const base = Math.min(${max}, ${initial} * ${factor} ** polls)`
  switch (jitter) {
    case 'none':
      return `${base}\n  return base`
    case 'full':
      return `${base}\n  return Math.max(${seconds(JITTER_FLOOR_MICROS)}, base * Math.random())`
    case 'equal':
      return `${base}\n  return (base / 2) * (1 + Math.random())`
    case 'decorrelated':
      return `  const top = 3 * Math.max(previous, ${initial})\n  return Math.min(${max}, ${initial} + (top - ${initial}) * Math.random())`
    default:
      return unreachable(jitter)
  }
}

/** A number of seconds in code: whole microseconds are exact. */
export function seconds(micros: Micros): string {
  return String(micros / MICROS_PER_SECOND)
}
