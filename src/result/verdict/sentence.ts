/**
 * The sentence of the verdict: its reasons, an interruption before all others, and the outcomes of
 * the executions.
 */
import type { Outcome } from '../../execution/record/record.ts'
import { OUTCOMES } from '../../execution/record/record.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import { due, undetermined, unserved } from '../metrics/families.ts'
import type { Verdict } from '../document.ts'
import { arrivalWords, isSetAside, outcomeWord, unsentOf } from '../ending/endings.ts'
import { formatCount, formatMetric, formatMs, formatPart, plural } from '../metrics/format.ts'
import { measure } from '../metrics/measure.ts'
import type { Observations } from '../observations.ts'
import type { VerdictEvidence } from './cuts.ts'
import type { RunReason } from '../findings-and-reasons.ts'

interface DecidedVerdict {
  outcome: Verdict['outcome']
  /** All that the outcome was decided by. */
  decided: readonly RunReason[]
  cuts: readonly RunReason[]
}

/**
 * Writes the sentence of the verdict:
 * `360 executions in 3 h; nobody waited longer than 241 s; 2.2 % failed.`
 */
export function sentenceOf(reached: DecidedVerdict, evidence: VerdictEvidence): string {
  const clauses = [...whyClauses(reached), factsOf(evidence).join('; ')]
  return clauses.map((clause) => `${capital(clause)}.`).join(' ')
}

/** An interruption comes first, followed by all that decided: neither may hide the other. */
function whyClauses({ outcome, decided, cuts }: DecidedVerdict): string[] {
  if (outcome === 'passed') return []
  return [...new Set([...cuts, ...decided].map(({ message }) => message))]
}

function factsOf(evidence: VerdictEvidence): string[] {
  const { observations, durationMs, stopped, isFake } = evidence
  const cost = isFake ? [] : costs(observations)
  const { arrivals, outcomes } = observations.window
  const length = formatMs(durationMs)
  if (stopped === 'crashed') return [...crashFacts(observations, length), ...cost]
  if (arrivals === 0) {
    return [`nothing was measured in ${length}`, ...cost]
  }
  const comma = unsentOf(outcomes) > 0 ? ',' : ''
  return [
    `${arrivalWords(arrivals, outcomes)}${comma} in ${length}`,
    ...waitFacts(evidence),
    ...outcomeFacts(observations),
    ...cost,
  ]
}

function crashFacts({ endedLines, open }: Observations, length: string): string[] {
  const ended = endedLines === 0 ? 'none' : formatCount(endedLines)
  return [
    `it was cut after ${length}; ${ended} had ended, ${formatCount(open.length)} ` +
      `${open.length === 1 ? 'was' : 'were'} still in flight`,
  ]
}

/** "Nobody" includes everybody: if some were not served, they are named first. */
function waitFacts({ observations }: VerdictEvidence): string[] {
  const { window } = observations
  const { ended } = window.executions
  const left = unserved(window)
  const others = due(window) - left
  const told = left === 0 ? [] : [notServed(observations)]
  if (ended.max === null) return told
  const longest = formatMs(ended.max / MICROS_PER_MS)
  if (window.arrivals === 1) return [...told, `it took ${longest}`]
  const nobody = left === 0 && undetermined(window) === 0
  if (others <= 0) return told
  const { resumed } = observations
  if (resumed > 0) {
    const who = plural(resumed, 'continued execution')
    return [...told, `how long the ${who} waited is not known exactly`]
  }
  return [
    ...told,
    nobody
      ? `nobody waited longer than ${longest}`
      : `of those that ended, nobody waited longer than ${longest}`,
  ]
}

function notServed(observations: Observations): string {
  const { window } = observations
  const { outcomes, arrivals } = window
  const kinds = OUTCOMES.filter((name) => UNSERVED.has(name) && outcomes[name] > 0)
  const words = kinds.map((name) => `${formatCount(outcomes[name])} ${name}`).join(', ')
  if (arrivals === 1) return `it was not served (${kinds.join(', ')})`
  // As the table of thresholds shows it, unless what is still open leaves it unknown there.
  const share = measure('outcome.unserved', observations)
  const part = share.value === null ? null : formatMetric(share)
  return `${part ?? formatPart(unserved(window), due(window))} were not served (${words})`
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
  const { arrivals, outcomes } = observations.window
  const seen = OUTCOMES.filter(
    (name) => name !== 'completed' && !UNSERVED.has(name) && outcomes[name] > 0,
  )
  if (arrivals === 1) return seen.map((name) => `its outcome: ${name}`)
  return seen.map((name) => {
    if (name === 'paused') return `${formatCount(outcomes.paused)} still waited for a person`
    return isSetAside(name)
      ? `${formatCount(outcomes[name])} ${outcomeWord(name)}`
      : shareOfOutcome(name, observations)
  })
}

/** The share of failures is that of `execution.failed`, which every table shows. */
function shareOfOutcome(name: Outcome, observations: Observations): string {
  const { window } = observations
  const { completed, failed } = window.outcomes
  if (name !== 'failed' || due(window) === completed + failed) {
    return `${formatMetric(measure(`outcome.${name}`, observations))} ${name}`
  }
  return `${formatMetric(measure('execution.failed', observations))} of those that ended failed`
}

/** Executions that were aborted but continue on the target, including the warm-up's. */
function costs({ window, warmUpOutcomes }: Observations): string[] {
  const running = window.outcomes.aborted + (warmUpOutcomes.aborted ?? 0)
  if (running === 0) return []
  return [
    `${plural(running, 'aborted execution')} may still be running on the target and costing money`,
  ]
}

/** A metric's name keeps its first letter. */
function capital(text: string): string {
  return /^\w+\./.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)
}
