/**
 * Explains why the model of a crew is refused: states bounds in place of a capacity, and what
 * disagrees.
 */
import { formatMs, plural } from '../../../result/metrics/format.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { CapacityAnswer } from './told.ts'
import type { CapacityReason } from '../document.ts'
import type { Cause } from './causes.ts'
import type { HeldBounds } from './bounds.ts'
import { driftOf } from './learn/besides-queue.ts'
import { rateWords } from './rate-words.ts'
import { unsteadyReason } from './scaling/words.ts'
import type { CapacitySearch } from './search/search.ts'

interface Refused {
  sentence: string
  reasons: CapacityReason[]
}

interface Beside {
  causes: readonly Cause[]
  bounds: HeldBounds
  /** The half-width of the interval asked for. */
  within: number
}

/** Null if nothing contradicts the model. `causes`: those that the loads show. */
export function refusedOf(
  search: CapacitySearch,
  told: CapacityAnswer,
  { causes, bounds, within }: Beside,
): Refused | null {
  if (causes[0]?.code === 'limiter') return { sentence: LIMITED, reasons: [...causes] }
  const { unsteady } = search.learned
  if (unsteady !== null) {
    const { message } = unsteadyReason(unsteady)
    return { sentence: boundsSentence(bounds, message), reasons: [...causes] }
  }
  const contradicted = contradictedBy(search)
  if (contradicted !== null) {
    // The number of workers is wrong, and with it the most that they could do.
    const sentence = boundsSentence({ held: bounds.held, most: null }, contradicted.message)
    return { sentence, reasons: [contradicted, ...causes] }
  }
  const pool = poolInFront(search)
  if (pool !== null) {
    return { sentence: boundsSentence(bounds, pool.message), reasons: [...causes, pool] }
  }
  const solution = search.estimate?.solution ?? { kind: 'no-limit' as const }
  const [first] = causes
  if (solution.kind === 'fails-alone') {
    // A crew that became slower may have kept the promises before.
    const mayHold = search.failsAlone === false || first?.code === 'drift'
    if (!solution.isSure || !mayHold) return null
    const sentence = first === undefined ? SLOWS : boundsSentence(bounds, first.message)
    return { sentence, reasons: [...causes, GROWS] }
  }
  if (solution.kind === 'no-limit') {
    // More executions at once do not help a crew whose throughput has fallen.
    if (first?.code !== 'cliff') return null
    return { sentence: boundsSentence(bounds, first.message), reasons: [...causes] }
  }
  const { confirmation, model } = told
  if (confirmation === null || model === null || model.accepted) {
    const drift = lastingDrift(search, causes, within)
    return drift === null
      ? null
      : { sentence: boundsSentence(bounds, drift.message), reasons: [drift] }
  }
  const own = `the crew does not behave as its model: ${model.disagreement ?? ''}`
  return {
    sentence: boundsSentence(bounds, first?.message ?? own),
    reasons: [...causes, disagreementOf(model.disagreement ?? '')],
  }
}

/**
 * The reason that executions became slower over time, by more than the precision asked for. A quota
 * whose burst is used up makes them slower as well, but that is learned.
 */
function lastingDrift(
  { learned, estimate }: CapacitySearch,
  causes: readonly Cause[],
  within: number,
): CapacityReason | null {
  const isLearned = estimate !== null && estimate.system.shared !== null
  const change = driftOf(learned)?.change ?? 0
  return isLearned || change <= within
    ? null
    : (causes.find(({ code }) => code === 'drift') ?? null)
}

/** The reason that the model contradicts the times of the crew itself. */
function contradictedBy({ learned }: CapacitySearch): CapacityReason | null {
  const { contradiction, slots } = learned
  if (contradiction === null || slots === null) return null
  const { inferredMicros, reportedMicros } = contradiction
  const [inferred, reported] = [inferredMicros, reportedMicros].map((micros) =>
    formatMs(micros / MICROS_PER_MS),
  )
  return {
    code: 'times-contradict',
    message:
      `The crew's own times contradict a queue for ${plural(slots, 'worker')}: its tasks take ` +
      `${reported} an execution (mean), and that queue leaves ${inferred} for them`,
    remedy:
      'look for something that executions share, such as a quota of the language model or a ' +
      'processor: more workers may bring nothing',
  }
}

/**
 * The reason that requests wait for each other before they reach the crew, in a queue that is not
 * simulated.
 */
function poolInFront({ grownRequests }: CapacitySearch): CapacityReason | null {
  if (grownRequests === null) return null
  const { fewMicros, manyMicros } = grownRequests
  const [few, many] = [fewMicros, manyMicros].map((micros) => formatMs(micros / MICROS_PER_MS))
  return {
    code: 'http-grows',
    message:
      `Requests become slow under load: they add ${many} to an execution on average, and ${few} ` +
      'with few clients',
    remedy:
      'enlarge what serves requests, such as a connection pool or a gateway, or poll less often',
  }
}

const LIMITED =
  'The capacity of the crew itself is unknown: a limiter in front of it refuses kickoffs for ' +
  'which the crew has room.'
const SLOWS =
  'Only bounds are known: executions keep the promises while workers are free, and break ' +
  'them while all are busy.'
const GROWS: CapacityReason = {
  code: 'grows-with-load',
  message:
    'service times or failures grow with the number of running executions, which the ' +
    'simulation does not model',
  remedy: 'limit the executions that run at once, or relax the promises',
}

function boundsSentence({ held, most }: HeldBounds, why: string): string {
  const low = held === null ? 'more than 0' : `at least ${rateWords(held)}`
  const high = most === null ? '' : ` and at most ${rateWords(most)}`
  return `Only bounds are known: ${low}${high} kickoffs per hour; ${lowered(why)}.`
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}

function disagreementOf(disagreement: string): CapacityReason {
  return {
    code: 'model-refused',
    message: `the simulation of the crew disagrees with it: ${disagreement}`,
    remedy: 'see below which part disagrees',
  }
}
