/**
 * Why a run has its verdict, in one line with the verdict, and what to do next. Both
 * follow from codes and numbers of the document.
 */
import { capital } from '../../base/text.ts'
import { formatCount, formatMs, formatShare, plural } from '../../base/numbers.ts'
import type { ResultDocument, ThresholdResult } from '../../result/document.ts'
import { briefOf } from '../../result/sentence-tables.ts'
import { FINDINGS } from '../../result/sentences/findings.ts'
import type { RunReason } from '../../result/sentences/reasons.ts'
import { REASONS } from '../../result/sentences/reasons.ts'
import { loadShare } from '../../result/metrics/sentences.ts'
import { dependsOnQueue } from '../../result/verdict/thresholds.ts'
import { UNSERVED } from '../../scenario/outcomes.ts'
import { endReasonText } from '../../result/sentences/end-reasons.ts'
import { plainText } from '../text/format.ts'
import { longestPart } from './sections/breakdown.ts'
import { formatBound, formatMeasuredBriefly, standingOf } from './thresholds.ts'

export interface Cause {
  /** `the crew is overloaded (arrivals need 125 % of its 10 workers)`. */
  words: string
  /** One sentence; empty where nothing is to be done. */
  remedy: string
  /** What concerns the whole crew, and not only this run of it. */
  code?: 'overload'
}

/** Null for a run that passed without a problem. */
export function causeOf(document: ResultDocument): Cause | null {
  const { outcome, reasons } = document.verdict
  if (outcome === 'passed') return problemOf(document)
  const first =
    outcome === 'failed'
      ? (reasons.find(explainsMiss) ?? reasons.find(({ code }) => code === 'threshold'))
      : // What cut or emptied a run explains also why its thresholds are undecided.
        (reasons.find((one) => !isOfThreshold(one)) ?? reasons[0])
  if (first === undefined) return null
  if (!isOfThreshold(first)) {
    return { words: plainText(briefOf(REASONS, first)), remedy: sentence(first.remedy) }
  }
  if (outcome === 'inconclusive') return overload(document) ?? doubtOf(first, document)
  return missOf(document) ?? { words: plainText(first.message, 100), remedy: first.remedy }
}

type JudgedReason = Extract<RunReason, { metric: string }>

function isOfThreshold(reason: RunReason): reason is JudgedReason {
  return 'metric' in reason
}

/** These explain a miss, wherever they stand among the reasons. */
function explainsMiss({ code }: RunReason): boolean {
  return code === 'shared-id' || code === 'target-dead'
}

/** The first that applies: what explains most stands before what was merely measured. */
function missOf(document: ResultDocument): Cause | null {
  const missed = document.thresholds.filter(({ status }) => status === 'missed')
  const isUnserved = missed.some(
    ({ metric, measured: { value, low } }) => metric in OF_UNSERVED || (value ?? low) === 'never',
  )
  const [worst] = missed
  return (
    overload(document) ??
    (isUnserved ? (refusals(document) ?? unserved(document)) : null) ??
    (worst === undefined ? null : thresholdCause(worst, document))
  )
}

const OF_UNSERVED = { 'outcome.unserved': true, 'status.error': true, 'kickoff.error': true }

function overload(document: ResultDocument): Cause | null {
  const { load, thresholds } = document
  if (load === null || load.needed !== null) return null
  const isJudged = thresholds.some(
    ({ metric, status }) => status !== 'met' && (metric in OF_UNSERVED || dependsOnQueue(metric)),
  )
  if (!isJudged) return null
  const workers = plural(load.workers, 'worker')
  return {
    code: 'overload',
    words: `the crew is overloaded (arrivals need ${loadShare(load)} of its ${workers})`,
    remedy: 'Lower the rate or add workers; crewload capacity finds what the crew can carry.',
  }
}

/** Requests of one operation that one answer refused, or one error failed. */
const LEAST_SHARE = 0.1

function refusals({ errors, metrics }: ResultDocument): Cause | null {
  const found = errors
    .map((error) => ({
      ...error,
      share: error.count / (metrics[`${error.operation}.error`]?.n ?? 0),
    }))
    // An execution that is not found is lost, which says more than its answers.
    .filter(({ share, answer }) => share >= LEAST_SHARE && share <= 1 && answer !== 404)
    .toSorted((a, b) => b.share - a.share)[0]
  if (found === undefined) return null
  const { operation, answer, share, firstMs } = found
  const every = FRACTIONS.find(([part]) => Math.abs(share / part - 1) < 0.03)
  const isStatus = typeof answer === 'number'
  const noun = `${operation} ${isStatus ? 'answer' : 'request'}`
  const who = every === undefined ? `${formatShare(share)} of ${noun}s` : `${every[1]} ${noun}`
  const verb = every === undefined ? 'are' : 'is'
  if (answer === 429) {
    const remedy = 'Send less often; crewload limits finds the rates that are let in.'
    return { words: `${who} ${verb} a refusal (429)`, remedy }
  }
  const words = isStatus ? `${who} ${verb} ${answer}` : `${who} failed (${answer})`
  return { words, remedy: `Look at the logs of the target from ${formatMs(firstMs)} on.` }
}

const FRACTIONS = [
  [1, 'every'],
  [1 / 2, 'every second'],
  [1 / 3, 'every third'],
  [1 / 4, 'every fourth'],
  [1 / 5, 'every fifth'],
] as const

const REMEDIES = {
  rejected: 'Look at why kickoffs are refused: crewload check tries one.',
  unknown: 'Look for the correlation header of these kickoffs in the logs of the target.',
  lost: 'Look whether the target restarted, or keeps executions too briefly.',
  stuck: 'Look at what these executions wait for, or raise the deadline.',
  unreadable: 'Look at the status answers of these executions in the journal.',
} as const

function unserved({ outcomes, reasons, arrivals }: ResultDocument): Cause | null {
  const [most] = UNSERVED.toSorted((a, b) => outcomes[b] - outcomes[a])
  if (most === undefined || outcomes[most] === 0) return null
  const why = reasons[most]?.[0]?.reason ?? null
  const named = why === null ? '' : ` (${plainText(endReasonText(why), 40)})`
  return {
    words: `${formatCount(outcomes[most])} of ${plural(arrivals, 'arrival')} ended ${most}${named}`,
    remedy: REMEDIES[most],
  }
}

/** What the client and the ledger disagree about most. */
function disagreement({ findings }: ResultDocument, remedy: string): Cause | null {
  const [most] = findings
    .flatMap((each) => (each.code === 'ledger-differs' ? each : []))
    .toSorted((a, b) => b.executions - a.executions)
  return most === undefined ? null : { words: briefOf(FINDINGS, most), remedy }
}

function thresholdCause(worst: ThresholdResult, document: ResultDocument): Cause {
  const { metric, hint } = worst
  const wrong = metric === 'ledger.wrong' ? disagreement(document, sentence(hint ?? '')) : null
  if (wrong !== null) return wrong
  const part = dependsOnQueue(metric) ? longestPart(document) : null
  const words = `${metric} is ${formatMeasuredBriefly(worst)}, bound ${formatBound(worst)}`
  const share = part === null ? '' : `; ${part.name} takes ${formatMs(part.ms)}`
  return { words: plainText(words + share), remedy: sentence(hint ?? '') }
}

function doubtOf({ metric, remedy }: JudgedReason, { thresholds }: ResultDocument): Cause {
  const all = thresholds.filter((each) => standingOf(each) === 'undecided')
  const result = all.find((each) => each.metric === metric)
  const { have = null, needed = null } = result?.doubt ?? {}
  const isFew = have !== null && needed !== null
  const sample = isFew && `${formatCount(have)} of ${formatCount(needed)} independent executions`
  return {
    words: plainText(sample ? `${metric} rests on ${sample}` : `${metric} is undecided`),
    // The row of the threshold says how that follows.
    remedy: longerWords(all, result) ?? sentence(remedy),
  }
}

/** What would decide all of them, or else this one; null where no number would. */
function longerWords(
  all: readonly ThresholdResult[],
  own: ThresholdResult | undefined,
): string | null {
  const needed = all.flatMap((each) => moreFor(each) ?? [])
  const ownNeeded = own === undefined ? null : moreFor(own)
  if (ownNeeded === null) return null
  const areAll = needed.length === all.length && all.length > 1
  const more = areAll ? Math.max(...needed) : ownNeeded
  const them = !areAll ? 'it' : all.length === 2 ? 'both' : `all ${all.length}`
  return `Run longer: about ${plural(more, 'more execution')} would decide ${them}.`
}

function moreFor({ more, doubt }: ThresholdResult): number | null {
  const { have = null, needed = null } = doubt ?? {}
  return more ?? (have === null || needed === null ? null : needed - have)
}

/** The first problem that no threshold covers. */
function problemOf({ findings }: ResultDocument): Cause | null {
  const first = findings.find(({ severity }) => severity === 'problem')
  return first === undefined ? null : { words: plainText(briefOf(FINDINGS, first)), remedy: '' }
}

function sentence(text: string): string {
  return text === '' ? '' : `${capital(text)}.`
}
