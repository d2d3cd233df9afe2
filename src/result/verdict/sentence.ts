/**
 * The sentence of the verdict: its reasons, an interruption before all others, and the outcomes of
 * the executions.
 */
import { MICROS_PER_MS } from '../../base/units.ts'
import { OUTCOMES } from '../../execution/record/record.ts'
import type { Verdict } from '../document.ts'
import { arrivalWords, isSetAside, outcomeWord, unsentOf } from '../ending/endings.ts'
import type { RunReason } from '../findings-and-reasons.ts'
import { due, undetermined, unserved } from '../metrics/families.ts'
import { formatCount, formatMs, plural } from '../../base/numbers.ts'
import { formatMetric, formatPart } from '../metrics/words.ts'
import { measure } from '../metrics/measure.ts'
import type { Observations } from '../observations.ts'
import type { VerdictEvidence } from './cuts.ts'

interface DecidedVerdict {
  outcome: Verdict['outcome']
  /** All that the outcome was decided by. */
  decided: readonly RunReason[]
  cuts: readonly RunReason[]
}

/**
 * Writes the sentence of the verdict:
 * `360 executions in 3 h; nobody waited longer than 241 s; 2.2 % failed.` An interruption comes
 * first, followed by all that decided: neither may hide the other.
 */
export function sentenceOf(
  { outcome, decided, cuts }: DecidedVerdict,
  evidence: VerdictEvidence,
): string {
  const reasons = outcome === 'passed' ? [] : [...new Set([...cuts, ...decided])]
  const why = reasons.map(({ message, metric }) =>
    // A metric's name keeps its first letter.
    metric === undefined ? capital(message) : message,
  )
  return [...why, capital(factsOf(evidence).join('; '))].map((clause) => `${clause}.`).join(' ')
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function factsOf({ observations, run }: VerdictEvidence): string[] {
  const cost = run.profile === null ? costs(observations) : []
  const { endedLines, open, window } = observations
  const { arrivals, outcomes } = window
  const length = formatMs(run.durationMs)
  if (run.stopped === 'crashed') {
    const flying = `${plural(open.length, 'execution')} still in flight`
    return [`it was cut after ${length}; ${formatCount(endedLines)} had ended, ${flying}`, ...cost]
  }
  if (arrivals === 0) return [`nothing was measured in ${length}`, ...cost]
  const comma = unsentOf(outcomes) > 0 ? ',' : ''
  return [
    `${arrivalWords(arrivals, outcomes)}${comma} in ${length}`,
    ...waitFacts(observations),
    ...outcomeFacts(observations),
    ...cost,
  ]
}

/** "Nobody" includes everybody: if some were not served, they are named first. */
function waitFacts(observations: Observations): string[] {
  const { window, resumed } = observations
  const left = unserved(window)
  const told = left === 0 ? [] : [notServed(observations)]
  const longest = window.executions.ended.max
  if (longest === null || due(window) <= left) return told
  if (resumed > 0) {
    const who = plural(resumed, 'continued execution')
    return [...told, `how long the ${who} waited is not known exactly`]
  }
  const nobody = left === 0 && undetermined(window) === 0
  const whom = nobody ? 'nobody' : 'of those that ended, nobody'
  return [...told, `${whom} waited longer than ${formatMs(longest / MICROS_PER_MS)}`]
}

function notServed(observations: Observations): string {
  const { window } = observations
  const { outcomes } = window
  const words = OUTCOMES.filter((name) => UNSERVED.has(name) && outcomes[name] > 0)
    .map((name) => `${formatCount(outcomes[name])} ${name}`)
    .join(', ')
  // As the table of thresholds shows it, unless what is still open leaves it unknown there.
  const share = measure('outcome.unserved', observations)
  const part =
    share.value === null ? formatPart(unserved(window), due(window)) : formatMetric(share)
  return `${part} were not served (${words})`
}

const UNSERVED: ReadonlySet<string> = new Set([
  'rejected',
  'unknown',
  'lost',
  'stuck',
  'unreadable',
])

/** The other outcomes of the arrivals, each as the tables show it. */
function outcomeFacts(observations: Observations): string[] {
  const { window } = observations
  const { outcomes } = window
  const seen = OUTCOMES.filter(
    (name) => name !== 'completed' && !UNSERVED.has(name) && outcomes[name] > 0,
  )
  return seen.map((name) => {
    if (name === 'paused') return `${formatCount(outcomes.paused)} still waited for a person`
    if (isSetAside(name)) return `${formatCount(outcomes[name])} ${outcomeWord(name)}`
    // The share of failures is that of `execution.failed`, which every table shows.
    return due(window) === outcomes.completed + outcomes.failed
      ? `${formatMetric(measure(`outcome.${name}`, observations))} ${name}`
      : `${formatMetric(measure('execution.failed', observations))} of those that ended failed`
  })
}

/** Executions that were aborted but continue on the target, including the warm-up's. */
function costs({ window, warmUpOutcomes }: Observations): string[] {
  const running = window.outcomes.aborted + (warmUpOutcomes.aborted ?? 0)
  if (running === 0) return []
  return [
    `${plural(running, 'aborted execution')} may still be running on the target and costing money`,
  ]
}
