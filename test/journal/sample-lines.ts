/** Lines as they are written, and what may be wrong with them. */
import * as fc from 'fast-check'

const columns = (answer: readonly (number | string)[]): Record<string, unknown> => ({
  dueMicros: answer.map((_, i) => i * 1_000),
  lateMicros: answer.map(() => 3),
  waitMicros: answer.map(() => 0),
  serviceMicros: answer.map(() => -1),
  answer,
  fresh: answer.map((_, i) => i % 2),
  retry: answer.map(() => 0),
})

const RECORD = {
  index: 7,
  instance: 1,
  kickoffId: 'a',
  dialect: 'interface',
  tags: { audience: 'children' },
  warmUp: false,
  outcome: 'completed',
  reason: null,
  intendedMicros: 1_000,
  sentMicros: 1_003,
  acceptedMicros: 2_000,
  endedMicros: 9_000,
  lastNotDoneSentMicros: null,
  firstDoneReceivedMicros: 9_000,
  kickoff: columns([503, 'timeout', 200]),
  polls: columns([200, 'not-json']),
  wastedPolls: 1,
  changes: [{ atMicros: 3, task: null, completed: 1, total: 2.5 }],
  reported: {
    executionTimeSeconds: null,
    tasks: [{ taskId: 't', agent: 'A', executionTimeSeconds: 0.5 }],
  },
  output: { bytes: 512, hash: 'a0bc7382' },
  checks: { 'says something': true, other: 'threw' },
  violations: [{ rule: 'kickoff-id', example: 'seen' }],
  resumed: false,
}

export const LINES: readonly Record<string, unknown>[] = [
  { type: 'started', index: 1, instance: 0, intendedMicros: 5, atMicros: 6 },
  {
    type: 'accepted',
    index: 1,
    instance: 0,
    kickoffId: 'x',
    atMicros: 9,
    kickoff: columns([200]),
  },
  { type: 'ended', record: RECORD },
  { type: 'ended', record: { ...RECORD, kickoffId: null, dialect: null, output: null, tags: {} } },
]

type Path = readonly (string | number)[]

/** Of every value inside. */
function pathsIn(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...at, key]))]
}

const ODD: readonly unknown[] = [
  undefined,
  null,
  true,
  0,
  1,
  -1,
  2,
  1.5,
  2 ** 60,
  Infinity,
  'text',
  'completed',
  'timeout',
  '',
  [],
  [1],
  {},
  { a: 1 },
]

/** A copy in which something else stands at the path, or a further key, or the keys turned. */
export function changed(
  line: unknown,
  path: Path,
  how: 'set' | 'add' | 'drop' | 'turn',
  odd: unknown,
) {
  const [key, ...rest] = path
  if (key !== undefined && (rest.length > 0 || how === 'set')) {
    const copy = (Array.isArray(line) ? [...(line as unknown[])] : { ...(line as object) }) as {
      [key: string]: unknown
    }
    copy[key] = rest.length > 0 ? changed(copy[key], rest, how, odd) : odd
    return copy
  }
  const entries = Object.entries(line ?? {})
  if (how === 'add') return Object.fromEntries([...entries, ['further', odd]])
  if (how === 'drop') return Object.fromEntries(entries.filter(([name]) => name !== key))
  return Object.fromEntries(entries.toReversed())
}

/** What may stand in place of a few characters of a line. */
export const piece = fc.oneof(
  fc.constantFrom('', '0', '-', '-0', '.', '1e3', '1.50', '9007199254740993', '\\', '"', ' '),
  fc.constantFrom('null', 'true', ',', '[', ']', '{', '}', ':', '\0', 'ä', '\u{1F41D}', '00'),
  fc.integer({ min: -10, max: 1e16 }).map(String),
  fc.double().map((value) => JSON.stringify(value)),
)

/** Any line, and one thing that is changed in it. */
export const anyChange = fc.record({
  one: fc.constantFrom(...LINES.flatMap((line) => pathsIn(line).map((path) => ({ line, path })))),
  how: fc.constantFrom('set', 'add', 'drop', 'turn' as const),
  odd: fc.constantFrom(...ODD),
})
