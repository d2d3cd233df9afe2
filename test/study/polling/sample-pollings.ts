/** Documents of studies of polling: one of a crew in virtual time, and each way to end otherwise. */
import { allText } from '../../../src/report/frame/report.ts'
import { findingOf, reasonOf } from '../../../src/result/sentence-tables.ts'
import { conducting } from '../../../src/study/polling/conduct/conduct.ts'
import type { PollingDocument } from '../../../src/study/polling/document.ts'
import { FINDINGS } from '../../../src/study/polling/sentences/findings.ts'
import { REASONS } from '../../../src/study/polling/sentences/reasons.ts'
import { TRIAL_REASONS } from '../../../src/study/frame/trial/reasons.ts'
import { sampleFacts } from '../../support/study-samples.ts'
import { madeOnce } from '../../support/samples.ts'
import { goalFor } from './analyse/answers.ts'
import { conductStudy } from '../../../src/study/frame/conduct/conduct.ts'

const made = await madeOnce('polling', async () => {
  const options = { executions: 200, out: false, run: { profile: 'default' } } as const
  return (await conductStudy(conducting, options)).document
})

/** As at a target, where polls alone tell the ends, and some open a connection. */
export function answered(): PollingDocument {
  const { recommended, ...document } = made()
  return {
    ...document,
    place: { kind: 'deployment', target: 'http://127.0.0.1:8001' },
    ...sampleFacts('crewload polling --target http://127.0.0.1:8001 --max-kickoffs 300', {
      budget: { requests: null, kickoffs: 300 },
      requests: document.requests,
      kickoffs: document.kickoffs,
    }),
    findings: [
      findingOf(FINDINGS, 'handshakes', {
        share: 0.4,
        todayShare: 0.02,
        handshakeMs: 25,
        perExecution: 3.02,
      }),
    ],
    source: {
      ...document.source,
      kind: 'target',
      runs: ['run-1'],
      ended: 212,
      never: 1,
      censored: 2,
      truth: 'polls',
      endKnownWithinMs: 5_800,
      blockExecutions: 9,
    },
    recommended: { ...recommended!, freshShare: 0.4, handshakeMs: 25 },
  }
}

/** The runs listened for pushes, of which some came too early, and some again. */
export function pushed(): PollingDocument {
  const document = answered()
  const missedShare = { value: 21 / 212, low: 0.0623, high: 0.147 }
  return {
    ...document,
    findings: [],
    pushes: {
      received: 203,
      repeated: 9,
      early: 3,
      ends: 212,
      missed: 21,
      missedShare,
      detectionDelayMs: {
        p50: 190,
        p95: 480,
        mean: 214,
        low: 12,
        high: 4_130,
        meanLow: 31,
        meanHigh: 397,
      },
      net: { ...document.front[1]!, family: 'fixed', words: 'every 30.4 s', missedShare: 0.001 },
      pollsMissedShare: 0.002,
      better: 'net',
    },
  }
}

/** A quota and a promise, from runs, of a target that asks for waits itself. */
export function promised(): PollingDocument {
  const document = answered()
  const { recommended, current, front } = document
  return {
    ...document,
    command: null,
    findings: [],
    goal: goalFor({ maxPolls: '3000/m', delay: 'p95 < 15s' }),
    source: {
      ...document.source,
      kind: 'runs',
      runs: ['reports/a', 'reports/b'],
      truth: 'ledger',
      never: 0,
      censored: 0,
      unwatchedShare: 0,
      ended: 215,
      blockExecutions: 1,
    },
    recommended: {
      ...recommended!,
      cost: null,
      freshShare: null,
      handshakeMs: null,
    },
    current: { ...current!, cost: null, freshShare: null },
    runnerUp: null,
    simpler: { ...front[0]!, excess: 0.0297 },
    retryAfter: {
      ...front[1]!,
      family: 'retry-after',
      medianMs: 20_000,
      answers: 140,
    },
  }
}

/** No strategy stays within what was asked for. */
export function impossible(): PollingDocument {
  const nearest = { maxPolls: '9/m', delay: null, both: null }
  return {
    ...answered(),
    verdict: {
      outcome: 'impossible',
      sentence: 'No polling strategy stays within what was asked for.',
      reasons: [reasonOf(REASONS, 'impossible', { bounds: ['1/m'], nearest, seen: true })],
      moreExecutions: null,
      nearest,
    },
    goal: goalFor({ maxPolls: '1/m' }),
    findings: [],
    recommended: null,
    runnerUp: null,
  }
}

/** The target died, and what it had answered is enough. */
export function lost(): PollingDocument {
  const document = answered()
  return {
    ...document,
    verdict: {
      outcome: 'target-lost',
      sentence: 'The target was lost.',
      more: `What was recorded before: p${allText(document.verdict).slice(1)}`,
      reasons: [reasonOf(TRIAL_REASONS, 'target-lost', { answer: 'refused' })],
      moreExecutions: null,
      nearest: null,
    },
    ended: 'target',
  }
}

/** So few executions that nothing was replayed; the target's text is hostile. */
export function tooFew(): PollingDocument {
  const document = answered()
  return {
    ...document,
    place: {
      kind: 'deployment',
      target: 'http://127.0.0.1:8001/<script>alert(1)</script>\u001B[31m',
    },
    verdict: {
      outcome: 'inconclusive',
      sentence: 'It is not known yet which strategy is best.',
      reasons: [
        reasonOf(REASONS, 'too-few', {
          open: 'ends',
          ended: 3,
          needed: 10,
          bounds: [],
          moreExecutions: 7,
        }),
      ],
      moreExecutions: 7,
      nearest: null,
    },
    ended: 'interrupted',
    findings: [],
    source: {
      ...document.source,
      executions: 3,
      ended: 3,
      never: 0,
      censored: 0,
      unwatchedShare: 0,
      endKnownWithinMs: null,
      executionMs: null,
      requestMs: null,
      arrivalsPerSecond: null,
      blockExecutions: null,
    },
    recommended: null,
    current: null,
    runnerUp: null,
    front: [],
  }
}
