/** Whether the question is answered, and what would settle it if not. */
import { distinctCrews } from '../../../execution/record/crew-place.ts'
import { MICROS_PER_MS, optionalMs } from '../../../base/units.ts'
import type { StudyFacts } from '../../frame/envelope.ts'
import type { TrialReason } from '../../frame/trial/reasons.ts'
import type { FindingRule } from '../../../result/sentence-tables.ts'
import { findingsBy, reasonOf } from '../../../result/sentence-tables.ts'
import type {
  CapacityDocument,
  CapacityPlan,
  CapacityReason,
  CapacityVerdict,
  RateRange,
} from '../document.ts'
import type { SearchLimits } from '../sentences/reasons.ts'
import { REASONS, TRY_KICKOFFS } from '../sentences/reasons.ts'
import { FINDINGS } from '../sentences/findings.ts'
import type { CapacityFigures } from '../sentences/verdict.ts'
import {
  GROWING,
  UNSURE,
  UNTRUSTED,
  aloneSentence,
  answerText,
  emptySentence,
  unlimitedSentence,
} from '../sentences/verdict.ts'
import { capacityBounds, heldPerHour } from './bounds.ts'
import { causesOf, refusalOf } from './causes.ts'
import { Z98 } from './model/interval.ts'
import { budgetOfOverfilling } from './search/loads.ts'
import type { CapacitySearch } from './search/search.ts'
import { confirmationOf, FEWEST_SERVICES, FIRST_SERVICES } from './search/search.ts'
import { sumBy } from '../../../result/statistics/moments.ts'
import { lapseOf } from '../../frame/time-lapse.ts'
import { coldStartMicros, slowTasksOf } from './learn/besides-queue.ts'
import type { Learned } from './learn/learn.ts'
import { throughputPerHour } from './learn/learn.ts'
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
  const bounds = capacityBounds(search, figures.saturation?.high ?? null)
  const known = { ...bounds, findings: [...beside, ...causes] }
  const unknown = { ...NO_ANSWER, oneMoreWorker: null, ...known }
  if (invalid.length > 0) {
    return { ...unknown, verdict: verdictOf('invalid', UNTRUSTED, ...invalid) }
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
  if (scaling?.stands === false) {
    const grown = { ...scaling, maxInFlight: plan.maxInFlight }
    const reason = reasonOf(REASONS, 'still-growing', grown)
    return { ...unknown, verdict: verdictOf('unresolved', GROWING, reason) }
  }
  const solution = search.estimate?.solution
  if (solution?.kind === 'fails-alone') {
    if (!solution.isSure || search.failsAlone !== true) return { ...unknown, verdict: TOO_FEW }
    const verdict = failsAlone(searched)
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

const TOO_FEW = verdictOf('unresolved', UNSURE, reasonOf(REASONS, 'too-few', {}))

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
  const text = answerText(figures, capacity, expected)
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

function failsAlone({ search }: Searched): CapacityVerdict {
  const { solution, system } = search.estimate!
  const criterion = search.criteria[solution.kind === 'fails-alone' ? solution.broken : 0]!
  const { metric, boundMicros, text } = criterion
  const { micros } = system.service
  const reason = reasonOf(REASONS, 'fails-alone', {
    metric,
    boundMs: optionalMs(boundMicros),
    executions: micros.length,
    longestMs: (micros.at(-1) ?? 0) / MICROS_PER_MS,
  })
  return verdictOf('fails', aloneSentence(text), reason)
}

/** Whether a search to its end never filled the crew with the most clients. */
function isUnlimited({ plan, facts, wasOutOfTime, search }: Searched): boolean {
  const isWhole = plan.engine !== 'none' && facts.ended === 'complete' && !wasOutOfTime
  return isWhole && search.learned.slotsSeen >= plan.maxInFlight
}

function unlimited(search: CapacitySearch): CapacityVerdict {
  const rates = search.loads.flatMap(({ facts }) =>
    facts.seen.load.kind === 'closed' ? [throughputPerHour(facts)] : [],
  )
  const sentence = unlimitedSentence(rates.length === 0 ? null : Math.max(...rates))
  return verdictOf('unlimited', sentence, reasonOf(REASONS, 'no-limit', {}))
}

function notFull(searched: Searched): CapacityVerdict {
  const { slots, slotsSeen, full, loads } = searched.search.learned
  const sent = limitsOf(searched)
  const isHidden = slots === null && loads.some(({ seen }) => seen.truth === 'polls')
  const reason = reasonOf(REASONS, 'not-full', {
    running: slotsSeen,
    workers: slots,
    executions: full.micros.length,
    needed: sent === null ? FIRST_SERVICES : FEWEST_SERVICES,
    hidden: sent === null && isHidden,
    sent,
  })
  return verdictOf('unresolved', emptySentence(slots, sent), reason)
}

/** Null where nothing is sent. */
function limitsOf({ plan, facts, wasOutOfTime: outOfTime }: Searched): SearchLimits | null {
  if (plan.engine === 'none') return null
  return { stopped: facts.ended === 'interrupted', outOfTime, kickoffs: plan.budget.kickoffs }
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
    const { slots, service } = figures.model!
    const reason = reasonOf(REASONS, 'wide', {
      width: Number.isFinite(width) ? width : null,
      within: plan.within,
      toFill: isQueueUntried ? budgetOfOverfilling(slots.value) : null,
      executions: service[0]!.full.n,
      sent,
    })
    reasons.push(reason)
  }
  if (isUnconfirmed) {
    const cut = wasOutOfTime || facts.ended !== 'complete'
    const needed = confirmationOf(TRY_KICKOFFS)
    reasons.push(reasonOf(REASONS, 'not-confirmed', { needed, cut, sent }))
  }
  return reasons
}

/**
 * The factor by which the width may exceed the one asked for, because the last load is planned by
 * an estimate of it.
 */
const TOLERATED = 1.05

function below(
  expectedPerHour: number,
  { high: mostPerHour }: RateRange,
  limit: CapacityFigures['limit'],
): CapacityReason {
  const known = { expectedPerHour, mostPerHour, limit: limit?.kind ?? null }
  return reasonOf(REASONS, 'below-expected', known)
}

function unsure(expectedPerHour: number, { low, high }: RateRange): CapacityReason {
  const known = { expectedPerHour, lowPerHour: low, highPerHour: high }
  return reasonOf(REASONS, 'expected-within', known)
}

/** Findings about the crew that are not part of the queue for workers. */
const RULES: readonly FindingRule<typeof FINDINGS, Learned>[] = [
  ['polls-refused', pollsRefused],
  ['quota-texts', quotaTexts],
  ['never-ended', ({ neverShare: share }) => (share === 0 ? null : { share })],
  ['slow-task', slowTask],
  ['limit-unknown', limitUnknown],
  ['cold-start', coldStart],
]

function findingsOf(learned: Learned): CapacityDocument['findings'] {
  return findingsBy(FINDINGS, RULES, learned)
}

interface SearchedCrew {
  search: CapacitySearch
  plan: CapacityPlan
}

const RUN_RULES: readonly FindingRule<typeof FINDINGS, SearchedCrew>[] = [
  ['different-crews', otherCrews],
  ['time-lapse', ({ plan }) => lapseOf(plan.speed)],
]

function runFindings(runs: SearchedCrew): CapacityDocument['findings'] {
  return findingsBy(FINDINGS, RUN_RULES, runs)
}

/** Past runs that were made with another crew than this one would teach a wrong model. */
function otherCrews({ search: { recorded }, plan }: SearchedCrew) {
  const searched = recorded.length === 0 ? [] : [plan.place]
  const places = [...searched, ...recorded.map(({ place }) => place)]
  const crews = distinctCrews(places.filter((place) => place !== null))
  return crews.length < 2 ? null : { crews }
}

function pollsRefused({ loads }: Learned) {
  const refused = sumBy(loads, ({ seen }) => seen.polls.refused)
  const polls = sumBy(loads, ({ seen }) => seen.polls.all)
  return refused === 0 ? null : { refused, polls }
}

/** The words that providers of language models use when they refuse a call. */
const SPEAKS_OF_QUOTA =
  /\b429\b|\brate[ _-]?limit|too many requests|\bquota|resource[ _]exhausted|(tokens|requests) per (minute|day)/i

function quotaTexts({ loads }: Learned) {
  const failed = loads
    .flatMap(({ seen }) => seen.executions)
    .filter(({ outcome }) => outcome === 'failed')
  const texts = failed.flatMap(({ failure = '' }) => (SPEAKS_OF_QUOTA.test(failure) ? failure : []))
  if (texts.length === 0) return null
  return { executions: texts.length, failed: failed.length, text: mostFrequent(texts) }
}

/** Texts that differ only in numbers and ids count as one; the first of them is returned. */
function mostFrequent(texts: readonly string[]): string {
  const groups = groupedBy(texts, (failure) =>
    failure.replaceAll(/\S+/g, (word) => (/\d/.test(word) ? '#' : word)),
  )
  const [most] = groups.toSorted(([, a], [, b]) => b.length - a.length)
  return most![1][0]!
}

function slowTask(learned: Learned) {
  const [worst, ...others] = slowTasksOf(learned)
  if (worst === undefined) return null
  const { task, idleMicros, fullMicros } = worst
  const [idleMs, fullMs] = [idleMicros / MICROS_PER_MS, fullMicros / MICROS_PER_MS]
  return { task, idleMs, fullMs, others: others.length }
}

function limitUnknown(learned: Learned) {
  const slowdown = slowdownOf(learned)
  return slowdown === null || isDecided(slowdown) ? null : slowdown
}

function coldStart(learned: Learned) {
  const micros = coldStartMicros(learned)
  return micros === null ? null : { longestMs: micros / MICROS_PER_MS }
}
