/**
 * How and why a run, an execution or a process ended, in words. The reasons are those of a verdict
 * on a run that ended before its plan, or that nothing came of.
 */
import { z } from 'zod'
import { unreachable } from '../../base/assert.ts'
import { formatCount, formatMs, plural } from '../../base/numbers.ts'
import type { ShapeFacts } from '../sentence-tables.ts'
import { reason } from '../sentence-tables.ts'
import { measuredWords } from '../metrics/sentences.ts'
import { count, ms } from '../document-parts.schema.ts'
import type { StoppingThreshold } from './end-reasons.ts'
import { thresholdText } from './end-reasons.ts'
import { someInstances, subject } from './instances.ts'

export const openFacts = {
  inFlight: count,
  unanswered: count.describe('Kickoffs without an answer'),
}

const sentFacts = { arrivals: count, sent: count }

const stopFacts = {
  ...sentFacts,
  stopped: z.enum(['drained', 'now']),
  notEnded: count.describe('Executions that had not ended within the drain time'),
}

const budgetFacts = {
  budget: z.enum(['kickoff', 'request', 'cost', 'time']),
  isPart: z.boolean().describe('It was the share of an instance'),
  ...sentFacts,
  notSent: count.describe('Arrivals that this budget refused'),
  notFollowed: count.describe('Executions whose polls it refused'),
  spent: z
    .object({
      executions: count,
      priced: count.describe('Those whose cost is known'),
      cost: z.number(),
      currency: z.string().nullable(),
      perKickoff: z.number().describe('The estimate for the others'),
    })
    .nullable()
    .describe('For a budget of costs, if any was measured'),
}

const resumedFacts = {
  how: z
    .enum(['asked-again', 'crew-ended', 'continued'])
    .describe('`asked-again`: it had ended, and some waited for a person'),
  atMs: ms,
  executions: count,
}

const FINISH = 'let the run finish for a verdict'

export const EARLY_END_REASONS = {
  crashed: reason(
    {
      cut: someInstances,
      atMs: ms,
      ...openFacts,
      isOwnCrew: z.boolean().describe('The fake crew ended with the run'),
    },
    ({ cut, atMs, ...open }) =>
      `${subject('the run', cut)} cut after ${formatMs(atMs)}: ${openWords(open)}`,
    ({ inFlight, unanswered, isOwnCrew }) =>
      inFlight + unanswered > 0 && !isOwnCrew ? 'continue them with crewload resume' : 'run again',
    ({ atMs }) => `it was cut after ${formatMs(atMs)}`,
  ),
  interrupted: reason(
    stopFacts,
    (stop) => `the run was ${earlyStopWords({ ...stop, threshold: null })}`,
    FINISH,
    (facts) => `it was stopped after ${sentWords(facts)}`,
  ),
  budget: reason(
    budgetFacts,
    budgetWords,
    ({ budget, isPart }) =>
      isPart ? `${RAISE[budget]}; k6 splits a budget into equal, fixed shares` : RAISE[budget],
    (facts) => `the budget ended it after ${sentWords(facts)}`,
  ),
  cut: reason(
    { ...sentFacts, notSent: count, notFollowed: count },
    ({ notSent, notFollowed }) => {
      const parts = [
        notSent > 0 ? `${plural(notSent, 'arrival')} not sent` : '',
        notFollowed > 0 ? notFollowedWords(notFollowed) : '',
      ]
      return `the run is incomplete: ${parts.filter((part) => part !== '').join(', ')}`
    },
    FINISH,
    (facts) => `it was cut after ${sentWords(facts)}`,
  ),
  resumed: reason(
    resumedFacts,
    resumedWords,
    'run again for a verdict',
    'it was cut, and resumed without further kickoffs',
  ),
  'no-arrivals': reason(
    {},
    () => 'no arrival fell into the measured window',
    'run longer than the warm-up',
  ),
  'nothing-completed': reason(
    {},
    () => 'no arrival completed',
    'see the reasons by outcome, and try a single kickoff with crewload check',
  ),
  'reports-unwritten': reason(
    { of: z.enum(['run', 'study']), error: z.string() },
    ({ error }) => `the reports could not be written: ${error}`,
    // Unlike those of a study, the reports of a run are made of its journal.
    ({ of }) =>
      `make room, or free the folder${of === 'run' ? ', and write them with crewload report render' : ''}`,
    'the reports could not be written',
  ),
}

/** `3 executions in flight, 1 kickoff unanswered`: only those that there are. */
export function openWords({ inFlight, unanswered }: ShapeFacts<typeof openFacts>): string {
  return [
    inFlight > 0 || unanswered === 0 ? `${plural(inFlight, 'execution')} in flight` : '',
    unanswered > 0 ? `${plural(unanswered, 'kickoff')} unanswered` : '',
  ]
    .filter((part) => part !== '')
    .join(', ')
}

function sentWords({ arrivals, sent }: ShapeFacts<typeof sentFacts>): string {
  return `${formatCount(sent)} of ${plural(arrivals, 'arrival')}`
}

const RAISE = {
  kickoff: 'raise --max-kickoffs, or lower the arrivals',
  request: 'raise --max-requests, or poll less often',
  cost: 'raise --max-cost, or lower the arrivals',
  time: 'raise --max-duration, or send for a shorter time',
}

/** For costs with `3.42 USD measured of 72 executions, about 0.8 USD for 8 others`. */
function budgetWords(facts: ShapeFacts<typeof budgetFacts>): string {
  const { budget, isPart, notSent, notFollowed, spent } = facts
  const effects = [
    notSent > 0 ? `${sentWords(facts)} sent` : '',
    notFollowed > 0 ? notFollowedWords(notFollowed) : '',
    notSent + notFollowed === 0 ? 'a kickoff was not retried' : '',
  ]
  const measured = spent && measuredWords(spent, spent.currency, spent.perKickoff)
  return (
    `${isPart ? 'a part of ' : ''}the ${budget} budget was spent: ` +
    `${effects.filter((effect) => effect !== '').join(', ')}${measured ? `. ${measured}` : ''}`
  )
}

function notFollowedWords(executions: number): string {
  return `${plural(executions, 'execution')} not followed to the end`
}

/** It names what is missing, which nothing can restore. */
function resumedWords({ how, atMs, executions }: ShapeFacts<typeof resumedFacts>): string {
  const [at, picked] = [formatMs(atMs), plural(executions, 'execution')]
  switch (how) {
    case 'asked-again':
      return `the run ended after ${at} and was resumed to ask again about ${picked} that waited for a person`
    case 'crew-ended':
      return `the run was cut after ${at} with its fake crew: ${picked} could not be continued`
    case 'continued':
      return `the run was cut after ${at} and resumed, which continued ${picked} and sent no more kickoffs`
    default:
      return unreachable(how)
  }
}

/** A run whose journal ends before the run did: for a study that learns from it. */
export interface Cut {
  /** Executions that were started, and have no end in the journal. */
  open: number
}

export function cutWords({ open }: Cut): string {
  return `it was cut: ${plural(open, 'execution')} without an end, most likely the longest`
}

type StopFacts = Pick<ShapeFacts<typeof stopFacts>, 'stopped' | 'notEnded'>

/**
 * `stopped early without draining`, `stopped early by execution.p95 < 8 s and drained`.
 * `threshold`: the one that stopped the run; null if none did.
 */
export function earlyStopWords(stop: StopFacts & { threshold: StoppingThreshold | null }): string {
  const { stopped, notEnded, threshold } = stop
  const early = `stopped early${threshold === null ? '' : ` by ${thresholdText(threshold)}`}`
  if (stopped === 'drained') return `${early} and drained`
  return notEnded > 0
    ? `${early} and drained; ${formatCount(notEnded)} had not ended in time`
    : `${early} without draining`
}
