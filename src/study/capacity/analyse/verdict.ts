/** States in one sentence whether the question is answered, and what would settle it if not. */
import { capital } from '../../../base/text.ts'
import { formatMs, plural, formatShare, formatCount } from '../../../base/numbers.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import { verdictText } from '../../frame/envelope.ts'
import type { TrialReason, FindingRule } from '../../frame/findings.ts'
import { reasonOf, findingsBy } from '../../frame/findings.ts'
import type {
  CapacityDocument,
  CapacityPlan,
  CapacityReason,
  CapacityVerdict,
  RateRange,
} from '../document.ts'
import type { SearchLimits } from './reasons.ts'
import { REASONS, TRY_KICKOFFS, FINDINGS } from './reasons.ts'
import { boundsOf, heldPerHour } from './bounds.ts'
import { causesOf, refusalOf } from './causes.ts'
import { Z98 } from './model/interval.ts'
import { formatPerHour } from './model/system.ts'
import { budgetOfOverfilling } from './search/loads.ts'
import type { CapacitySearch } from './search/search.ts'
import { confirmationOf, FEWEST_SERVICES, FIRST_SERVICES } from './search/search.ts'
import { sumBy } from '../../../result/statistics/moments.ts'
import { lapseNote } from '../../frame/time-lapse.ts'
import { coldStartMicros, slowTasksOf } from './learn/besides-queue.ts'
import type { Learned } from './learn/learn.ts'
import { isDecided, slowdownOf } from './learn/slowdown.ts'
import { groupedBy } from '../../../base/collections/counts.ts'

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
> & { capacity: RateRange | null }

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
  const bounds = boundsOf(search, figures.saturation?.high ?? null)
  const known = { ...bounds, findings: [...beside, ...causes] }
  const unknown = { ...NO_ANSWER, oneMoreWorker: null, ...known }
  if (invalid.length > 0) {
    const verdict = verdictOf('invalid', 'The measurement cannot be trusted.', ...invalid)
    return { ...unknown, verdict }
  }
  const refusal = refusalOf(search, { found: causes, bounds, within: plan.within })
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
  reasonOf(REASONS, 'too-few', 'too few executions to tell whether the promises hold without load'),
)

function stillGrowing(
  { plan }: Searched,
  { from, to }: { from: number; to: number },
): CapacityVerdict {
  const sentence = 'Not known yet: the number of workers still grew when the search ended.'
  const message = `while executions waited, the number at work grew from ${from} to ${to}`
  const reason = reasonOf(REASONS, 'still-growing', message, to >= plan.maxInFlight)
  return verdictOf('unresolved', sentence, reason)
}

function answered(
  searched: Searched,
  figures: CapacityFigures,
  capacity: RateRange,
): Pick<Judged, 'verdict' | 'capacity' | 'atLeast' | 'atMost'> {
  const { expectedPerHour: expected, engine } = searched.plan
  const missing = missingOf(searched, figures, capacity)
  const isBelow = expected !== null && capacity.high < expected
  const isSure = expected === null || isBelow || capacity.low >= expected
  const reasons =
    expected === null || isSure || missing.length > 0 ? missing : [unsure(expected, capacity)]
  const text = verdictText(...sentencesOf(figures, capacity, expected))
  const isUnconfirmed =
    engine === 'none' && reasons.length === 1 && reasons[0]?.code === 'not-confirmed'
  const undecided = isUnconfirmed ? 'unconfirmed' : 'unresolved'
  return {
    capacity: { ...capacity, resolved: missing.length === 0 },
    atLeast: null,
    atMost: null,
    verdict:
      isBelow && figures.confirmation !== null
        ? {
            outcome: 'below',
            ...text,
            reasons: [below(expected, capacity, figures.limit), ...missing],
          }
        : { outcome: reasons.length > 0 ? undecided : 'answered', ...text, reasons },
  }
}

/** The answer first; further ones may be empty. */
function sentencesOf(
  figures: CapacityFigures,
  capacity: RateRange,
  expected: number | null,
): string[] {
  const { binding, inFlight, saturation, model } = figures
  const [perHour, low, high] = [capacity.perHour, capacity.low, capacity.high].map(formatPerHour)
  const flight =
    inFlight === null ? '' : `at the limit, ${formatPerHour(inFlight.value)} are in flight; `
  const plan = capacity.low > 0 ? `Plan for ${low} kickoffs an hour; the` : 'The'
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
  return [
    `${plan} limit is about ${perHour} an hour (98 %: ${low} to ${high}).`,
    `${capital(`${flight}${first}`)}.`,
    scalingWords(figures.scaling),
    limitWords(figures),
    roomWords(capacity, expected),
  ]
}

function roomWords({ perHour }: RateRange, expected: number | null): string {
  if (expected === null) return ''
  const share = formatShare(Math.abs(perHour / expected - 1))
  const way = perHour >= expected ? 'more' : 'less'
  return `That is ${share} ${way} than the expected ${formatPerHour(expected)}.`
}

/** Empty if the workers do not scale. */
function scalingWords(scaling: CapacityFigures['scaling']): string {
  if (scaling === null) return ''
  const { from, to, tookMs, coldStart } = scaling
  const grew = `it grew from ${from} to ${plural(to, 'worker')} in ${formatMs(tookMs)}`
  const scaled = `That is the crew as scaled: ${grew}.`
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

/** What limits the crew, if that is not the workers alone. */
function limitWords(figures: CapacityFigures): string {
  const { limit, sharedPerHour, oneMoreWorker, model } = figures
  if (limit === null || limit.kind === 'workers') return ''
  const longer = formatShare(limit.slowdown.value - 1)
  const busy = model === null ? 'every worker is' : `all ${plural(model.slots.value, 'worker')} are`
  const shared =
    sharedPerHour === null
      ? 'All executions share something'
      : 'Something that all executions share caps the crew at about ' +
        `${formatPerHour(sharedPerHour.value)} per hour, whatever its workers`
  const cap = `${shared}: executions take ${longer} longer while ${busy} busy.`
  if (oneMoreWorker === null) return cap
  const { gain } = oneMoreWorker
  return limit.kind === 'shared' && gain < NOTHING
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
  const why = `${binding?.why ?? text}; the longest of ${plural(micros.length, 'execution')}`
  return verdictOf('fails', sentence, reasonOf(REASONS, 'fails-alone', `${why} took ${longest}`))
}

/** Whether a search to its end never filled the crew with the most clients. */
function isUnlimited({ plan, facts, wasOutOfTime, search }: Searched): boolean {
  const isWhole = plan.engine !== 'none' && facts.ended === 'complete' && !wasOutOfTime
  return isWhole && search.learned.slotsSeen >= plan.maxInFlight
}

function unlimited(search: CapacitySearch): CapacityVerdict {
  const carried = heldPerHour(search, [], 'seen')
  const at = carried === null ? '' : `: it completed ${formatPerHour(carried)} kickoffs per hour`
  const message = 'even with the most executions at once that were tried, none waited for a worker'
  const reason = reasonOf(REASONS, 'no-limit', message)
  return verdictOf('unlimited', `No limit was reached${at}.`, reason)
}

function notFull(searched: Searched): CapacityVerdict {
  const { plan, search } = searched
  const { slots, slotsSeen, full, loads } = search.learned
  const began = `${plural(full.micros.length, 'execution')} began while all of them were busy`
  const sent = limitsOf(searched)
  const unresolved = (sentence: string, message: string, areRunsShort = false): CapacityVerdict => {
    const reason = reasonOf(REASONS, 'not-full', message, sent, areRunsShort)
    return verdictOf('unresolved', sentence, reason)
  }
  if (plan.engine === 'none') {
    const isHidden = loads.some(({ seen }) => seen.truth === 'polls')
    return unresolved(
      'Not known: the crew was not full, or not for long enough, in the recorded runs.',
      slots !== null
        ? `of ${plural(slots, 'worker')}, ${began}; a first estimate needs ${FIRST_SERVICES}`
        : isHidden
          ? 'the crew reports no times of its executions, and their ends show no wait'
          : `the runs had at most ${plural(slotsSeen, 'execution')} at once, and none waited`,
      !isHidden || slots !== null,
    )
  }
  if (slots === null) {
    return unresolved(
      sent?.isStopped === true
        ? 'Not known yet: the search was stopped before it had filled the crew.'
        : 'Not known yet: the crew was not filled within the budget.',
      `the crew ran ${plural(slotsSeen, 'execution')} at once, and none waited`,
    )
  }
  return unresolved(
    'Not known yet: the search ended before the full crew was sampled.',
    `the crew has ${plural(slots, 'worker')}, and ${began}; a first estimate needs ` +
      `${FEWEST_SERVICES}`,
  )
}

/** Null where nothing is sent. */
function limitsOf({ plan, facts, wasOutOfTime }: Searched): SearchLimits | null {
  if (plan.engine === 'none') return null
  const isStopped = facts.ended === 'interrupted'
  return { isStopped, wasOutOfTime, kickoffs: plan.budget.kickoffs }
}

/** What is missing of a narrow and confirmed answer. */
function missingOf(
  searched: Searched,
  figures: CapacityFigures,
  { perHour, low, high }: RateRange,
) {
  const { plan, search, wasOutOfTime, facts } = searched
  const sent = limitsOf(searched)
  const isUnconfirmed = search.confirmation === null
  const width = Math.max(high / perHour, perHour / low) - 1
  const isQueueUntried = Math.expm1(Z98 * search.estimate!.spreads!.untried) > plan.within
  const reasons: CapacityReason[] = []
  // The confirming arrivals make a queue that is long enough to show whether it is limited.
  if (!(width <= plan.within * TOLERATED) && (sent !== null || !isQueueUntried || !isUnconfirmed)) {
    const wide = Number.isFinite(width) ? `is ${formatShare(width)} wide` : 'has no known end'
    const { slots, service } = figures.model!
    const message =
      `the interval ${wide} on one side, and ${formatShare(plan.within)} was requested` +
      (isQueueUntried ? '; no load showed whether a longer queue is possible' : '')
    const toFill = isQueueUntried ? budgetOfOverfilling(slots.value) : null
    const { n: executions } = service[0]!.full
    const known = { toFill, executions, times: width / plan.within }
    reasons.push(reasonOf(REASONS, 'wide', message, sent, known))
  }
  if (isUnconfirmed) {
    const isEnded = wasOutOfTime || facts.ended !== 'complete'
    const why = isEnded ? 'the search ended before that' : 'the budget was too small'
    const message =
      sent === null
        ? 'no recorded run with open arrivals had as many executions in the crew at once'
        : `the rate was not confirmed on the crew: ${why}`
    reasons.push(reasonOf(REASONS, 'not-confirmed', message, sent, confirmationOf(TRY_KICKOFFS)))
  }
  return reasons
}

/**
 * The factor by which the width may exceed the one asked for, because the last load is planned by
 * an estimate of it.
 */
const TOLERATED = 1.05

function below(
  expected: number,
  { high }: RateRange,
  limit: CapacityFigures['limit'],
): CapacityReason {
  const [wanted, most] = [expected, high].map(formatPerHour)
  const message = `${wanted} kickoffs per hour are expected, and the crew can take at most ${most}`
  return reasonOf(REASONS, 'below-expected', message, limit?.kind ?? null)
}

function unsure(expected: number, { low, high }: RateRange): CapacityReason {
  const [wanted, from, to] = [expected, low, high].map(formatPerHour)
  const message = `${wanted} kickoffs per hour are expected, which lies between ${from} and ${to}`
  return reasonOf(REASONS, 'expected-within', message)
}

/** Findings about the crew that are not part of the queue for workers. */
const RULES: readonly FindingRule<typeof FINDINGS, Learned>[] = [
  ['polls-refused', pollsRefused],
  ['quota-texts', quotaTexts],
  ['never-ended', never],
  ['slow-task', slowTask],
  ['limit-unknown', limitUnknown],
  ['cold-start', coldStartWords],
]

export function findingsOf(learned: Learned): CapacityDocument['findings'] {
  return findingsBy(FINDINGS, RULES, learned)
}

interface SearchedCrew {
  search: CapacitySearch
  plan: CapacityPlan
}

const RUN_RULES: readonly FindingRule<typeof FINDINGS, SearchedCrew>[] = [
  ['different-crews', otherCrews],
  ['time-lapse', ({ plan }) => lapseNote(plan.speed)],
]

function runFindings(runs: SearchedCrew): CapacityDocument['findings'] {
  return findingsBy(FINDINGS, RUN_RULES, runs)
}

/** Past runs that were made with another crew than this one would teach a wrong model. */
function otherCrews({ search: { recorded }, plan }: SearchedCrew): string | null {
  const { engine, target, profile } = plan
  const searched = recorded.length === 0 || engine === 'none' ? [] : [profile ?? target]
  const crews = new Set([...searched, ...recorded.map((run) => run.profile ?? run.target)])
  if (crews.size < 2) return null
  return `The past runs count as runs of one crew, but name several: ${[...crews].join(', ')}`
}

function pollsRefused({ loads }: Learned): string | null {
  const refused = sumBy(loads, ({ seen }) => seen.polls.refused)
  const all = sumBy(loads, ({ seen }) => seen.polls.all)
  if (refused === 0) return null
  return `${plural(refused, 'poll')} of ${all} were answered with 429, so clients learn late of ends`
}

/** The words that providers of language models use when they refuse a call. */
const SPEAKS_OF_QUOTA =
  /\b429\b|\brate[ _-]?limit|too many requests|\bquota|resource[ _]exhausted|(tokens|requests) per (minute|day)/i

/** What the crew says of failed executions, which is no fact. */
function quotaTexts({ loads }: Learned): string | null {
  const failed = loads
    .flatMap(({ seen }) => seen.executions)
    .filter(({ outcome }) => outcome === 'failed')
  const texts = failed.flatMap(({ failure = '' }) => (SPEAKS_OF_QUOTA.test(failure) ? failure : []))
  if (texts.length === 0) return null
  return (
    `${formatCount(texts.length)} of ${plural(failed.length, 'failed execution')} mention a quota ` +
    `in their error text: "${mostFrequent(texts)}". This is only a hint: crewload measured no such quota`
  )
}

/** Texts that differ only in numbers and ids count as one; the first of them is returned. */
function mostFrequent(texts: readonly string[]): string {
  const groups = groupedBy(texts, (failure) =>
    failure.replaceAll(/\S+/g, (word) => (/\d/.test(word) ? '#' : word)),
  )
  const [most] = groups.toSorted(([, a], [, b]) => b.length - a.length)
  return most![1][0]!
}

function never({ neverShare }: Learned): string | null {
  if (neverShare === 0) return null
  return (
    `${formatShare(neverShare)} of the executions that began were not seen to end; if they ` +
    'keep their workers, the crew will run out of workers'
  )
}

function slowTask(learned: Learned): string | null {
  const [worst, ...others] = slowTasksOf(learned)
  if (worst === undefined) return null
  const { task, idleMicros, fullMicros } = worst
  const more = others.length === 0 ? '' : `; ${plural(others.length, 'other task')} slow down too`
  const [idle, full] = [idleMicros, fullMicros].map((micros) => formatMs(micros / MICROS_PER_MS))
  return (
    `Task "${task}" takes ${formatShare(fullMicros / idleMicros - 1)} longer while every worker ` +
    `is busy: ${full} on average, and ${idle} while at most half of them are${more}`
  )
}

function limitUnknown(learned: Learned): string | null {
  const slowdown = slowdownOf(learned)
  if (slowdown === null || isDecided(slowdown)) return null
  const [low, high] = [slowdown.low, slowdown.high].map((times) => times.toFixed(2))
  return (
    'What limits the crew is not known: while every worker is busy, executions take between ' +
    `${low} and ${high} times as long as alone`
  )
}

function coldStartWords(learned: Learned): string | null {
  const micros = coldStartMicros(learned)
  if (micros === null) return null
  return (
    `A crew that was idle takes up to ${formatMs(micros / MICROS_PER_MS)} to begin its first ` +
    'executions; the capacity holds for a crew that is awake'
  )
}
