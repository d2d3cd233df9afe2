/** The circuit by itself: which answers count, and when it opens. */
import { expect, test } from 'vitest'
import type { Answer, FailureClass } from '../../src/crew/answer.ts'
import { createRandom } from '../../src/base/random.ts'
import { CircuitBreaker } from '../../src/scenario/circuit.ts'

const SECOND = 1_000_000
const POLICY = { afterMicros: 30 * SECOND, requests: 3 }

function timing(atMicros: number) {
  const sentMicros = atMicros - 1_000
  return { releasedMicros: sentMicros, sentMicros, doneMicros: atMicros, newConnection: false }
}

function status(
  code: number,
  atSeconds: number,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const rest = { headers, body: '', timing: timing(atSeconds * SECOND) }
  return { kind: 'answer', status: code, ...rest }
}

function failure(name: FailureClass, atSeconds: number, written = true): Answer {
  const rest = { detail: '', written, status: null, timing: timing(atSeconds * SECOND) }
  return { kind: 'failure', class: name, ...rest }
}

function opensAfter(...answers: Answer[]): boolean {
  const circuit = new CircuitBreaker(POLICY)
  return answers.map((answer) => circuit.heard('status', answer)).at(-1) === true
}

test('it opens with the answer that makes the time and the number full, and once', () => {
  const circuit = new CircuitBreaker(POLICY)
  const heard = [10, 20, 39.9, 40, 50].map((at) => circuit.heard('status', status(502, at)))
  expect(heard).toEqual([false, false, false, true, false])
  expect(circuit.loss).toEqual({
    state: 'dead',
    scope: 'everything',
    sinceMicros: 10 * SECOND,
    untilMicros: 40 * SECOND,
    requests: 4,
    first: 502,
    last: 502,
  })
})

test.each<[string, boolean, Answer]>([
  ['200', false, status(200, 20)],
  ['404', false, status(404, 20)],
  ['429', false, status(429, 20)],
  ['a body over our limit', false, failure('too-large', 20)],
  ['500', true, status(500, 20)],
  ['529', true, status(529, 20)],
  ['401', true, status(401, 20)],
  ['a reset', true, failure('reset', 20)],
  ['half an answer', true, failure('truncated', 20)],
  ['no name', true, failure('dns', 20, false)],
  ['a time-out', true, failure('timeout', 20)],
])('in a row of failures, %s', (_, opens, between) => {
  expect(opensAfter(status(500, 0), between, status(500, 40))).toBe(opens)
})

test.each<[string, Answer]>([
  ['what we gave up', failure('cancelled', 20)],
  ['what had no connection free', failure('timeout', 20, false)],
])('%s neither counts nor ends a row', (_, ours) => {
  expect(opensAfter(status(500, 0), ours, status(500, 40))).toBe(false)
  expect(opensAfter(status(500, 0), ours, status(500, 20), status(500, 40))).toBe(true)
})

test('only refusals, and nothing else, are a refusal of us', () => {
  const circuit = new CircuitBreaker(POLICY)
  for (const at of [0, 20, 40]) circuit.heard('kickoff', status(at === 20 ? 403 : 401, at))
  expect(circuit.loss).toMatchObject({ state: 'refused', first: 401, last: 401 })
  const mixed = new CircuitBreaker(POLICY)
  for (const at of [0, 20, 40]) mixed.heard('kickoff', status(at === 20 ? 500 : 401, at))
  expect(mixed.loss).toMatchObject({ state: 'dead' })
})

test('a limit that says 403 and asks for a wait is no refusal of us', () => {
  const limited = (at: number): Answer => status(403, at, { 'retry-after': '60' })
  expect(opensAfter(limited(0), limited(20), limited(40))).toBe(false)
  expect(opensAfter(status(500, 0), limited(20), status(500, 40))).toBe(false)
})

test.each([503, 529])(
  'a crew that is full for kickoffs alone, in the word %i, is not dead',
  (code) => {
    const circuit = new CircuitBreaker(POLICY)
    for (const at of [0, 20, 40, 60]) {
      circuit.heard('kickoff', status(code, at))
      circuit.heard('status', status(200, at + 1))
    }
    expect(circuit.loss).toBeNull()
  },
)

/**
 * Whether it has opened after so many answers, ten seconds apart, of which `isBad` tells the bad
 * ones.
 */
function opensIn(answers: number, isBad: (number: number) => boolean): boolean {
  const circuit = new CircuitBreaker({ afterMicros: 30 * SECOND, requests: 10 })
  for (let i = 0; i < answers; i++) {
    const at = i * 10
    circuit.heard('status', isBad(i) ? failure('truncated', at) : status(200, at))
  }
  return circuit.loss !== null
}

test('a crew whose answers fail by chance is not dead, and one that dies after it is', () => {
  const random = createRandom(1).fork('answers')
  const failing = Array.from({ length: 50_000 }, () => random.next() < 0.4)
  expect(opensIn(50_000, (i) => failing[i]!)).toBe(false)
  expect(opensIn(50_025, (i) => failing[i] ?? true)).toBe(true)
})

test.each([
  ['are not dead by themselves while polls fail too', 500, false],
  ['are dead while polls are answered', 200, true],
])('kickoffs %s', (_, pollBefore, opens) => {
  const circuit = new CircuitBreaker(POLICY)
  for (let at = 0; at < 200; at += 20) {
    circuit.heard('status', status(pollBefore, at))
    circuit.heard('kickoff', status(500, at + 1))
    circuit.heard('status', status(200, at + 2))
  }
  expect(circuit.loss !== null).toBe(opens)
})

test('where nothing failed before, ten bad answers are enough', () => {
  expect(opensIn(110, (i) => i >= 100)).toBe(true)
  expect(opensIn(109, (i) => i >= 100)).toBe(false)
})
