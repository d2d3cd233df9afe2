/** Recovery tests with made-up trials, through the real analysis. */
import { courseOf, measureTrial } from '../../../src/study/recovery/analyse/trial.ts'
import type { RecoveryDocument, RecoveryPlan } from '../../../src/study/recovery/document.ts'
import type { RecoveryFacts } from '../../../src/study/recovery/analyse/analyse.ts'
import { recoveryDocument } from '../../../src/study/recovery/analyse/analyse.ts'
import { reasonOf } from '../../../src/result/sentence-tables.ts'
import { TRIAL_REASONS } from '../../../src/study/frame/trial/reasons.ts'
import { sampleFacts } from '../../support/study-samples.ts'
import { SPAN, trialFacts, visitsBackAt } from './visits.ts'

const PLAN: RecoveryPlan = {
  scenario: 'recovery',
  place: { kind: 'virtual', profile: 'metastable' },
  engine: 'virtual',
  network: 'loopback: round trip median 1.00 ms, p95 3.50 ms',
  speed: 1,
  wantedPerSecond: 4,
  trigger: { kind: 'fault', words: 'hang: {}' },
  warmUpMs: 0,
  beforeMs: 120_000,
  triggerMs: 30_000,
  observeMs: 300_000,
  withinMs: 120_000,
  withinAsked: false,
  deadlineMs: 20_000,
  seeds: [1],
  control: true,
  bisect: true,
  client: 'up to 4 retries a kickoff; every 100 ms, no jitter; no retry budget',
  budget: { requests: null, kickoffs: null },
}

/**
 * One trial for each second at which service is back; after the end of the observation (450) is
 * never.
 */
export function recoveryOfTrials(
  backSeconds: readonly number[],
  more: Partial<RecoveryFacts> = {},
): RecoveryDocument {
  const seen = backSeconds.map((second, i) => {
    const control = { visits: visitsBackAt(0), starts: null }
    const facts = trialFacts(visitsBackAt(second, 5), { seed: i + 1, control })
    const trial = measureTrial(facts)
    return { trial, course: courseOf({ trial, run: facts.run, control, span: SPAN }) }
  })
  return recoveryDocument({
    ...sampleFacts('crewload recovery recovery --profile metastable', { budget: PLAN.budget }),
    plan: { ...PLAN, seeds: backSeconds.map((_, i) => i + 1) },
    runs: 2 * backSeconds.length,
    trials: seen.map(({ trial }) => trial),
    courses: seen.map(({ course }) => course),
    sizes: null,
    invalid: [],
    ...more,
  })
}

export function recovering(): RecoveryDocument {
  const sizes = [30_000, 60_000, 120_000, 240_000, 480_000].map((sizeMs) => ({
    sizeMs,
    tipped: 0,
    of: 4,
  }))
  return recoveryOfTrials([160, 175, 180, 190], { sizes })
}

export function tipping(): RecoveryDocument {
  const sizes = [
    { sizeMs: 30_000, tipped: 20, of: 20 },
    { sizeMs: 15_000, tipped: 9, of: 10 },
    { sizeMs: 7_500, tipped: 1, of: 10 },
    { sizeMs: 10_600, tipped: 6, of: 10 },
    { sizeMs: 8_920, tipped: 5, of: 10 },
    { sizeMs: 9_720, tipped: 6, of: 10 },
  ]
  return recoveryOfTrials(
    Array.from({ length: 22 }, () => 1_000),
    { sizes },
  )
}

/** Foreign words everywhere. */
export function disagreeing(): RecoveryDocument {
  return recoveryOfTrials([180, 1_000, 170, 1_000], {
    plan: {
      ...PLAN,
      scenario: 'a|b',
      place: { kind: 'deployment', target: 'http://127.0.0.1:8000/<x>' },
      engine: 'node',
      network: null,
      trigger: { kind: 'command', words: 'the command stop "<crew>" & wait' },
    },
    command: null,
  })
}

/** Whose command failed. */
export function untriggered(): RecoveryDocument {
  const exit = { code: 1, signal: null }
  const failure = { kind: 'ended', exit, said: '\u001B[31mno such crew' } as const
  const facts = { command: 'stop "<crew>"', failure }
  return recoveryOfTrials([0], { invalid: [reasonOf(TRIAL_REASONS, 'trigger-failed', facts)] })
}

/** Whose only trial tells nothing. */
export function unclear(): RecoveryDocument {
  const why = { code: 'few-in-window', needed: 247 } as const
  const [trial] = recoveryOfTrials([0]).trials
  return recoveryOfTrials([0], {
    trials: [{ ...trial!, outcome: 'unclear', why, recoveryMs: null }],
  })
}

export function empty(): RecoveryDocument {
  return recoveryOfTrials([], { plan: PLAN, ended: 'interrupted' })
}

/** Back, but later than asked for. */
export function slow(): RecoveryDocument {
  const plan = { ...PLAN, seeds: [1, 2, 3], withinAsked: true }
  return recoveryOfTrials([290, 300, 310], { plan })
}
