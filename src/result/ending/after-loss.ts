/**
 * Since when a target has been unusable, and when it forgot executions: reported only if the
 * records are clear about it.
 */
import { counted } from '../../base/collections/counts.ts'
import type { Micros } from '../../base/units.ts'
import type { LedgerResult } from '../document.ts'
import { formatDuration, plural } from '../../base/numbers.ts'
import { lossCause } from './target-loss.ts'
import type { AfterLoss, LastError, LostExecution } from '../counting/tallies/claims.ts'
import type { Timeline } from '../counting/tallies/timeline.ts'
import type { AnswerCode } from '../../crew/observation.ts'
import type { RunFinding } from '../finding.ts'
import { findingOf } from '../finding.ts'

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

/** `ledger`: what the crew itself says of its executions; null if it does not. */
export function afterLossFindings(
  observations: AfterLossSources,
  ledger: Pick<LedgerResult, 'disagreements'> | null = null,
): RunFinding[] {
  const last = observations.losses.length > 0 ? null : endOfUse(observations)
  const isAsked = ledger?.disagreements.some(({ kind }) => kind === 'asked') ?? false
  const clear = isAsked ? [] : forgottenMessages(observations)
  const guesses = ledger === null ? unclearMessages(clear, observations) : clear
  return [
    ...guesses.map((message) => findingOf('forgotten', message)),
    ...(last === null ? [] : [findingOf('no-use-at-end', endWords(last))]),
  ]
}

interface EndOfUse {
  what: 'request' | 'kickoff' | 'poll'
  sinceMicros: Micros
  /** The time after that; the first is the earliest. */
  errors: readonly LastError[]
  answer: AnswerCode
}

/** Only errors since the last usable answer: over all requests, over kickoffs, or over polls. */
function endOfUse({ requests }: AfterLossSources): EndOfUse | null {
  const { lastUsableMicros, lastErrors } = requests.afterLoss
  const { kickoff, status } = lastUsableMicros
  const everything = kickoff === null ? status : Math.max(kickoff, status ?? 0)
  const candidates = [
    { what: 'request', sinceMicros: everything, errors: lastErrors },
    { what: 'kickoff', sinceMicros: kickoff, errors: lastErrors.filter(isOf('kickoff')) },
    { what: 'poll', sinceMicros: status, errors: lastErrors.filter(isOf('status')) },
  ] as const
  for (const { what, sinceMicros, errors } of candidates) {
    if (sinceMicros === null) continue
    const after = errors.filter(({ atMicros }) => atMicros > sinceMicros).toReversed()
    const answer = commonest(after)
    // If the target was reached again, even by the other kind of request, this is not an end.
    const isReached = (everything ?? 0) > (after.at(-1)?.atMicros ?? Infinity)
    if (answer === null || (typeof answer !== 'number' && isReached)) continue
    return { what, sinceMicros, errors: after, answer }
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

function endWords({ what, sinceMicros, errors, answer }: EndOfUse): string {
  const { happened, remedy } = lossCause(answer)
  const first = errors.find((error) => error.answer === answer)!
  const many = `${plural(errors.length, what)} after it`
  return (
    `${happened} from ${formatDuration(first.atMicros)} on (${answer}): ` +
    `the last usable answer${what === 'request' ? '' : ` to a ${what}`} came at ` +
    `${formatDuration(sinceMicros)}, and none of the ${many} succeeded; ${remedy}`
  )
}

/** The true time is between the two. */
interface Bracket {
  afterMicros: Micros
  byMicros: Micros
}

interface Forgetting extends Bracket {
  executions: number
}

/**
 * Why executions that were readable before could not be found any more. One age since acceptance
 * that explains all of them is a retention, if several moments would be needed instead; if one
 * moment suffices too, it may be either. Otherwise the moments explain them, unless most were lost
 * at other times: those were forgotten one by one, and some of them coincided by chance.
 */
function forgottenMessages({ requests, timeline }: AfterLossSources): string[] {
  const { lost } = requests.afterLoss
  const groups = momentsOf(lost)
  const moments = groups.filter((told) => isMost(told, timeline))
  const age = commonAge(lost)
  if (age === null) {
    const explained = moments.reduce((sum, { executions }) => sum + executions, 0)
    return explained >= lost.length / 2
      ? moments.map((moment) => `${forgotWords(moment)}: ${RESTARTED}`)
      : []
  }
  if (groups.length === 1 && groups[0]!.executions === lost.length) {
    return moments.map((moment) => `${forgotWords(moment)}: ${RESTARTED}, or ${keptWords(age)}`)
  }
  return [`the target stopped finding ${plural(lost.length, 'execution')}: ${keptWords(age)}`]
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

/**
 * What else explains them if nothing but their answers is known: live deployments answer "not
 * found" while they wait for a person.
 */
const OR_ASKED =
  '. Or the crew hides them while it asks a person: if it asks people, set human: true in the ' +
  'scenario'

function unclearMessages(clear: readonly string[], { requests }: AfterLossSources): string[] {
  const { lost } = requests.afterLoss
  const unclear =
    `the target stopped finding ${plural(lost.length, 'execution')} that it had reported ` +
    'before: it may have lost them'
  const told = clear.length > 0 || lost.length === 0 ? clear : [unclear]
  return told.map((message) => message + OR_ASKED)
}

const RESTARTED = 'it may have restarted or lost its data'

function keptWords(age: Bracket): string {
  return (
    `it may keep results only for ${between(age, 'to')} after acceptance: raise the retention, or ` +
    'poll more often towards the end'
  )
}

function forgotWords(moment: Forgetting): string {
  const isMoment = formatDuration(moment.afterMicros) === formatDuration(moment.byMicros)
  return (
    `${isMoment ? 'at' : 'between'} ${between(moment, 'and')} the target stopped finding ` +
    `${plural(moment.executions, 'execution')} that it had reported before`
  )
}

/** `6.10 s to 8.02 s`. */
function between({ afterMicros, byMicros }: Bracket, to: string): string {
  const [after, by] = [formatDuration(afterMicros), formatDuration(byMicros)]
  return after === by ? by : `${after} ${to} ${by}`
}
