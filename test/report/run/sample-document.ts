/**
 * Plausible result documents of every kind, from a seed: the reports' tests and whoever looks at
 * the page draw from here.
 */
import { plural } from '../../../src/report/frame/format.ts'
import type { ResultDocument } from '../../../src/result/document.ts'
import { createRandom } from '../../../src/base/random.ts'
import { simulate } from './sample-executions.ts'
import { instanceOf } from './sample-instances.ts'
import {
  breakdownOf,
  distributionsOf,
  errorCount,
  generatorChecks,
  metricsOf,
  outcomesOf,
  samplesOf,
  sum,
  thresholdsOf,
} from './sample-numbers.ts'
import { calmOf, faultsOf, RECOVERIES, roughOf } from './sample-disturbances.ts'
import { seriesOf } from './sample-series.ts'
import { crewSaid } from '../../support/reasons.ts'

const made = new Map<string, ResultDocument>()

/** A document of `executions` arrivals, two a minute, all completed or failed, valid and passed. */
export function steadyDocument(executions = 360, seed = 42, failureShare = 0.022): ResultDocument {
  const key = [executions, seed, failureShare].join()
  const document = made.get(key) ?? madeOf(executions, seed, failureShare)
  made.set(key, document)
  return structuredClone(document)
}

function madeOf(executions: number, seed: number, failureShare: number): ResultDocument {
  const random = createRandom(seed)
  const runs = Array.from({ length: executions }, (_, index) =>
    simulate(random, index, failureShare),
  )
  const durationMs = Math.max(30_000, ...runs.map(({ record }) => record.endedMicros / 1_000))
  const distributions = distributionsOf(runs)
  const outcomes = outcomesOf(runs)
  const metrics = metricsOf(distributions, outcomes, runs)
  const polls = runs.map(({ record }) => record.polls.answer.length)
  const wasted = runs.map(({ record }) => record.wastedPolls)
  return {
    schema: 'crewload/result/2',
    targetLoss: null,
    crewload: '0.1.0',
    run: {
      id: 'sample-0001',
      scenario: 'steady',
      description: 'Two kickoffs a minute for three hours',
      target: 'http://127.0.0.1:41377',
      profile: 'fake crew "default"',
      engine: 'node',
      network: null,
      dialect: 'interface',
      seed,
      speed: 1,
      startedAt: '2026-11-21T08:15:00.000Z',
      durationMs,
      instances: 1,
      planHash: '5f1c0a77',
      stopped: null,
      stopReason: null,
      machine: null,
      command: 'crewload run steady --profile default --seed 42',
      node: 'v20.19.0',
    },
    plan: { name: 'steady', deadline: '15m' },
    verdict: {
      outcome: 'passed',
      valid: true,
      problems: 0,
      reasons: [],
      sentence: `Passed. ${plural(executions, 'execution')}; ${outcomes.failed} failed.`,
    },
    arrivals: executions,
    warmUpArrivals: 0,
    outcomes,
    reasons:
      outcomes.failed === 0 ? {} : { failed: [{ reason: GAVE_NONE, count: outcomes.failed }] },
    metrics,
    thresholds: thresholdsOf(metrics),
    contract: {
      answersChecked: sum(polls) + executions,
      violations: 0,
      documentedViolations: 0,
      rules: [],
    },
    checks: [
      {
        name: 'mentions the topic',
        passed: outcomes.completed,
        failed: 0,
        threw: 0,
        example: null,
      },
    ],
    errors:
      executions < 20
        ? []
        : [{ operation: 'status', class: '503', count: errorCount(runs), firstMs: 91_000 }],
    generator: {
      checks: generatorChecks(),
      instances: [instanceOf(0, executions)],
      maxInFlight: Math.min(executions, 9),
      requests: sum(polls) + executions,
      connectionsOpened: Math.ceil((sum(polls) + executions) / 10),
      handshakeShare: executions === 0 ? null : 0.1,
      utilisationMean: 0.04,
      peakMemoryBytes: 92_000_000,
      confirmations: Math.ceil(executions / 100),
    },
    load: null,
    ledger: {
      rows: executions,
      clockErrorMs: 0.12,
      agreed: executions,
      disagreements: [],
      endIntervals: { checked: executions, contained: executions },
      starts: { started: executions, givenUp: 0 },
    },
    distributions,
    breakdown: executions === 0 ? [] : breakdownOf(runs),
    series: seriesOf(runs, durationMs),
    faults: [],
    recoveries: [],
    pushback: calmOf(executions, sum(polls)),
    polling: {
      perExecution: executions === 0 ? null : sum(polls) / executions,
      wastedPerExecution: executions === 0 ? null : sum(wasted) / executions,
      wastedShare: executions === 0 ? null : sum(wasted) / sum(polls),
      points: runs.slice(0, 500).map(({ record }) => ({
        executionMs: (record.endedMicros - record.intendedMicros) / 1_000,
        polls: record.polls.answer.length,
      })),
      detectionSource: 'ledger',
      advice:
        executions === 0
          ? null
          : 'Wait 20 s before the first poll: 5 % of executions end earlier, and it saves 3.9 of 8.2 polls.',
    },
    samples: samplesOf(runs),
    tags: {},
    findings: [
      {
        severity: 'info',
        message: '1 in 10 requests opened a connection: raise keepAlive to 75 s to reuse them.',
      },
    ],
    histograms: {},
  }
}

/** Seconds long, 5 executions: too few for most quantiles. */
export function tinyDocument(): ResultDocument {
  const tiny = steadyDocument(5, 7, 0)
  const [first] = tiny.thresholds
  if (first !== undefined) first.status = 'undecided'
  const needed = 'kickoff.response.p95 needs 59 samples and has 5'
  return {
    ...tiny,
    verdict: {
      outcome: 'inconclusive',
      valid: true,
      problems: 0,
      reasons: [
        {
          code: 'undecided:kickoff.response.p95',
          message: needed,
          remedy: 'run 12 times as long',
        },
      ],
      sentence: 'Inconclusive. 5 executions are too few for kickoff.response.p95.',
    },
  }
}

/** Nothing arrived, no ledger, nothing measured. */
export function emptyDocument(): ResultDocument {
  const empty = steadyDocument(0)
  return {
    ...empty,
    run: { ...empty.run, profile: null, stopped: 'now', command: null, dialect: null },
    verdict: {
      outcome: 'inconclusive',
      valid: true,
      problems: 0,
      reasons: [
        { code: 'interrupted', message: 'stopped before the first arrival', remedy: 'let it run' },
      ],
      sentence: 'Inconclusive. Stopped before the first arrival.',
    },
    thresholds: empty.thresholds.map((threshold) => ({ ...threshold, status: 'unmeasurable' })),
    checks: [],
    ledger: null,
    generator: {
      ...empty.generator,
      connectionsOpened: null,
      utilisationMean: null,
      peakMemoryBytes: null,
      checks: generatorChecks('skipped'),
    },
    findings: [],
  }
}

/** Every arrival was rejected. */
export function rejectedDocument(): ResultDocument {
  const empty = emptyDocument()
  return {
    ...empty,
    arrivals: 40,
    outcomes: { ...empty.outcomes, rejected: 40 },
    reasons: { rejected: [{ reason: { code: 'answer', answer: 401 }, count: 40 }] },
    errors: [{ operation: 'kickoff', class: '401', count: 40, firstMs: 3 }],
    verdict: {
      ...empty.verdict,
      outcome: 'failed',
      sentence: 'Failed. 40 of 40 kickoffs rejected.',
    },
  }
}

/**
 * A missed threshold, contract violations, failed checks, a ledger that disagrees, unfinished
 * executions, a time-lapse.
 */
export function failingDocument(): ResultDocument {
  const base = steadyDocument(240, 11, 0.12)
  const execution = base.distributions['execution']
  const example = {
    kickoffId: '7be1c0de-0000-4000-8000-000000000001',
    index: 17,
    seen: '2 of 3 then 1 of 3',
  }
  return {
    ...base,
    run: { ...base.run, speed: 60, stopped: 'drained' },
    verdict: {
      outcome: 'failed',
      valid: true,
      problems: 0,
      reasons: [
        {
          code: 'threshold:execution.failed',
          message: 'execution.failed is over its bound',
          remedy: 'read the errors',
        },
      ],
      sentence: 'Failed. 12 % of the executions failed, over the bound of 1 %.',
    },
    thresholds: base.thresholds.map((threshold) =>
      threshold.metric === 'execution.failed'
        ? { ...threshold, status: 'missed', hint: 'crewload report reports/steady --failed' }
        : threshold,
    ),
    outcomes: { ...base.outcomes, completed: base.outcomes.completed - 3, stuck: 2, lost: 1 },
    contract: {
      ...base.contract,
      violations: 2,
      documentedViolations: 2,
      rules: [
        {
          rule: 'completed-tasks-never-decrease',
          basis: 'documented',
          source: '3',
          count: 2,
          example,
        },
      ],
    },
    checks: [
      {
        name: 'mentions the topic',
        passed: 200,
        failed: 7,
        threw: 1,
        example: 'arrival 3: no topic',
      },
    ],
    ledger: {
      rows: 241,
      clockErrorMs: 0.2,
      agreed: 238,
      disagreements: [
        {
          kind: 'duplicate',
          count: 1,
          examples: [{ index: 8, kickoffId: example.kickoffId, detail: 'two rows for arrival 8' }],
        },
      ],
      endIntervals: { checked: 238, contained: 238 },
      starts: { started: 238, givenUp: 0 },
    },
    distributions: {
      ...base.distributions,
      ...(execution === undefined ? {} : { execution: { ...execution, censored: 3 } }),
    },
    faults: faultsOf(base.series),
    recoveries: RECOVERIES,
    pushback: roughOf(base.pushback),
  }
}

const HOSTILE = '<script>alert("x")</script>\' onload=\u001B[31m `|` & ]]> \u202E@all'

/** Every foreign text is an attack. */
export function hostileDocument(): ResultDocument {
  const base = failingDocument()
  return JSON.parse(
    JSON.stringify(base, (key, value: unknown) =>
      typeof value === 'string' && FOREIGN.has(key) ? HOSTILE : value,
    ),
  ) as ResultDocument
}

const GAVE_NONE = crewSaid('Task failed: the model gave no answer')

const FOREIGN = new Set(
  (
    'scenario description target profile command sentence message remedy reason seen name example detail ' +
    'kickoffId task taskId task_id rule source class metric text hint advice measured bound title'
  ).split(' '),
)
