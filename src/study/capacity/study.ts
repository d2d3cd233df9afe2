/**
 * The study of capacity: how many kickoffs per hour are possible before a promise breaks, and which
 * promise it is.
 */
import {
  formatCount,
  formatMostMs,
  formatMs,
  formatPercent,
  formatRoundShare,
  formatShare,
  toDigits,
} from '../../base/numbers.ts'
import type { PlanText } from '../../report/frame/render/terminal.ts'
import { knownRows } from '../../report/frame/render/terminal.ts'
import { engineRow, placeRow, UNKNOWN_COST } from '../../run/plan/text.ts'
import { placeNotes } from '../../run/target/place-notes.ts'
import { studyBudgetWords, studyOf } from '../frame/study.ts'
import type { CapacityDocument, CapacityPlan } from './document.ts'
import { capacitySchema } from './document.ts'
import { CAPACITY_VERDICTS, capacityBody } from './report/report.ts'

export const capacity = studyOf<CapacityPlan, CapacityDocument>({
  name: 'capacity',
  holds: 'how many kickoffs per hour a crew can take before a promise to its users breaks',
  schema: capacitySchema,
  planText,
  body: capacityBody,
  mark: ({ verdict }) => CAPACITY_VERDICTS[verdict.outcome],
  exit: ({ ended, verdict }) => {
    if (ended === 'target') return 'unreachable'
    return ended === 'interrupted' ? 'interrupted' : CAPACITY_VERDICTS[verdict.outcome].exit
  },
})

function planText(plan: CapacityPlan): PlanText {
  const { engine, scenario, slo, within, expectedPerHour, from, place } = plan
  const isSent = engine !== 'none'
  const least =
    expectedPerHour === null ? '' : `, and at least ${formatCount(expectedPerHour)} per hour`
  return {
    title: isSent
      ? `Plan of a capacity study of "${scenario}"`
      : `Plan of a capacity study of "${scenario}", from recorded runs`,
    rows: knownRows(
      ...(place === null ? [] : [placeRow({ ...plan, place })]),
      ['promises', slo.join(', ')],
      ['evidence', from.length > 0 && from.join(', ')],
      ['goal', `the rate within ${formatShare(within)}${least}`],
      ...(isSent ? sentRows(plan) : nothingSent(plan)),
    ),
    ...(isSent ? { notes: placeNotes(plan) } : {}),
  }
}

function nothingSent({ seed }: CapacityPlan): PlanText['rows'] {
  return [
    ['load', 'none: nothing is sent'],
    ['seed', `${seed}`],
  ]
}

function sentRows(plan: CapacityPlan): PlanText['rows'] {
  const { within, budget, cost } = plan
  return [
    ['load', loadWords(plan)],
    ['budget', studyBudgetWords(budget)],
    ['precision', accuracyWords(budget.kickoffs, within)],
    ['duration', durationWords(plan)],
    ['cost', cost === null ? UNKNOWN_COST : `at most ${formatCount(cost)}`],
    engineRow(plan),
  ]
}

/** Executions in flight are followed to their deadline after the end. */
function durationWords({ maxDurationMs, deadlineMs }: CapacityPlan): string {
  if (maxDurationMs === null) return 'in virtual time: nobody waits for it'
  return (
    `at most ${formatMostMs(maxDurationMs)}, then up to ${formatMs(deadlineMs)} for the last ` +
    'executions; then it reports what it knows'
  )
}

function loadWords({ maxInFlight }: CapacityPlan): string {
  return (
    'clients with one execution after the other: 1, 2, 4, ... until executions wait for a worker. ' +
    'Then up to 4 times the workers, and random arrivals at the rate that was found. Never more ' +
    `than ${formatCount(maxInFlight)} at once`
  )
}

/**
 * The kickoffs for an interval of 5 % are this number times the squared coefficient of variation of
 * the service times.
 */
const KICKOFFS_FOR_5_PERCENT = 2_200
const TYPICAL_CV = 0.75

/**
 * The least budget for any precision: filling a crew, a first sample of it and a confirmation
 * always take this many.
 */
const LEAST = 200
/**
 * The share of the budget for samples of the full crew; the ladder and the confirmation take the
 * rest.
 */
const SAMPLING = 0.7

/**
 * Says how precise the answer will be; the interval narrows with the square root of the kickoffs.
 */
function accuracyWords(kickoffs: number, within: number): string {
  const forOnce = (KICKOFFS_FOR_5_PERCENT * TYPICAL_CV ** 2 * 0.05 ** 2) / SAMPLING
  const share = Math.sqrt(forOnce / kickoffs)
  const needed = formatCount(toDigits(Math.max(LEAST, forOnce / within ** 2), 1))
  const enough = `${formatRoundShare(within)} needs about ${needed} kickoffs`
  const about =
    share <= within ? '' : `about ${formatPercent(Math.ceil(100 * share) / 100)} either way; `
  const few = kickoffs < SURE_OF_A_NUMBER ? '. So few may give no number' : ''
  return (
    `${about}${enough} for 16 workers or more. Fewer workers, or a bound near the service times, ` +
    `need several times as many${few}`
  )
}

/** With fewer kickoffs, even the number of workers may stay unknown. */
const SURE_OF_A_NUMBER = 400
