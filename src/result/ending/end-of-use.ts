/**
 * Since when a target has been unusable, and when it forgot executions: reported only if the
 * records are clear about it.
 */
import { counted } from '../../base/collections/counts.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { LedgerResult } from '../document.ts'
import type { AfterLoss, LastError, LostExecution } from '../counting/tallies/claims.ts'
import type { Timeline } from '../counting/tallies/timeline.ts'
import type { AnswerCode } from '../../crew/observation.ts'

/** Fewer errors at the end of a run are not reported. */
const FEWEST_ERRORS = 5
/** The share of them that the named cause must explain. */
const CLEAR_SHARE = 0.8
const FEWEST_FORGOTTEN = 2
/** Two intervals may have an age in common by chance. */
const FEWEST_OF_AN_AGE = 3

/** The part of the observations that is needed. */
interface AfterLossSources {
  /** Empty unless the circuit opened: the verdict reports that. */
  losses: readonly unknown[]
  requests: { afterLoss: AfterLoss }
  timeline: Pick<Timeline, 'intervalMicros' | 'inFlight'>
}

/** Only errors since the last usable answer: over all requests, over kickoffs, or over polls. */
export function endOfUse({ requests, losses }: AfterLossSources) {
  if (losses.length > 0) return null
  const { lastUsableMicros, lastErrors } = requests.afterLoss
  const { kickoff, status } = lastUsableMicros
  const everything = kickoff === null ? status : Math.max(kickoff, status ?? 0)
  const candidates = [
    { of: 'request', sinceMicros: everything, errors: lastErrors },
    { of: 'kickoff', sinceMicros: kickoff, errors: lastErrors.filter(isOf('kickoff')) },
    { of: 'poll', sinceMicros: status, errors: lastErrors.filter(isOf('status')) },
  ] as const
  for (const { of, sinceMicros, errors } of candidates) {
    if (sinceMicros === null) continue
    const after = errors.filter(({ atMicros }) => atMicros > sinceMicros).toReversed()
    const answer = commonest(after)
    // If the target was reached again, even by the other kind of request, this is not an end.
    const isReached = (everything ?? 0) > (after.at(-1)?.atMicros ?? Infinity)
    if (answer === null || (typeof answer !== 'number' && isReached)) continue
    const first = after.find((error) => error.answer === answer)!
    return {
      of,
      answer,
      fromMs: first.atMicros / MICROS_PER_MS,
      lastUsableMs: sinceMicros / MICROS_PER_MS,
      failed: after.length,
    }
  }
  return null
}

function isOf(operation: LastError['operation']): (error: LastError) => boolean {
  return (error) => error.operation === operation
}

/**
 * The cause of nearly all of them; null if there are too few, none is clear, or executions could
 * not be found, which is reported separately.
 */
function commonest(errors: readonly LastError[]): AnswerCode | null {
  const executions = new Set(errors.map(({ index }) => index))
  if (errors.length < FEWEST_ERRORS || executions.size < 2) return null
  const [answer, count] = counted(errors.map((error) => error.answer))[0]!
  return count >= CLEAR_SHARE * errors.length && answer !== 404 ? answer : null
}

/** The true time is between the two. */
interface Bracket {
  afterMicros: Micros
  byMicros: Micros
}

interface Forgetting extends Bracket {
  executions: number
}

type Disagreements = Pick<LedgerResult, 'disagreements'>

/** `ledger`: what the crew itself says of its executions; null if it does not. */
export function forgottenExecutions(observations: AfterLossSources, ledger: Disagreements | null) {
  const { lost } = observations.requests.afterLoss
  const isAsked = ledger?.disagreements.some(({ kind }) => kind === 'asked') ?? false
  const clear = isAsked ? [] : explanations(observations)
  const isUnclear = ledger === null && clear.length === 0 && lost.length > 0
  const all = isUnclear ? [{ executions: lost.length, moment: null, age: null }] : clear
  return all.map((each) => Object.assign(each, { isAskedPossible: ledger === null }))
}

/**
 * Why executions that were readable before could not be found any more. One age since acceptance
 * that explains all of them is a retention, if several moments would be needed instead; if one
 * moment suffices too, it may be either. Otherwise the moments explain them, unless most were lost
 * at other times: those were forgotten one by one, and some of them coincided by chance.
 */
function explanations({ requests, timeline }: AfterLossSources) {
  const { lost } = requests.afterLoss
  const groups = momentsOf(lost)
  const age = inMs(commonAge(lost))
  const isOneMoment = groups.length === 1 && groups[0]!.executions === lost.length
  if (age !== null && !isOneMoment) return [{ executions: lost.length, moment: null, age }]
  const most = groups.filter((each) => isMost(each, timeline))
  const explained = most.reduce((sum, { executions }) => sum + executions, 0)
  if (age === null && explained < lost.length / 2) return []
  return most.map(({ executions, ...moment }) => ({ executions, moment: inMs(moment), age }))
}

function inMs(bracket: Bracket | null) {
  return (
    bracket && {
      afterMs: bracket.afterMicros / MICROS_PER_MS,
      byMs: bracket.byMicros / MICROS_PER_MS,
    }
  )
}

/** The age of all of them when they were forgotten; null if no age fits all, or they are few. */
function commonAge(lost: readonly LostExecution[]): Bracket | null {
  if (lost.length < FEWEST_OF_AN_AGE) return null
  let [afterMicros, byMicros] = [0, Infinity]
  for (const each of lost) {
    afterMicros = Math.max(afterMicros, each.afterMicros - each.acceptedMicros)
    byMicros = Math.min(byMicros, each.byMicros - each.acceptedMicros)
  }
  return afterMicros < byMicros ? { afterMicros, byMicros } : null
}

/**
 * The fewest moments that together explain why they could not be found: a moment in each interval
 * (by earliest end first, the greedy algorithm for stabbing intervals). A single execution that is
 * not found has another cause.
 */
function momentsOf(all: readonly LostExecution[]): Forgetting[] {
  const groups: LostExecution[][] = []
  for (const lost of all) {
    const first = groups.at(-1)?.[0]
    if (first !== undefined && lost.afterMicros < first.byMicros) groups.at(-1)!.push(lost)
    else groups.push([lost])
  }
  return groups
    .filter(({ length }) => length >= FEWEST_FORGOTTEN)
    .map((group) => ({
      afterMicros: Math.max(...group.map(({ afterMicros }) => afterMicros)),
      byMicros: group[0]!.byMicros,
      executions: group.length,
    }))
}

/**
 * It counts as one moment if most of the executions in flight when the preceding interval ended
 * were lost at once.
 */
function isMost(
  { afterMicros, executions }: Forgetting,
  timeline: AfterLossSources['timeline'],
): boolean {
  const slot = Math.floor(afterMicros / timeline.intervalMicros) - 1
  return executions >= (timeline.inFlight[slot] ?? 0) / 2
}
