/**
 * The test cases of a run, one per threshold. Missed is a failure, unmeasurable an error, undecided
 * or not judged skipped.
 */
import type { GeneratorCheck, ResultDocument, ThresholdResult } from '../../result/document.ts'
import { unreachable } from '../../base/assert.ts'
import { formatMeasured } from '../frame/format.ts'
import type { TestCase } from '../frame/report.ts'
import { reasonText } from '../frame/report.ts'
import { otherReasons } from './summary.ts'
import type { RunReason } from '../../result/findings-and-reasons.ts'
import { formatBound } from './thresholds.ts'

/**
 * A verdict other than `passed` always shows: reasons that no threshold covers become errors of
 * their own.
 */
export function testCases(document: ResultDocument): TestCase[] {
  return [
    ...document.generator.checks.map(measurementCase),
    ...document.thresholds.map(thresholdCase),
    ...reasonCases(document),
  ]
}

function measurementCase(check: GeneratorCheck): TestCase {
  const facts = `${check.measured}, bound ${check.bound}: ${check.meaning}`
  const name = `measurement ${check.name}`
  if (check.skipped)
    return { name, result: { kind: 'skipped', message: `${check.measured}; ${check.meaning}` } }
  return { name, result: check.ok ? { kind: 'passed' } : { kind: 'error', message: facts } }
}

function thresholdCase(threshold: ThresholdResult): TestCase {
  // A name without the bound: with another bound, a CI server keeps the history of the case.
  const name = threshold.metric
  const measured = `${formatMeasured(threshold)}, bound ${formatBound(threshold)}`
  const message = threshold.hint === null ? measured : `${measured}; ${threshold.hint}`
  switch (threshold.status) {
    case 'met':
      return { name, result: { kind: 'passed' } }
    case 'missed':
      return { name, result: { kind: 'failure', message } }
    case 'undecided':
      return { name, result: { kind: 'skipped', message: `undecided: ${message}` } }
    case 'notJudged':
      return {
        name,
        result: {
          kind: 'skipped',
          message: `not judged: ${measured}; the measurement is not valid`,
        },
      }
    case 'unmeasurable':
      return { name, result: { kind: 'error', message: `not measurable: ${message}` } }
    default:
      return unreachable(threshold.status)
  }
}

function reasonCases(document: ResultDocument): TestCase[] {
  const shown = new Set(
    document.generator.checks.filter(({ ok, skipped }) => !ok && !skipped).map(({ name }) => name),
  )
  return otherReasons(document)
    .filter(({ code }) => !shown.has(CHECKS[code]!))
    .map((reason) => ({
      name: `verdict ${[reason.code, reason.metric ?? []].flat().join(' ')}`,
      result: { kind: 'error', message: reasonText(reason) },
    }))
}

/** The check behind a reason, which has a test case of its own. */
const CHECKS: Partial<Record<RunReason['code'], GeneratorCheck['name']>> = {
  lateness: 'lateness',
  utilisation: 'utilisation',
  little: 'little',
  admission: 'admission',
  'records-missing': 'records',
  'journal-error': 'journal',
  'clock-step': 'clock',
  'scenario-error': 'scenario',
}
