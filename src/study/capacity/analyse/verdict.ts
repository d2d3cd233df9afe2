/** States in one sentence whether the question is answered, and what would settle it if not. */
import { formatCount, formatMs, plural, formatShare } from '../../../base/numbers.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import type { TrialReason } from '../../frame/findings.ts'
import { findingOf } from '../../frame/findings.ts'
import type {
  CapacityDocument,
  CapacityPlan,
  CapacityReason,
  CapacityVerdict,
} from '../document.ts'
import { FINDINGS } from '../document.ts'
import { boundsOf, heldPerHour } from './bounds.ts'
import { causesOf, refusalOf } from './causes.ts'
import { findingsOf, runFindings } from './findings.ts'
import type { Ranged } from './model/interval.ts'
import { Z98 } from './model/interval.ts'
import { formatPerHour } from './model/system.ts'
import { budgetOfOverfilling } from './search/loads.ts'
import type { CapacitySearch } from './search/search.ts'
import { confirmationOf, FEWEST_SERVICES, FIRST_SERVICES } from './search/search.ts'

/** A search that has ended. */
export interface Searched {
  search: CapacitySearch
  plan: CapacityPlan
  facts: StudyFacts
  invalid: readonly TrialReason[]
  wasOutOfTime: boolean
}

/** What a search came to, whatever the verdict; a verdict without an answer leaves parts out. */
export type CapacityFigures = Pick<
  CapacityDocument,
  | 'model'
  | 'saturation'
  | 'inFlight'
  | 'binding'
  | 'limit'
  | 'sharedPerHour'
  | 'oneMoreWorker'
  | 'scaling'
  | 'confirmation'
> & { capacity: Ranged | null }

type Judged = Pick<CapacityDocument, 'verdict' | 'capacity' | 'atLeast' | 'atMost' | 'findings'> &
  Partial<CapacityDocument>

const NO_ANSWER = {
  capacity: null,
  atLeast: null,
  atMost: null,
  inFlight: null,
  binding: null,
  sharedPerHour: null,
  limit: null,
}

export function judged(searched: Searched, figures: CapacityFigures): Judged {
  const { search, invalid, plan } = searched
  const { scaling, contradiction } = search.learned
  const causes = causesOf(search.learned)
  const beside = [...findingsOf(search.learned), ...runFindings(searched)]
  const warnings = causes.map(({ code, message }) => findingOf(FINDINGS, code, message))
  const bounds = boundsOf(search, figures.saturation?.high ?? null)
  const known = { ...bounds, findings: [...beside, ...warnings] }
  const unknown = { ...NO_ANSWER, oneMoreWorker: null, ...known }
  if (invalid.length > 0) {
    const verdict = verdictOf('invalid', 'The measurement cannot be trusted.', ...invalid)
    return { ...unknown, verdict }
  }
  const refusal = refusalOf(search, { causes, bounds, within: plan.within })
  if (refusal !== null) {
    const { sentence, reasons } = refusal
    const model =
      contradiction !== null || figures.model === null
        ? null
        : { ...figures.model, accepted: false }
    const verdict = verdictOf('refused', sentence, ...reasons)
    return { ...unknown, verdict, findings: beside, model, curve: [] }
  }
  if (scaling?.stands === false) return { ...unknown, verdict: stillGrowing(searched, scaling) }
  const solution = search.estimate?.solution
  if (solution?.kind === 'fails-alone') {
    if (!solution.isSure || search.failsAlone !== true) return { ...unknown, verdict: UNSURE }
    const verdict = failsAlone(searched, figures)
    const capacity = { perHour: 0, low: 0, high: 0, resolved: true }
    const { binding } = figures
    return { ...NO_ANSWER, binding, findings: known.findings, capacity, verdict }
  }
  const { capacity } = figures
  if (solution?.kind === 'rate' && capacity !== null) {
    return { ...known, ...answered(searched, figures, capacity) }
  }
  return solution === undefined && !isUnlimited(searched)
    ? { ...unknown, verdict: notFull(searched) }
    : {
        ...unknown,
        verdict: unlimited(search),
        atLeast: heldPerHour(search, search.criteria, 'seen'),
      }
}

function verdictOf(
  outcome: CapacityVerdict['outcome'],
  sentence: string,
  ...reasons: CapacityReason[]
): CapacityVerdict {
  return { outcome, sentence, reasons }
}

const UNSURE = verdictOf(
  'unresolved',
  'Not known yet: even a single execution may break a promise.',
  {
    code: 'too-few',
    message: 'too few executions to tell whether the promises hold without load',
    remedy: 'allow more kickoffs',
  },
)

function stillGrowing(
  { plan }: Searched,
  { from, to }: { from: number; to: number },
): CapacityVerdict {
  const sentence = 'Not known yet: the number of workers still grew when the search ended.'
  return verdictOf('unresolved', sentence, {
    code: 'still-growing',
    message: `while executions waited, the number at work grew from ${from} to ${to}`,
    remedy:
      to >= plan.maxInFlight ? 'try more with --max-in-flight' : 'allow more kickoffs or more time',
  })
}

function answered(
  searched: Searched,
  figures: CapacityFigures,
  capacity: Ranged,
): Pick<Judged, 'verdict' | 'capacity' | 'atLeast' | 'atMost'> {
  const { expectedPerHour: expected, engine } = searched.plan
  const missing = missingOf(searched, figures, capacity)
  const isBelow = expected !== null && capacity.high < expected
  const isSure = expected === null || isBelow || capacity.low >= expected
  const reasons =
    expected === null || isSure || missing.length > 0 ? missing : [unsure(expected, capacity)]
  const sentence = sentenceOf(figures, capacity, expected)
  const isUnconfirmed =
    engine === 'none' && reasons.length === 1 && reasons[0]?.code === 'not-confirmed'
  const undecided = isUnconfirmed ? 'unconfirmed' : 'unresolved'
  return {
    capacity: { ...capacity, resolved: missing.length === 0 },
    atLeast: null,
    atMost: null,
    verdict:
      isBelow && figures.confirmation !== null
        ? verdictOf('below', sentence, below(expected, capacity, figures.limit), ...missing)
        : verdictOf(reasons.length > 0 ? undecided : 'answered', sentence, ...reasons),
  }
}

function sentenceOf(figures: CapacityFigures, capacity: Ranged, expected: number | null): string {
  const { binding, inFlight, saturation, model } = figures
  const [perHour, low, high] = [capacity.perHour, capacity.low, capacity.high].map(formatPerHour)
  const flight = inFlight === null ? '' : `, ${formatPerHour(inFlight.value)} in flight`
  const full =
    model?.queueLimit == null
      ? 'the backlog grows without end'
      : 'every worker is busy all the time'
  const why = binding?.why == null ? '' : `, because ${binding.why}`
  const grows =
    saturation === null ? '' : `at ${formatPerHour(saturation.perHour)} per hour ${full}`
  const first =
    binding?.metric == null
      ? 'no promise breaks before the backlog grows without end at that rate'
      : `the first promise to break is ${binding.metric}${why}; ${grows}`
  return (
    `${perHour} kickoffs per hour (${low} to ${high})${flight}; ${first}.` +
    `${scalingWords(figures.scaling)}${limitWords(figures, capacity)}${roomWords(capacity, expected)}`
  )
}

function roomWords({ perHour }: Ranged, expected: number | null): string {
  if (expected === null) return ''
  const share = formatShare(Math.abs(perHour / expected - 1))
  const way = perHour >= expected ? 'more' : 'less'
  return ` That is ${share} ${way} than the expected ${formatPerHour(expected)}.`
}

/** Sentences that follow the capacity, each after a blank; none if the workers do not scale. */
function scalingWords(scaling: CapacityFigures['scaling']): string {
  if (scaling === null) return ''
  const { from, to, tookMs, coldStart } = scaling
  const grew = `it grew from ${from} to ${plural(to, 'worker')} in ${formatMs(tookMs)}`
  const scaled = ` That is the crew as scaled: ${grew}.`
  if (coldStart === null) return scaled
  const { caughtUpMs, p95Ms, broken } = coldStart
  const late =
    broken === null
      ? ''
      : `${formatShare(broken.share)} of the executions take longer than ${broken.promise} ` +
        'allows, and '
  return (
    `${scaled} If such a load starts on ${plural(from, 'worker')}, the crew needs ` +
    `${formatMs(caughtUpMs)} to catch up; until then ${late}the p95 is ${formatMs(p95Ms)}.`
  )
}

/** What limits the crew, if that is not the workers alone; begins with a blank. */
function limitWords(figures: CapacityFigures, { perHour }: Ranged): string {
  const { limit, sharedPerHour, oneMoreWorker, model } = figures
  if (limit === null || limit.kind === 'workers') return ''
  const longer = formatShare(limit.slowdown.value - 1)
  const busy = model === null ? 'every worker is' : `all ${plural(model.slots.value, 'worker')} are`
  const shared =
    sharedPerHour === null
      ? 'All executions share something'
      : 'Something that all executions share caps the crew at about ' +
        `${formatPerHour(sharedPerHour.value)} per hour, whatever its workers`
  const cap = ` ${shared}: executions take ${longer} longer while ${busy} busy.`
  if (oneMoreWorker === null) return cap
  const gain = oneMoreWorker.high / perHour - 1
  return gain < NOTHING
    ? `${cap} More workers bring nothing; more of what is shared does, such as a higher quota of ` +
        'the language model.'
    : `${cap} One more worker brings at most ${formatShare(gain)}.`
}

/** A smaller gain is called nothing. */
const NOTHING = 0.03

function failsAlone({ search }: Searched, { binding }: CapacityFigures): CapacityVerdict {
  const { solution, system } = search.estimate!
  const { text } = search.criteria[solution.kind === 'fails-alone' ? solution.broken : 0]!
  const { micros } = system.service
  const longest = formatMs((micros.at(-1) ?? 0) / MICROS_PER_MS)
  const sentence = `None: ${text} does not hold even for an execution that is alone in the crew.`
  return verdictOf('fails', sentence, {
    code: 'fails-alone',
    message:
      `${binding?.why ?? text}; the longest of ${plural(micros.length, 'execution')} took ` +
      longest,
    remedy: 'relax the promises, or make executions shorter or more reliable',
  })
}

/** Whether a search to its end never filled the crew with the most clients. */
function isUnlimited({ plan, facts, wasOutOfTime, search }: Searched): boolean {
  const isWhole = plan.engine !== 'none' && facts.ended === 'complete' && !wasOutOfTime
  return isWhole && search.learned.slotsSeen >= plan.maxInFlight
}

function unlimited(search: CapacitySearch): CapacityVerdict {
  const carried = heldPerHour(search, [], 'seen')
  const at = carried === null ? '' : `: it completed ${formatPerHour(carried)} kickoffs per hour`
  return verdictOf('unlimited', `No limit was reached${at}.`, {
    code: 'no-limit',
    message: 'even with the most executions at once that were tried, none waited for a worker',
    remedy: 'try more with --max-in-flight',
  })
}

function notFull({ plan, search, facts, wasOutOfTime }: Searched): CapacityVerdict {
  const { slots, slotsSeen, full, loads } = search.learned
  const began = `${plural(full.micros.length, 'execution')} began while all of them were busy`
  const code = 'not-full' as const
  if (plan.engine === 'none') {
    const sentence =
      'Not known: the crew was not full, or not for long enough, in the recorded runs.'
    const isHidden = loads.some(({ seen }) => seen.truth === 'polls')
    const message =
      slots !== null
        ? `of ${plural(slots, 'worker')}, ${began}; a first estimate needs ${FIRST_SERVICES}`
        : isHidden
          ? 'the crew reports no times of its executions, and their ends show no wait'
          : `the runs had at most ${plural(slotsSeen, 'execution')} at once, and none waited`
    const more = isHidden && slots === null ? '' : 'name runs with more load, or '
    return verdictOf('unresolved', sentence, { code, message, remedy: `${more}${fill()}` })
  }
  const isStopped = facts.ended === 'interrupted'
  const more = wasOutOfTime
    ? 'allow more time with --max-duration'
    : `allow more: --max-kickoffs ${nextBudget(plan.budget.kickoffs)}`
  const remedy = isStopped ? CONTINUE : more
  if (slots === null) {
    const message = `the crew ran ${plural(slotsSeen, 'execution')} at once, and none waited`
    const sentence = isStopped
      ? 'Not known yet: the search was stopped before it had filled the crew.'
      : 'Not known yet: the crew was not filled within the budget.'
    return verdictOf('unresolved', sentence, { code, message, remedy })
  }
  const message =
    `the crew has ${plural(slots, 'worker')}, and ${began}; a first estimate needs ` +
    `${FEWEST_SERVICES}`
  const sentence = 'Not known yet: the search ended before the full crew was sampled.'
  return verdictOf('unresolved', sentence, { code, message, remedy })
}

const CONTINUE = 'continue the search with crewload resume'
const TRY_KICKOFFS = 1_000

function fill(kickoffs = TRY_KICKOFFS): string {
  return `let the search fill the crew: --target URL --max-kickoffs ${kickoffs}, or --profile NAME`
}

function nextBudget(kickoffs: number): number {
  return Number((kickoffs * 4).toPrecision(1))
}

/** What is missing of a narrow and confirmed answer. */
function missingOf(searched: Searched, figures: CapacityFigures, { perHour, low, high }: Ranged) {
  const { plan, search, wasOutOfTime, facts } = searched
  const isStopped = facts.ended === 'interrupted'
  const isUnconfirmed = search.confirmation === null
  const isSent = plan.engine !== 'none'
  const width = Math.max(high / perHour, perHour / low) - 1
  const isQueueUntried = Math.expm1(Z98 * search.estimate!.spreads!.untried) > plan.within
  const reasons: CapacityReason[] = []
  // The confirming arrivals make a queue that is long enough to show whether it is limited.
  if (!(width <= plan.within * TOLERATED) && (isSent || !isQueueUntried || !isUnconfirmed)) {
    const wide = Number.isFinite(width) ? `is ${formatShare(width)} wide` : 'has no known end'
    const { slots, service } = figures.model!
    const narrow = isQueueUntried
      ? fillingQueue(searched, slots.value)
      : narrowing(service[0]!.full.n, width / plan.within, isSent)
    reasons.push({
      code: 'wide',
      message:
        `the interval ${wide} on one side, and ${formatShare(plan.within)} was requested` +
        (isQueueUntried ? '; no load showed whether a longer queue is possible' : ''),
      remedy: isStopped ? CONTINUE : narrow,
    })
  }
  if (isUnconfirmed && !isSent) {
    reasons.push({
      code: 'not-confirmed',
      message: 'no recorded run with open arrivals had as many executions in the crew at once',
      remedy:
        `${confirmationOf(TRY_KICKOFFS)} kickoffs at that rate would confirm it: add --target URL ` +
        `--max-kickoffs ${TRY_KICKOFFS}, or --profile NAME`,
    })
  } else if (isUnconfirmed) {
    const isEnded = wasOutOfTime || facts.ended !== 'complete'
    const why = isEnded ? 'the search ended before that' : 'the budget was too small'
    reasons.push({
      code: 'not-confirmed',
      message: `the rate was not confirmed on the crew: ${why}`,
      remedy: isStopped ? CONTINUE : 'allow more kickoffs or more time',
    })
  }
  return reasons
}

/**
 * The factor by which the width may exceed the one asked for, because the last load is planned by
 * an estimate of it.
 */
const TOLERATED = 1.05

/** The remedy where no load was heavy enough to show whether the queue is limited. */
function fillingQueue({ plan, wasOutOfTime }: Searched, slots: number): string {
  const needed = budgetOfOverfilling(slots)
  if (plan.engine === 'none') return fill(needed)
  const { kickoffs } = plan.budget
  const larger = kickoffs < needed ? needed : nextBudget(kickoffs)
  return wasOutOfTime ? 'allow more time' : `allow more: --max-kickoffs ${larger}`
}

/** A wider interval than this many times the one asked for cannot tell how much more is needed. */
const MOST_TIMES = 4

/** The width falls with the square root of the executions of the full crew. */
function narrowing(executions: number, times: number, isSent: boolean): string {
  if (!(times <= MOST_TIMES)) {
    const more = isSent ? 'allow several times as many kickoffs' : 'name longer runs'
    return `${more}: there are too few executions to tell how many are needed`
  }
  const more = Number(Math.ceil(executions * (times ** 2 - 1)).toPrecision(1))
  return `about ${formatCount(more)} more kickoffs would make it narrow enough`
}

function below(
  expected: number,
  { high }: Ranged,
  limit: CapacityFigures['limit'],
): CapacityReason {
  const [wanted, most] = [expected, high].map(formatPerHour)
  return {
    code: 'below-expected',
    message: `${wanted} kickoffs per hour are expected, and the crew can take at most ${most}`,
    remedy: `${limit === null ? 'find what limits a full crew' : REMEDIES[limit.kind]}, or relax the promises`,
  }
}

const RAISE = 'raise what all executions share, such as a quota of the language model'
const REMEDIES = { workers: 'add workers', shared: RAISE, both: `add workers and ${RAISE}` }

function unsure(expected: number, { low, high }: Ranged): CapacityReason {
  const [wanted, from, to] = [expected, low, high].map(formatPerHour)
  return {
    code: 'expected-within',
    message: `${wanted} kickoffs per hour are expected, which lies between ${from} and ${to}`,
    remedy: 'request a narrower interval with --within',
  }
}
