/** States in one sentence whether the question is answered, and what would settle it if not. */
import { formatCount, formatMs, plural } from '../../../result/metrics/format.ts'
import { formatShare, MICROS_PER_MS } from '../../../base/units.ts'
import type { CapacityDocument, CapacityReason, CapacityVerdict } from '../document.ts'
import { FINDINGS } from '../document.ts'
import type { Analysed, CapacityAnswer } from './told.ts'
import { causesOf } from './causes.ts'
import { findingOf } from '../../frame/findings.ts'
import { findingsOf, runFindings } from './findings.ts'
import { boundsOf, heldPerHour } from './bounds.ts'
import type { Learned } from './learn/learn.ts'
import { rateWords } from './rate-words.ts'
import type { Criterion } from './model/criteria.ts'
import { Z98 } from './model/interval.ts'
import type { Limit } from './limit.ts'
import { limitWords } from './limit.ts'
import { refusedOf } from './refused.ts'
import { scalingWords, stillGrowing } from './scaling/words.ts'
import { budgetOfOverfilling } from './search/loads.ts'
import type { CapacitySearch } from './search/search.ts'
import { confirmationOf, FEWEST_SERVICES, FIRST_SERVICES } from './search/search.ts'

type CapacityReached = Pick<
  CapacityDocument,
  | 'verdict'
  | 'capacity'
  | 'atLeast'
  | 'atMost'
  | 'headroom'
  | 'findings'
  | keyof Omit<CapacityAnswer, 'capacity'>
> &
  Partial<Pick<CapacityDocument, 'curve'>>

type CapacityOutcome = CapacityVerdict['outcome']

export function reached(analysed: Analysed, told: CapacityAnswer): CapacityReached {
  const { search, invalid, plan } = analysed
  const causes = causesOf(search.learned)
  const beside = [...findingsOf(search.learned), ...runFindings(analysed)]
  const findings = [
    ...beside,
    ...causes.map(({ code, message }) => findingOf(FINDINGS, code, message)),
  ]
  const bounds = boundsOf(search, analysed.criteria, told.saturation?.high ?? null)
  const { capacity } = told
  const base = { ...told, findings, capacity: null, atLeast: null, atMost: null, headroom: null }
  const nothing = { ...base, inFlight: null, binding: null, sharedPerHour: null, limit: null }
  const bounded = { ...nothing, oneMoreWorker: null, atLeast: bounds.held, atMost: bounds.most }
  const open: Open = (outcome, sentence, reasons) => {
    return { ...bounded, verdict: { outcome, sentence, reasons } }
  }
  if (invalid.length > 0) return open('invalid', 'The measurement cannot be trusted.', [...invalid])
  const refused = refusedOf(search, told, { causes, bounds, within: plan.within })
  if (refused !== null) {
    const { sentence, reasons } = refused
    const isContradicted = search.learned.contradiction !== null
    const model = isContradicted ? null : refusedModel(told.model, reasons)
    return { ...open('refused', sentence, reasons), findings: beside, model, curve: [] }
  }
  const { scaling } = search.learned
  if (scaling?.stands === false) {
    const isAtMost = scaling.to >= plan.maxInFlight
    return open('unresolved', GROWING, [stillGrowing(scaling, isAtMost)])
  }
  const { solution } = search.estimate ?? { solution: null }
  if (solution?.kind === 'fails-alone') {
    return solution.isSure && search.failsAlone === true
      ? failsAlone(analysed, told, findings)
      : open('unresolved', 'Not known yet: even a single execution may break a promise.', [UNSURE])
  }
  if (solution === null) return unfilled(analysed, open)
  if (solution.kind === 'no-limit' || capacity === null)
    return unlimited(open, search, analysed.criteria)
  const width = Math.max(capacity.high / capacity.perHour, capacity.perHour / capacity.low) - 1
  const missing = missingOf(analysed, told, width)
  const resolved = missing.length === 0
  const { expectedPerHour: expected } = plan
  const isBelow = expected !== null && capacity.high < expected
  const isUnsure = expected !== null && !isBelow && !(capacity.low >= expected)
  const reasons = [...missing, ...(isUnsure && resolved ? [unsure(expected, capacity)] : [])]
  const isUnconfirmed =
    plan.engine === 'none' && reasons.length === 1 && reasons[0]?.code === 'not-confirmed'
  const undecided = isUnconfirmed ? 'unconfirmed' : 'unresolved'
  const outcome =
    isBelow && told.confirmation !== null ? 'below' : reasons.length > 0 ? undecided : 'answered'
  return {
    ...base,
    capacity: { ...capacity, resolved },
    headroom: expected === null ? null : capacity.perHour / expected - 1,
    verdict: {
      outcome,
      sentence: sentenceOf(told, capacity, expected),
      reasons:
        outcome === 'below' ? [below(expected ?? 0, capacity, told.limit), ...missing] : reasons,
    },
  }
}

/**
 * Words for a refused model: every part may agree, while something in front of the crew contradicts
 * it.
 */
function refusedModel(
  model: CapacityAnswer['model'],
  [first]: readonly CapacityReason[],
): CapacityAnswer['model'] {
  if (model === null) return null
  return { ...model, accepted: false, disagreement: model.disagreement ?? first?.message ?? null }
}

const UNSURE: CapacityReason = {
  code: 'too-few',
  message: 'too few executions to tell whether the promises hold without load',
  remedy: 'allow more kickoffs',
}

const GROWING = 'Not known yet: the number of workers still grew when the search ended.'

type Open = (
  outcome: CapacityOutcome,
  sentence: string,
  reasons: CapacityReason[],
) => CapacityReached
type CapacityRate = NonNullable<CapacityAnswer['capacity']>

function sentenceOf(told: CapacityAnswer, capacity: CapacityRate, expected: number | null): string {
  const { binding, inFlight, saturation, model } = told
  const rate =
    `${rateWords(capacity.perHour)} kickoffs per hour (${rateWords(capacity.low)} to ` +
    `${rateWords(capacity.high)})`
  const flight = inFlight === null ? '' : `, ${rateWords(inFlight.value)} in flight`
  const full =
    model?.queueLimit == null
      ? 'the backlog grows without end'
      : 'every worker is busy all the time'
  const grows = saturation === null ? '' : `at ${rateWords(saturation.perHour)} per hour ${full}`
  const first =
    binding?.metric == null
      ? '; no promise breaks before the backlog grows without end at that rate'
      : `; the first promise to break is ${binding.metric}` +
        `${binding.why === null ? '' : `, because ${binding.why}`}; ${grows}`
  const room =
    expected === null
      ? ''
      : ` That is ${formatShare(Math.abs(capacity.perHour / expected - 1))} ` +
        `${capacity.perHour >= expected ? 'more' : 'less'} than the expected ` +
        `${rateWords(expected)}.`
  return `${rate}${flight}${first}.${scalingWords(told.scaling)}${limitWords(told)}${room}`
}

function failsAlone(
  { search, criteria }: Analysed,
  told: CapacityAnswer,
  findings: CapacityDocument['findings'],
): CapacityReached {
  const { solution, system } = search.estimate!
  const place = solution.kind === 'fails-alone' ? solution.broken : 0
  const { text } = criteria[place]!
  const { micros } = system.service
  const longest = formatMs((micros.at(-1) ?? 0) / MICROS_PER_MS)
  return {
    ...told,
    findings,
    inFlight: null,
    limit: null,
    sharedPerHour: null,
    capacity: { perHour: 0, low: 0, high: 0, resolved: true },
    atLeast: null,
    atMost: null,
    headroom: null,
    verdict: {
      outcome: 'fails',
      sentence: `None: ${text} does not hold even for an execution that is alone in the crew.`,
      reasons: [
        {
          code: 'fails-alone',
          message:
            `${told.binding?.why ?? text}; the longest of ${plural(micros.length, 'execution')} ` +
            `took ${longest}`,
          remedy: 'relax the promises, or make executions shorter or more reliable',
        },
      ],
    },
  }
}

function unfilled(
  { plan, search, facts, wasOutOfTime, criteria }: Analysed,
  open: Open,
): CapacityReached {
  const { slots, slotsSeen: held, full } = search.learned
  const inFlight = plural(held, 'execution')
  if (plan.engine === 'none') return open('unresolved', NOT_FULL, [notFullIn(search.learned)])
  if (facts.ended === 'complete' && !wasOutOfTime && held >= plan.maxInFlight) {
    return unlimited(open, search, criteria)
  }
  const code = 'not-full'
  const isStopped = facts.ended === 'interrupted'
  const more = wasOutOfTime
    ? 'allow more time with --max-duration'
    : `allow more: --max-kickoffs ${nextBudget(plan.budget.kickoffs)}`
  const remedy = isStopped ? CONTINUE : more
  if (slots === null) {
    const message = `the crew ran ${inFlight} at once, and none of these executions waited for a worker`
    return open('unresolved', isStopped ? STOPPED : NOT_FILLED, [{ code, message, remedy }])
  }
  const began = plural(full.micros.length, 'execution')
  const message =
    `the crew has ${plural(slots, 'worker')}, and ${began} began while all of them were ` +
    `busy; a first estimate needs ${FEWEST_SERVICES}`
  return open('unresolved', NOT_SAMPLED, [{ code, message, remedy }])
}

const CONTINUE = 'continue the search with crewload resume'
const STOPPED = 'Not known yet: the search was stopped before it had filled the crew.'
const NOT_FILLED = 'Not known yet: the crew was not filled within the budget.'
const NOT_SAMPLED = 'Not known yet: the search ended before the full crew was sampled.'

const NOT_FULL = 'Not known: the crew was not full, or not for long enough, in the recorded runs.'

/** The reason that past runs alone never filled the crew. */
function notFullIn({ loads, slots, slotsSeen, full }: Learned): CapacityReason {
  const code = 'not-full'
  if (slots !== null) {
    const began = plural(full.micros.length, 'execution')
    const message =
      `${began} began while all ${slots} workers were busy, and ${FIRST_SERVICES} would be ` +
      'enough for a first estimate'
    return { code, message, remedy: `name more runs, or ${TRY}` }
  }
  if (loads.some(({ seen }) => seen.truth === 'polls')) {
    const message =
      'the crew does not report the times of its executions, and their ends do not show that ' +
      'any waited'
    return { code, message, remedy: TRY }
  }
  const ran = plural(slotsSeen, 'execution')
  const message = `the runs had at most ${ran} at once, and none waited for a worker`
  return { code, message, remedy: `name a run with more load, or ${TRY}` }
}

const TRY_KICKOFFS = 1_000
const TRY =
  'let the search fill the crew: --target URL --max-kickoffs ' +
  `${TRY_KICKOFFS}, or --profile NAME`

function nextBudget(kickoffs: number): number {
  return Number((kickoffs * 4).toPrecision(1))
}

function unlimited(
  open: Open,
  search: CapacitySearch,
  criteria: readonly Criterion[],
): CapacityReached {
  const carried = heldPerHour(search, [], 'seen')
  const at = carried === null ? '' : `: it completed ${rateWords(carried)} kickoffs per hour`
  const reached = open('unlimited', `No limit was reached${at}.`, [
    {
      code: 'no-limit',
      message: 'even with the most executions at once that were tried, none waited for a worker',
      remedy: 'try more with --max-in-flight',
    },
  ])
  return { ...reached, limit: NONE_SEEN, atLeast: heldPerHour(search, criteria, 'seen') }
}

const NONE_SEEN: Limit = {
  kind: 'none seen',
  slowdown: null,
  tasks: [],
  unseenAbovePerHour: null,
}

function missingOf(
  { plan, search, wasOutOfTime, facts }: Analysed,
  told: CapacityAnswer,
  width: number,
): CapacityReason[] {
  const reasons: CapacityReason[] = []
  const isUnconfirmed = search.confirmation === null && plan.engine === 'none'
  const isQueueUntried = Math.expm1(Z98 * search.estimate!.spreads!.untried) > plan.within
  // The confirming arrivals make a queue that is long enough to show whether it is limited.
  if (!(width <= plan.within * TOLERATED) && !(isQueueUntried && isUnconfirmed)) {
    const wide = tooWide(told, { width, isQueueUntried, wasOutOfTime, ...plan })
    reasons.push(facts.ended === 'interrupted' ? { ...wide, remedy: CONTINUE } : wide)
  }
  if (isUnconfirmed) {
    const kickoffs = confirmationOf(TRY_KICKOFFS)
    reasons.push({
      code: 'not-confirmed',
      message:
        'nothing was sent, and in no run of open arrivals did the crew hold as many ' +
        'executions as it has at that rate',
      remedy:
        `${kickoffs} kickoffs at that rate would confirm it: add --target URL --max-kickoffs ` +
        `${TRY_KICKOFFS}, or --profile NAME`,
    })
  } else if (search.confirmation === null) {
    const why =
      wasOutOfTime || facts.ended !== 'complete'
        ? 'the search ended before that'
        : 'the budget was too small'
    reasons.push({
      code: 'not-confirmed',
      message: `the rate was not confirmed on the crew: ${why}`,
      remedy: facts.ended === 'interrupted' ? CONTINUE : 'allow more kickoffs or more time',
    })
  }
  return reasons
}

function tooWide(
  told: CapacityAnswer,
  {
    width,
    isQueueUntried,
    wasOutOfTime,
    within,
    engine,
    budget,
  }: Pick<CapacityDocument['plan'], 'within' | 'engine' | 'budget'> & {
    width: number
    isQueueUntried: boolean
    wasOutOfTime: boolean
  },
): CapacityReason {
  const wide = Number.isFinite(width) ? `is ${formatShare(width)} wide` : 'has no known end'
  const message = `the interval ${wide} on one side, and ${formatShare(within)} was requested`
  const { slots, service } = told.model!
  if (isQueueUntried) {
    const needed = budgetOfOverfilling(slots.value)
    const kickoffs = `--max-kickoffs ${needed}`
    const larger = budget.kickoffs < needed ? needed : nextBudget(budget.kickoffs)
    const more = wasOutOfTime ? 'allow more time' : `allow more: --max-kickoffs ${larger}`
    return {
      code: 'wide',
      message: `${message}; no load showed whether a longer queue is possible`,
      remedy:
        engine === 'none'
          ? `let the search fill the crew: --target URL ${kickoffs}, or --profile NAME`
          : more,
    }
  }
  return { code: 'wide', message, remedy: narrowing(service[0]!.full.n, width / within, engine) }
}

/**
 * An interval more than this many times as wide as asked for cannot tell how many kickoffs are
 * needed.
 */
const MOST_TIMES = 4

/** The width falls with the square root of the executions of the full crew. */
function narrowing(
  executions: number,
  times: number,
  engine: CapacityDocument['plan']['engine'],
): string {
  if (!(times <= MOST_TIMES)) {
    const more = engine === 'none' ? 'name longer runs' : 'allow several times as many kickoffs'
    return `${more}: there are too few executions to tell how many are needed`
  }
  const more = Math.ceil(executions * (times ** 2 - 1))
  return (
    `about ${formatCount(Number(more.toPrecision(1)))} more kickoffs would make it narrow ` +
    'enough'
  )
}

/**
 * The factor by which the width may exceed the one asked for, because the last load is planned by
 * an estimate of it.
 */
const TOLERATED = 1.05

function below(
  expected: number,
  { high }: CapacityRate,
  limit: CapacityAnswer['limit'],
): CapacityReason {
  return {
    code: 'below-expected',
    message:
      `${rateWords(expected)} kickoffs per hour are expected, and the crew can take at most ` +
      rateWords(high),
    remedy: `${REMEDIES[limit?.kind ?? 'none seen']}, or relax the promises`,
  }
}

const RAISE = 'raise what all executions share, such as a quota of the language model'
const REMEDIES: Record<Limit['kind'], string> = {
  workers: 'add workers',
  shared: RAISE,
  both: `add workers and ${RAISE}`,
  'none seen': 'find what limits a full crew',
}

function unsure(expected: number, { low, high }: CapacityRate): CapacityReason {
  return {
    code: 'expected-within',
    message:
      `${rateWords(expected)} kickoffs per hour are expected, which lies between ` +
      `${rateWords(low)} and ${rateWords(high)}`,
    remedy: 'request a narrower interval with --within',
  }
}
