/**
 * Faults by chance: any kind, in any of its forms, at any time. Quantities are small: a run of them
 * lasts a second or two.
 */
import type { FaultExample } from '../../fake-crew/model/faults/definition.ts'
import type { FaultKindName } from '../../fake-crew/model/faults/kinds/list.ts'
import { FAULT_KINDS, FAULT_KIND_NAMES } from '../../fake-crew/model/faults/kinds/list.ts'
import type { Random } from '../../src/base/random.ts'

/** A fault as a profile's author writes it. */
export type WrittenFault = Readonly<Record<string, unknown>> & { name: string }

/** Of kinds that can strike `GET /inputs` too, which a run needs to begin. */
const SPARED = [['kickoff'], ['status'], ['kickoff', 'status']] as const

const BODIES = [
  '',
  'oops',
  '<h1>no</h1>',
  '{}',
  '[]',
  'null',
  '{"status":"running"}',
  '{"error":"no"}',
]
const CODES = [
  200, 201, 204, 301, 304, 400, 401, 403, 404, 408, 418, 422, 429, 500, 502, 503, 504, 529,
]

/** Up to six; now and then none at all. */
export function anyFaults(random: Random): WrittenFault[] {
  const count = random.fork('count').int(7)
  return Array.from({ length: count }, (_, i) => anyFault(random.fork('fault', i), i))
}

function anyFault(random: Random, number: number): WrittenFault {
  const kind = random.fork('kind').pick(FAULT_KIND_NAMES)
  const own = random.fork(kind)
  const name = `${kind} ${number}`
  const { reach } = FAULT_KINDS[kind]
  if (reach === 'connections')
    return { name, [kind]: parameters(kind, own), ...connectionTime(own) }
  const spared = reach.includes('inputs') ? { operations: own.pick(SPARED) } : {}
  return { name, [kind]: parameters(kind, own), ...spared, ...anyTime(own), ...anyShare(own) }
}

function parameters(kind: FaultKindName, random: Random): unknown {
  const form = FORMS[kind]
  if (form !== undefined) return form(random)
  const example = random.fork('example').pick<FaultExample>(FAULT_KINDS[kind].examples)
  return example[kind]
}

const doneOrNot = (random: Random) => ({ carriedOut: random.int(2) === 0 })
const partOfBody = (random: Random) => ({ share: random.pick([0, 0.5, 0.99]) })

/** Wider than the examples in a kind's definition, which stand for all others. */
const FORMS: Partial<Record<FaultKindName, (random: Random) => unknown>> = {
  status: (random) => ({
    code: random.pick(CODES),
    ...maybe(random, 'body', () => random.pick(BODIES)),
    ...maybe(random, 'headers', () => ({
      'retry-after': random.pick(['0', '1', 'soon', '-1']),
    })),
    carriedOut: random.int(2) === 0,
  }),
  latency: (random) => random.pick(['1ms', '30ms', { uniform: { min: 0, max: '300ms' } }]),
  reset: (random) =>
    random.pick([
      { at: 'before', carriedOut: false },
      { at: 'before' },
      { at: 'during' },
      { at: 'after' },
    ]),
  empty: doneOrNot,
  hang: doneOrNot,
  truncate: partOfBody,
  stall: partOfBody,
  contentType: (random) => random.pick(['text/html', 'application/xml', 'x']),
  drip: (random) => ({
    pieces: 1 + random.int(8),
    over: random.pick(['1ms', '40ms', '400ms']),
  }),
  closeIdle: (random) => ({ after: random.pick(['0s', '20ms']) }),
  notFound: (random) => ({
    for: random.pick(['10ms', '10m', { uniform: { min: 0, max: '200ms' } }]),
  }),
  backwards: (random) => ({ tasks: 1 + random.int(3) }),
  flip: (random) => ({ to: random.pick(['running', 'failed']) }),
  wrongId: (random) => ({ of: random.pick(['nobody', 'another']) }),
  restart: (random) => ({ loses: random.pick(['all', 'running', 'none']) }),
  denied: (random) => ({ why: random.pick(['revoked', 'expired']) }),
  clockSkew: (random) => random.pick([{ ahead: '1h' }, { behind: '10m' }]),
}

/** Not before the run has begun, and not for long: the truth is asked for over the same line. */
function connectionTime(random: Random): object {
  const on = { from: millis(50 + random.int(800)), for: millis(1 + random.int(150)) }
  return { window: random.int(3) === 0 ? { ...on, every: '700ms' } : on }
}

function anyTime(random: Random): object {
  const shape = random.fork('shape').int(4)
  if (shape === 0)
    return { window: { from: millis(random.int(800)), for: millis(1 + random.int(400)) } }
  if (shape === 1) return { window: { for: '100ms', every: millis(101 + random.int(400)) } }
  if (shape === 2) return { episodes: { off: { uniform: { min: 0, max: '300ms' } }, on: '100ms' } }
  return {}
}

function anyShare(random: Random): object {
  const shape = random.fork('share').int(4)
  if (shape === 0) return { chance: random.fork('chance').next() }
  if (shape === 1) return { nth: 1 + random.int(4) }
  if (shape === 2) return { first: 1 + random.int(6) }
  return {}
}

function maybe(random: Random, key: string, value: () => unknown): object {
  return random.fork(key).int(2) === 0 ? { [key]: value() } : {}
}

function millis(count: number): string {
  return `${count}ms`
}
