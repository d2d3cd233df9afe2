/** A study ends in its time, whatever the target does, with what it knows. */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { conducting } from '../../../../src/study/limits/conduct/conduct.ts'
import type { LimitsDocument } from '../../../../src/study/limits/document.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { startedStub } from '../../../support/targets/loopback.ts'

type Answer = (response: ServerResponse) => void

/** `GET /inputs` answers at once, and /status so many times before it does what is given. */
async function studied(
  good: number,
  then: Answer,
): Promise<{ document: LimitsDocument; ms: number }> {
  let asked = 0
  await using stub = await startedStub((request, response) => {
    const isStatus = request.url?.startsWith('/status/') === true
    if (isStatus && asked++ >= good) return then(response)
    response.setHeader('content-type', 'application/json')
    response.end(
      isStatus ? '{"status":"running","progress":{"completed_tasks":0}}' : '{"inputs":[]}',
    )
  })
  const begun = performance.now()
  const { document } = await conductStudy(conducting, {
    kickoffId: 'known',
    operations: ['status'],
    maxDurationMs: 1_500,
    out: false,
    run: { target: stub.url },
  })
  return { document, ms: performance.now() - begun }
}

async function drip(response: ServerResponse): Promise<void> {
  response.setHeader('content-length', 1_000)
  for (let i = 0; i < 60 && response.writable; i++) {
    response.write(' ')
    await sleep(100)
  }
}

function refuse(retryAfter: string): Answer {
  return (response) => {
    response.writeHead(429, { 'retry-after': retryAfter })
    response.end()
  }
}

const ANSWERS: [string, number, Answer][] = [
  ['mute', 0, () => {}],
  ['mute after a few answers', 5, () => {}],
  ['answers byte by byte', 0, (response) => void drip(response)],
  ['asks to wait for ever', 0, refuse('1000000000000')],
  ['refuses for ever, without a word', 7, (response) => void response.writeHead(503).end()],
]

test.each(ANSWERS)('a target that is %s', async (_, good, then) => {
  const { document, ms } = await studied(good, then)
  expect(ms).toBeLessThan(6_000)
  expect(document.verdict.outcome).toBe('cannot-tell')
  expect(document.operations.status?.outcome ?? 'time-spent').toMatch(/^(time-spent|blocked)$/)
  const { remedy } = document.verdict.reasons[0]!
  expect(remedy).toContain('--max-duration')
})
