/** Targets that refuse otherwise than with a plain 429, over sockets. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { conducting } from '../../../../src/study/limits/conduct/conduct.ts'
import type { LimitsDocument } from '../../../../src/study/limits/document.ts'
import { limits } from '../../../../src/study/limits/study.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import type { Answers } from '../../../support/targets/loopback.ts'
import { startedStub } from '../../../support/targets/loopback.ts'

const LIMIT = 6
const WINDOW_MS = 1_000
const HTML = '<!DOCTYPE html>\n<title>429</title><h1>Slow down</h1>'
const JSON_TYPE = { 'content-type': 'application/json' }

function letIn(_: unknown, response: ServerResponse): void {
  response.writeHead(200, JSON_TYPE).end('{"inputs":["topic"]}')
}

function forbidding(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.authorization === 'Bearer two') response.writeHead(403).end()
  else letIn(request, response)
}

/** Each token has a window of its own, which begins with its first request. */
function limited(refuse: Answers): Answers {
  const windows = new Map<string, { beganMs: number; count: number }>()
  return (request, response) => {
    const token = request.headers.authorization ?? ''
    const nowMs = performance.now()
    const known = windows.get(token)
    const isOpen = known !== undefined && nowMs < known.beganMs + WINDOW_MS
    const window = isOpen ? known : { beganMs: nowMs, count: 0 }
    windows.set(token, window)
    if (++window.count <= LIMIT) letIn(request, response)
    else refuse(request, response)
  }
}

async function studied(
  answering: Answers,
  tokens: readonly string[] = ['one'],
  from: { tokensFrom?: string } = {},
): Promise<LimitsDocument> {
  await using stub = await startedStub(answering)
  const { document } = await conductStudy(conducting, {
    operations: ['inputs'],
    maxRequests: 90,
    sustainMs: 0,
    out: false,
    run: { target: stub.url, tokens, ...from },
  })
  // A request that is no evidence would begin a window that the study knows nothing of.
  expect(stub.paths.lastIndexOf('/inputs')).toBe(document.requests - 1)
  return document
}

function told(document: LimitsDocument): string {
  return JSON.stringify(limits.report(document)).replaceAll('\\"', "'")
}

test.each([
  {
    name: '503 with Retry-After',
    answer: [503, { ...JSON_TYPE, 'retry-after': '1' }, '{}'] as const,
    refusal: { status: 503, retryAfterMs: 1_000, body: '{}' },
    words: 'status 503, Retry-After 1.00 s',
  },
  {
    name: '429 with a page for people',
    answer: [429, { 'content-type': 'text/html', 'retry-after': '1' }, HTML] as const,
    refusal: { status: 429, retryAfterMs: 1_000 },
    words: "it says '<!DOCTYPE html>",
  },
  {
    name: '429 and nothing else',
    answer: [429, {}, ''] as const,
    refusal: { status: 429, retryAfterMs: null, body: '', headers: {} },
    words: 'status 429, without Retry-After',
  },
])('$name is a refusal', { timeout: 60_000 }, async ({ answer, refusal, words }) => {
  const [status, headers, body] = answer
  const document = await studied(
    limited((_, response) => void response.writeHead(status, headers).end(body)),
  )
  const inputs = document.operations.inputs!
  expect(inputs.refusal).toMatchObject(refusal)
  expect(inputs.failures).toEqual([])
  // On a busy machine the window may not be known; what is claimed of it is true.
  const claimed = inputs.outcome === 'settled' ? (inputs.limit ?? inputs.capacity)?.value : LIMIT
  expect(claimed).toBe(LIMIT)
  expect(told(document)).toContain(words)
})

test('500 under load is no limit, and told as what it is', { timeout: 60_000 }, async () => {
  let inFlight = 0
  const document = await studied((request, response) => {
    const isBusy = ++inFlight > 5
    setTimeout(() => {
      inFlight--
      if (isBusy) response.writeHead(500, JSON_TYPE).end('{}')
      else letIn(request, response)
    }, 30)
  })
  const inputs = document.operations.inputs!
  expect(inputs).toMatchObject({ kind: 'unknown', outcome: 'target-fails', refusal: null })
  expect(inputs.failures).toEqual([{ status: 500, requests: expect.any(Number) as number }])
  expect(document.settings).toBeNull()
  expect(told(document)).toContain('500 for ')
})

test('a second token that may not ask is named, and is not the first', async () => {
  await expect(studied(forbidding, ['one', 'two'])).rejects.toThrow(/refused our token 2 of 2/)
  const from = { tokensFrom: '--token-command' }
  const advised = studied(forbidding, ['two'], from)
  await expect(advised).rejects.toThrow('; give a valid one: --token-command (found 403)')
})

test(
  'what a second token may no longer ask says nothing of who shares a limit',
  { timeout: 60_000 },
  async () => {
    let greeted = false
    const answering = limited((_, response) => void response.writeHead(429).end())
    const document = await studied(
      (request, response) => {
        const isSecond = request.headers.authorization === 'Bearer two'
        if (isSecond && greeted) response.writeHead(403).end()
        else answering(request, response)
        greeted ||= isSecond
      },
      ['one', 'two'],
    )
    expect(document.operations.inputs!.scope.token).toBeNull()
  },
)
