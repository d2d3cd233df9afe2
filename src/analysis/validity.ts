/** Can the measurement be trusted: each check with its bound, and the reason when it fails. */
import type { Micros } from '../units.ts'
import { formatDuration, formatShare } from '../units.ts'
import { atLeast } from './binomial.ts'
import type { GeneratorCheck, Reason } from './document.ts'
import type { Observations } from './observations.ts'
import type { PlanFacts } from './plan-facts.ts'
import { rankOf } from './quantiles.ts'
import type { Sample } from './sample.ts'

export interface Validity {
  checks: GeneratorCheck[]
  /** One for each failed check. */
  reasons: Reason[]
}

interface Finding {
  check: Omit<GeneratorCheck, 'ok' | 'skipped'>
  state: 'ok' | 'failed' | 'skipped'
  reason: Reason
}

export function checkValidity(
  observations: Observations,
  plan: PlanFacts,
  unreadableLines: number,
): Validity {
  const findings = [
    lateness(observations, plan),
    utilisation(observations, plan),
    little(observations, plan),
    records(observations),
    journal(observations, unreadableLines),
    clock(observations),
  ]
  return {
    checks: findings.map(({ check, state }) => ({
      ...check,
      ok: state !== 'failed',
      skipped: state === 'skipped',
    })),
    reasons: findings.filter(({ state }) => state === 'failed').map(({ reason }) => reason),
  }
}

/** Requests later than the bound that prove nothing yet, however few there are in all: the first ones pay for a cold start. */
const FEWEST_LATE = 3
const LATE_SHARE = 0.01
const SIGNIFICANCE = 0.05

/**
 * The 99th percentile against its bound. It fails when so many requests were later than the bound that fewer than one run in twenty with
 * 1 % of late requests would show as many (a one-sided binomial test): in twenty requests a single late one is the 99th percentile.
 */
function lateness({ lateness }: Observations, { validity }: PlanFacts): Finding {
  const bound = validity.latenessP99Micros
  const { n } = lateness
  const p99 = n === 0 ? null : lateness.atRank(rankOf(n, 0.99))
  const late = laterThan(lateness, bound)
  const proven = late >= FEWEST_LATE && atLeast(late, n, LATE_SHARE) < SIGNIFICANCE
  const measured = p99 === null ? 'nothing sent' : formatDuration(p99)
  return {
    check: {
      name: 'lateness',
      measured,
      bound: formatDuration(bound),
      meaning:
        'p99 of how late requests were handed over: the fault of the generator, never of the target',
    },
    state: p99 === null ? 'skipped' : proven ? 'failed' : 'ok',
    reason: {
      code: 'lateness',
      message: `the generator was late: p99 ${measured}, bound ${formatDuration(bound)}`,
      remedy: 'lower the rate, or give the generator a machine of its own',
    },
  }
}

function laterThan(sample: Sample, bound: Micros): number {
  return sample.buckets().reduce((sum, { value, count }) => sum + (value > bound ? count : 0), 0)
}

function utilisation({ finished }: Observations, { validity }: PlanFacts): Finding {
  const known = finished.flatMap(({ host }) => host.utilisationSustained ?? [])
  const highest = known.length === 0 ? null : Math.max(...known)
  const bound = formatShare(validity.utilisation)
  const short = finished.some(({ host }) => host.utilisationMean !== null)
  const unknown = short ? 'not known: it takes five seconds' : 'not known on this host'
  const measured = highest === null ? unknown : formatShare(highest)
  return {
    check: {
      name: 'utilisation',
      measured,
      bound,
      meaning:
        'highest event-loop utilisation held for five seconds: near 100 % the generator measures itself',
    },
    state: highest === null ? 'skipped' : highest <= validity.utilisation ? 'ok' : 'failed',
    reason: {
      code: 'utilisation',
      message: `the generator was busy: event loop at ${measured} for seconds, bound ${bound}`,
      remedy: 'lower the rate or poll less often, or share the load between instances',
    },
  }
}

/**
 * Little's law, L = lambda W: L T is the live integral of the engine's own counter, lambda W T the sum of times in flight by the records.
 * The residual |L - lambda W| / L shows records that are lost, doubled or wrong.
 */
function little(observations: Observations, { validity }: PlanFacts): Finding {
  const { finished, runs, inFlightSumMicros } = observations
  const integral = finished.reduce((sum, { engine }) => sum + engine.inFlightIntegralMicros, 0)
  const known = finished.length >= runs.length && finished.length > 0
  const residual =
    integral > 0 ? Math.abs(integral - inFlightSumMicros) / integral : inFlightSumMicros > 0 ? 1 : 0
  const bound = formatShare(validity.littleResidual)
  return {
    check: {
      name: 'little',
      measured: known ? formatShare(residual) : 'no final count: an instance did not finish',
      bound,
      meaning:
        "Little's law: executions in flight as counted live against arrivals times duration by the records",
    },
    state: !known ? 'skipped' : residual <= validity.littleResidual ? 'ok' : 'failed',
    reason: {
      code: 'little',
      message: `the records do not add up: Little's residual ${formatShare(residual)}, bound ${bound}`,
      remedy:
        'records are lost or wrong: look at the ledger and the journal, and report it as a bug',
    },
  }
}

function records(observations: Observations): Finding {
  const trouble = recordTroubles(observations)
  return {
    check: {
      name: 'records',
      measured: trouble ?? `${observations.endedLines} of ${observations.endedLines}`,
      bound: 'every arrival',
      meaning: 'every arrival that the engine counted has its record in the journal, exactly once',
    },
    state: trouble === null ? 'ok' : 'failed',
    reason: {
      code: 'records-missing',
      message: trouble ?? '',
      remedy: 'merge the journals of all instances once each; after a crash, run again',
    },
  }
}

function recordTroubles({ runs, finished, endedLines, open }: Observations): string | null {
  const expected = runs[0]?.instances ?? 1
  if (runs.length !== expected) return `${runs.length} of ${expected} instances have a journal here`
  if (finished.length < runs.length) {
    return `${runs.length - finished.length} of ${runs.length} instances did not finish, ${open.length} executions without an end`
  }
  const arrivals = finished.reduce((sum, { engine }) => sum + engine.arrivals, 0)
  if (arrivals === endedLines) return null
  return endedLines < arrivals
    ? `${arrivals - endedLines} of ${arrivals} records are missing`
    : `${endedLines} records for ${arrivals} arrivals`
}

function journal({ journalErrors }: Observations, unreadableLines: number): Finding {
  const parts = [
    journalErrors > 0 ? `${journalErrors} lines could not be written` : '',
    unreadableLines > 0 ? `${unreadableLines} lines could not be read` : '',
  ].filter((part) => part !== '')
  return {
    check: {
      name: 'journal',
      measured: parts.length === 0 ? 'no errors' : parts.join(', '),
      bound: 'no errors',
      meaning: 'every line of the journal was written, and read back',
    },
    state: parts.length === 0 ? 'ok' : 'failed',
    reason: {
      code: 'journal-error',
      message: `the journal is not whole: ${parts.join(', ')}`,
      remedy: 'look at the free space and the rights of the disk with crewload doctor',
    },
  }
}

function clock({ clockSteps }: Observations): Finding {
  const steps = `${clockSteps} ${clockSteps === 1 ? 'step' : 'steps'}`
  return {
    check: {
      name: 'clock',
      measured: steps,
      bound: '0 steps',
      meaning:
        'wall clock and monotonic clock ran alike: the machine neither slept nor had its time set',
    },
    state: clockSteps === 0 ? 'ok' : 'failed',
    reason: {
      code: 'clock-step',
      message: `the clock stepped during the run: ${steps}`,
      remedy: 'keep the machine awake and its time service steady, and run again',
    },
  }
}
