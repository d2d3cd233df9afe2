/**
 * Result documents of every kind, each of a run in virtual time from a seed: the same on every
 * machine.
 */
import type { ResultDocument } from '../../../src/result/document.ts'
import type { VirtualRun } from '../../support/virtual-run.ts'
import { madeOnce } from '../../support/samples.ts'
import { virtualRun } from '../../support/virtual-run.ts'
import { reasonOf } from '../../../src/result/sentence-tables.ts'
import type { RunReason } from '../../../src/result/sentences/reasons.ts'
import { REASONS } from '../../../src/result/sentences/reasons.ts'

const tasks = (failureChance: string): string => `
tasks:
  - { id: research, agent: Researcher, duration: { lognormal: { median: 20s, p95: 54s } } }
  - { id: analysis, agent: Analyst, duration: { lognormal: { median: 20s, p95: 54s } } }
  - id: report
    agent: Writer
    duration: { lognormal: { median: 20s, p95: 54s } }
    failure: { chance: ${failureChance}, message: the model gave no answer }
    output: 4kB
capacity: { workers: 4 }
http:
  latency:
    kickoff: { lognormal: { median: 2ms, p95: 5ms } }
    status: { lognormal: { median: 2ms, p95: 5ms } }
`

const STEADY = tasks('2.2%')

const REFUSING = `${STEADY}
faults: [{ name: closed, status: { code: 401 }, operations: [kickoff] }]`

/** Outages, a restart, faults by chance and limits: everything that a report has to tell of. */
const ROUGH = `${tasks('15%')}
stuck: 2%
limits:
  rules:
    - { name: polls, operations: [status], tokenBucket: { rate: 40/m, capacity: 40 } }
    - { name: kickoffs, operations: [kickoff], tokenBucket: { rate: 4/m, capacity: 2 } }
faults:
  - name: outage
    status: { code: 503 }
    operations: [status]
    window: { from: 30m, for: 3m, every: 50m }
  - { name: restart, restart: { loses: running }, window: { from: 60m, for: 1s } }
  - { name: bad gateway, status: { code: 502 }, operations: [status], chance: 3% }
  - { name: hidden, status: { code: 500, carriedOut: true }, operations: [kickoff], chance: 3% }
  - { name: slow, latency: 3s, operations: [kickoff, status], chance: 3% }
  - { name: truncated, truncate: {}, operations: [status], chance: 1% }
  - { name: malformed, malformed: {}, operations: [status], chance: 1% }
  - { name: hang, hang: {}, operations: [status], chance: 0.5% }
  - { name: backwards, backwards: {}, chance: 5% }
  - { name: swapped, swap: {}, chance: 3% }
  - { name: teapot, status: { code: 418 }, operations: [status], chance: 1% }
`

const SCENARIO = {
  name: 'steady',
  description: 'Two kickoffs a minute for three hours',
  arrivals: { rate: '2/m', for: '3h', process: 'poisson' },
  inputs: ({ index }) => ({ topic: `topic ${index}.` }),
  polling: { exponential: { initial: '2s', factor: 1.5, max: '15s' } },
  deadline: '15m',
  checks: {
    'mentions the topic': ({ inputs, output }) => output.includes(String(inputs['topic'])),
  },
  thresholds: {
    'kickoff.response.p95': '< 500ms',
    'execution.p95': '< 10m',
    'execution.failed': '< 10%',
  },
} satisfies VirtualRun['scenario']

/** `name`: of the sample, among those of all tests. */
async function made(
  name: string,
  crew: string,
  changes: VirtualRun['scenario'] = {},
): Promise<() => ResultDocument> {
  const scenario = { ...SCENARIO, ...changes }
  const document = await madeOnce(name, async () => virtualRun({ seed: 42, crew, scenario }))
  const own = {
    place: {
      kind: 'fake' as const,
      profile: 'default',
      target: 'http://127.0.0.1:41377',
      own: true,
    },
    engine: 'node' as const,
    network: null,
    command: 'crewload run steady --profile default --seed 42',
    node: 'v20.19.0',
  }
  return () => {
    const { run, ...rest } = document()
    return { ...rest, run: { ...run, ...own } }
  }
}

/** Two arrivals a minute for three hours, all completed or failed, valid and passed. */
export const steadyDocument = await made('run-steady', STEADY)

/** Seconds long, 5 executions: too few for most quantiles. */
export const tinyDocument = await made('run-tiny', STEADY, {
  arrivals: { rate: '2/m', for: '150s' },
})

/** Nothing arrived, nothing was measured. */
export const emptyDocument = await made('run-empty', STEADY, {
  arrivals: { rate: '1/h', for: '1s', process: 'poisson' },
})

/** No arrival was let in. */
export const rejectedDocument = await made('run-rejected', REFUSING, {
  arrivals: { rate: '2/m', for: '20m' },
})

/**
 * Missed thresholds, contract violations, failed checks, a ledger that disagrees, unfinished
 * executions, eleven faults, limits that were met, and a retry budget that was spent.
 */
export const failingDocument = await made('run-failing', ROUGH, {
  arrivals: { rate: '2/m', for: '2h', process: 'poisson' },
  retry: { kickoff: 2, budget: { ratio: '10%' } },
  circuit: 'off',
})

/** One of four instances was killed. */
export function severalDocument(): ResultDocument {
  const none = { numbers: [], count: 0, of: 4 }
  const reason = reasonOf(REASONS, 'records', {
    missing: none,
    beheaded: none,
    unfinished: { numbers: [3], count: 1, of: 4 },
    open: 12,
    uneven: [],
    unevenMore: 0,
    isOwnCrew: false,
  })
  const again = { ...reason, remedy: 'run again' }
  const { run, generator, ...rest } = invalidated(steadyDocument(), again, 373)
  const [one] = generator.instances
  const instances = [3, 0, 1, 2].map((instance) =>
    Object.assign({}, one, { instance, finished: instance !== 3 }),
  )
  return {
    ...rest,
    run: { ...run, engine: 'k6', instances: 4, stopped: 'crashed' },
    generator: { ...generator, instances },
  }
}

/** The generator was late: nothing of it may be trusted. */
export function invalidDocument(): ResultDocument {
  const late = { numbers: [0], count: 1, of: 1 }
  const reason = reasonOf(REASONS, 'lateness', { p99Ms: 38, boundMs: 5, basis: null, late })
  const message = 'the generator was late: p99 38 ms, bound 5 ms'
  const remedy = 'lower the rate or use several k6 processes'
  return invalidated(steadyDocument(), { ...reason, message, remedy }, 38)
}

/** One check of the generator failed, for this reason. */
function invalidated(
  document: ResultDocument,
  reason: RunReason,
  measured: number,
): ResultDocument {
  const checks = document.generator.checks.map((check) =>
    check.name === reason.code ? { ...check, ok: false, measured } : check,
  )
  return {
    ...document,
    verdict: { outcome: 'invalid', valid: false, problems: 0, reasons: [reason] },
    generator: { ...document.generator, checks },
  }
}

const HOSTILE = '<script>alert("x")</script>\' onload=\u001B[31m `|` & ]]> \u202E@all'

/** Every foreign text is an attack. */
export function hostileDocument(): ResultDocument {
  const { verdict, ...base } = failingDocument()
  const reasons = [...verdict.reasons, { code: 'interrupted', message: '', remedy: '' }]
  const { checks } = base.generator
  const hostile = JSON.parse(
    JSON.stringify({ ...base, verdict: { ...verdict, reasons } }, (key, value: unknown) =>
      typeof value === 'string' && FOREIGN.has(key) ? HOSTILE : value,
    ),
  ) as ResultDocument
  // Their names are codes, and come from no target.
  return { ...hostile, generator: { ...hostile.generator, checks } }
}

const FOREIGN = new Set(
  (
    'scenario description target profile command message remedy reason seen name example detail ' +
    'kickoffId task taskId task_id rule source class metric text hint bound'
  ).split(' '),
)
