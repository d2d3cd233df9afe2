/**
 * A polling loop in TypeScript that needs only `fetch`; it obeys the `Retry-After` of a refusal.
 */
import type { PollingPolicy } from '../../../scenario/polling/index.ts'
import { pollingWordsOf } from '../../../scenario/polling/schemas.ts'

/**
 * The function of the loop, `waitForEnd(base, token, id)`, resolves with the last status answer.
 */
export function typescriptLoop(
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

function inTemplate(text: string): string {
  return text.replace(/[\\`$]/g, String.raw`\$&`)
}
