/** Why a measurement is not valid: a reason for each check of the generator, and for its errors. */
import { z } from 'zod'
import { formatCount, formatMs, formatShare, plural } from '../../base/numbers.ts'
import { inSentences } from '../../base/text.ts'
import type { ShapeFacts, ReasonRow } from '../sentence-tables.ts'
import { reason } from '../sentence-tables.ts'
import type { CHECKS, ScenarioErrors, Yardstick } from '../document-parts.schema.ts'
import { count, lateBasis, ms, scenarioErrors } from '../document-parts.schema.ts'
import { instanceNames, runOrInstances, someInstances, subject } from './instances.ts'

const share = z.number().describe('0 to 1')

const latenessFacts = { p99Ms: ms, boundMs: ms, basis: lateBasis.nullable(), late: someInstances }

const recordsFacts = {
  missing: someInstances.describe('Without a journal'),
  beheaded: someInstances.describe('Whose journal lost its beginning'),
  unfinished: someInstances,
  open: count.describe('Executions of those without an end'),
  uneven: z
    .array(z.object({ instance: count, records: count, arrivals: count }))
    .describe('The first five of the instances in which these differ'),
  unevenMore: count.describe('Further ones'),
  isOwnCrew: z.boolean().describe('The fake crew ended with the run'),
}

const journalFacts = {
  unwritten: count.describe('Lines'),
  trouble: z.string().nullable().describe('Why; null if that is not known'),
  unread: count,
  firstUnread: z.string().nullable().describe('`steady/executions.ndjson:12`; null: not known'),
  doubled: count,
}

export const GENERATOR_REASONS = {
  lateness: reason(
    latenessFacts,
    ({ p99Ms, late, boundMs }) =>
      `${subject('the generator', late)} late: p99 ${formatMs(p99Ms)}, bound ${formatMs(boundMs)}`,
    ({ p99Ms }) =>
      'lower the rate, use a separate machine, or raise the bound in the scenario: ' +
      `validity: { lateness: '${roomFor(p99Ms)}' }`,
    ({ p99Ms }) => `the generator sent requests late (p99 ${formatMs(p99Ms)})`,
  ),
  utilisation: reason(
    { utilisation: share, bound: share, busy: someInstances },
    ({ utilisation, bound, busy }) =>
      `${subject('the generator', busy)} busy: event loop at ${formatShare(utilisation)} for ` +
      `five seconds, bound ${formatShare(bound)}`,
    'lower the rate, poll less often, or distribute the load over several instances',
    'the generator was too busy to measure',
  ),
  little: reason(
    { residual: share, bound: share },
    ({ residual, bound }) =>
      `the records do not add up: Little's residual ${formatShare(residual)}, bound ` +
      formatShare(bound),
    'records are missing or wrong: check the ledger and the journal, and report it as a bug',
    'the requests in flight contradict the measured times',
  ),
  records: reason(
    recordsFacts,
    recordsWords,
    ({ missing, isOwnCrew }) =>
      missing.of > 1
        ? 'merge the journal of each instance exactly once; after a crash, run again'
        : isOwnCrew
          ? 'run again'
          : 'run again; after a crash, first finish its executions with crewload resume',
    'records of executions are missing',
  ),
  journal: reason(
    journalFacts,
    journalWords,
    ({ unwritten }) => (unwritten > 0 ? UNWRITTEN_REMEDY : UNREAD_REMEDY),
    'the journal is damaged',
  ),
  clock: reason(
    { steps: count },
    ({ steps }) => `the clock stepped during the run: ${plural(steps, 'step')}`,
    'keep the machine awake and its clock synchronised, and run again',
    'the clock stepped during the run',
  ),
  scenario: reason(
    {
      errors: z.array(scenarioErrors).describe('The first three of the functions that failed'),
      more: count.describe('Further ones'),
    },
    ({ errors, more }) => {
      const others = more > 0 ? [`${plural(more, 'more check')} failed too`] : []
      return `the scenario's own code failed: ${[...errors.map(errorWords), ...others].join('. ')}`
    },
    'fix that function and run again: the crew is not the cause',
    'a function of the scenario failed',
  ),
  start: reason(
    { instances: count, apartMs: ms, boundMs: ms, last: count.describe('The last to begin') },
    ({ instances, apartMs, boundMs, last }) =>
      `the ${instances} instances began up to ${formatMs(apartMs)} apart, instance ${last} last, ` +
      `bound ${formatMs(boundMs)}`,
    'merge journals of one run only, start its instances together (k6: CREWLOAD_START_EVERY), ' +
      'and synchronise their clocks',
    'the instances did not run at the same time',
  ),
  admission: reason(
    { dropped: count, arrivals: count, bound: share },
    ({ dropped, arrivals, bound }) =>
      `the planned load was not sent: ${formatCount(dropped)} of ${plural(arrivals, 'arrival')} ` +
      `were dropped by the generator, bound ${formatShare(bound)}`,
    'raise admission.maxInFlight, fix inputs that throw, or allow it with admission.maxDropped',
    ({ dropped, arrivals }) =>
      `the generator dropped ${formatCount(dropped)} of ${plural(arrivals, 'arrival')}`,
  ),
  'generator-error': reason(
    {
      of: z
        .enum(['crewload', 'machine'])
        .describe('`machine`: it ran out of what connections need'),
      error: z.string(),
    },
    ({ of, error }) =>
      of === 'crewload'
        ? `crewload itself failed: ${error}`
        : `this machine ran out of what a connection needs: ${error}`,
    ({ of }) =>
      of === 'crewload'
        ? 'fix the scenario if the error comes from it; otherwise report it as a bug'
        : 'raise the limit of open files with "ulimit -n", or lower connections.max',
    'the generator failed',
  ),
} satisfies Record<(typeof CHECKS)[number] | 'generator-error', ReasonRow>

/** `10.0 ms`; `1.00 s (5 % of the median execution, at most 1.00 s)`. */
export function latenessBoundWords({
  boundMs,
  basis,
}: Pick<ShapeFacts<typeof latenessFacts>, 'boundMs' | 'basis'>): string {
  const bound = formatMs(boundMs)
  if (basis === null) return bound
  const cap = basis.isCapped ? `, at most ${bound}` : ''
  const of = YARDSTICK_WORDS[basis.of]
  return `${bound} (${formatShare(basis.share)} of the median ${of}${cap})`
}

const YARDSTICK_WORDS: Record<Yardstick, string> = {
  kickoff: 'kickoff request',
  status: 'status request',
  execution: 'execution',
  detectionDelay: 'detection delay',
}

/** `50ms` for 23 ms: the next of 1, 2 and 5 times a power of ten. */
function roomFor(p99Ms: number): string {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, p99Ms)))
  const step = [1, 2, 5].find((each) => each * power > p99Ms) ?? 10
  return `${step * power}ms`
}

function recordsWords(facts: ShapeFacts<typeof recordsFacts>): string {
  const { missing, beheaded, unfinished, open, uneven, unevenMore } = facts
  const left = `did not finish: ${plural(open, 'execution')} without an end`
  const parts = [
    missing.count > 0 ? `no journal of ${instanceNames(missing)}` : '',
    beheaded.count > 0 ? `${runOrInstances(beheaded)} lost the beginning of the journal` : '',
    unfinished.count > 0 ? `${runOrInstances(unfinished)} ${left}` : '',
    ...uneven.map(({ instance, records, arrivals }) => {
      const place = missing.of === 1 ? '' : ` of instance ${instance}`
      return `${plural(records, 'record')} for ${plural(arrivals, 'arrival')}${place}`
    }),
    unevenMore > 0 ? `${plural(unevenMore, 'more instance')} differ too` : '',
  ]
  return inSentences(...parts)
}

function journalWords({
  unwritten,
  trouble,
  unread,
  firstUnread,
  doubled,
}: ShapeFacts<typeof journalFacts>): string {
  const what = doubled > 0 ? 'damaged' : 'incomplete'
  const place = firstUnread === null ? '' : ` (first: ${firstUnread})`
  const why = trouble === null ? '' : ` (${trouble})`
  const parts = [
    unwritten > 0 ? `${plural(unwritten, 'line')} not written${why}` : '',
    unread > 0 ? `${plural(unread, 'line')} not readable${place}` : '',
    doubled > 0 ? `${plural(doubled, 'line')} doubled` : '',
  ]
  return `the journal is ${what}: ${parts.filter((part) => part !== '').join(', ')}`
}

const UNWRITTEN_REMEDY =
  'keep the run folder where it is, and check free space and write permission with crewload doctor'
/** Complete lines were truncated or damaged on their way here. */
const UNREAD_REMEDY =
  'fetch each instance’s complete journal or log again (kubectl logs --follow, from the start of ' +
  'its pod) and merge those'

/**
 * `checks.mentions failed for 3 of 40 executions, first for arrival 5: TypeError: x is undefined
 * (mine.ts:4:3)`.
 */
function errorWords({ part, per, count: failed, calls, first }: ScenarioErrors): string {
  return (
    `${part} failed for ${formatCount(failed)} of ${plural(calls, per)}, first for ` +
    `arrival ${first.index}: ${first.message}`
  )
}
