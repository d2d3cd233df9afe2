/** Why a threshold was missed, by what else the run measured: the words below its row. */
import type { ResultDocument, ThresholdResult } from '../../result/document.ts'
import { endText } from '../../execution/record/reason.ts'
import { outcomeWord } from '../../result/ending/endings.ts'
import { UNSERVED } from '../../scenario/outcomes.ts'
import type { Outcome } from '../../scenario/outcomes.ts'
import { parseMetric } from '../../scenario/thresholds/metrics.ts'
import type { MetricReference } from '../../scenario/thresholds/metrics.ts'
import { formatCount, formatMs } from '../../base/numbers.ts'
import { formatMetric, neverNote } from '../../result/metrics/words.ts'
import { plainText } from '../frame/format.ts'
import { longestPart } from './sections/breakdown.ts'

/** Null where nothing else says more than the measured value. */
export function missReason(
  { metric, measured }: ThresholdResult,
  document: ResultDocument,
): string | null {
  const reference = parseMetric(metric)
  if (reference === undefined) return null
  const isNever = (measured.value ?? measured.low) === 'never'
  const never = isNever ? neverNote(measured, metric) : null
  const reason = reasonOf(reference, document, isNever)
  return [never, reason].filter((part) => part !== null && part !== '').join(': ') || null
}

function reasonOf(
  reference: MetricReference,
  document: ResultDocument,
  isNever: boolean,
): string | null {
  switch (reference.kind) {
    case 'execution':
    case 'completedExecution':
      return isNever ? outcomesOf(UNSERVED, document) : partOf(document)
    case 'unserved':
      return outcomesOf(UNSERVED, document)
    case 'failedShare':
      return outcomesOf(['failed'], document)
    case 'outcome':
      return outcomesOf([reference.outcome], document)
    case 'kickoffResponse':
      return isNever
        ? outcomesOf(['rejected', 'unknown'], document)
        : serviceOf('kickoff', document)
    case 'request':
      return reference.which === 'response' ? serviceOf(reference.operation, document) : null
    case 'requestError':
      return errorsOf(reference.operation, document)
    case 'check':
      return exampleOf(document.checks.find(({ name }) => name === reference.name)?.example ?? null)
    case 'contract':
      return exampleOf(document.contract.rules[0]?.example.seen ?? null)
    case 'ledgerWrong':
      return disagreementsOf(document)
    default:
      return null
  }
}

/** `11 rejected (429), 13 unknown (500)`. */
function outcomesOf(names: readonly Outcome[], { outcomes, reasons }: ResultDocument): string {
  return names
    .filter((name) => outcomes[name] > 0)
    .map((name) => {
      const [first] = reasons[name] ?? []
      const why = first?.reason == null ? '' : ` (${plainText(endText(first.reason), 60)})`
      return `${formatCount(outcomes[name])} ${outcomeWord(name)}${why}`
    })
    .join(', ')
}

/** `at p95, waiting for a worker takes 430 s of 12 min`. */
function partOf(document: ResultDocument): string | null {
  const longest = longestPart(document)
  if (longest === null) return null
  const { at, name, ms, totalMs } = longest
  return `at ${at}, ${name} takes ${formatMs(ms)} of ${formatMs(totalMs)}`
}

/** What the target itself took, where requests queued before it. */
function serviceOf(operation: string, { metrics }: ResultDocument): string | null {
  const service = metrics[`${operation}.service.p95`]
  return service?.value == null ? null : `the p95 of the requests alone is ${formatMetric(service)}`
}

const CLASSES = 3

function errorsOf(operation: string, { errors }: ResultDocument): string {
  return errors
    .filter((error) => error.operation === operation)
    .slice(0, CLASSES)
    .map(({ class: name, count }) => `${plainText(name, 40)} ${formatCount(count)}`)
    .join(', ')
}

function exampleOf(example: string | null): string | null {
  return example === null ? null : `first: ${plainText(example, 80)}`
}

function disagreementsOf({ ledger }: ResultDocument): string | null {
  const found = ledger?.disagreements ?? []
  return found.map(({ kind, count }) => `${formatCount(count)} ${kind}`).join(', ') || null
}
