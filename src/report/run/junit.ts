/** `junit.xml`: one test case per threshold. Missed is a failure, unmeasurable an error, undecided skipped. */
import type { GeneratorCheck, ResultDocument, ThresholdResult } from '../../analysis/document.ts'
import { onCrewClock } from '../../analysis/crew-clock.ts'
import { unreachable } from '../../base/assert.ts'
import { formatBound, formatMeasured, plainText } from '../frame/format.ts'
import { otherReasons, reasonText } from './summary.ts'

type Result = { kind: 'passed' } | { kind: 'failure' | 'error' | 'skipped'; message: string }

interface TestCase {
  name: string
  result: Result
}

/**
 * One suite named `crewload`, classname the scenario; no attribute that Jenkins' junit-10.xsd does not know (`skipped` of all suites together). A verdict that is not `passed` always shows: reasons that no gate covers become
 * errors of their own.
 */
export function renderJUnit(result: ResultDocument): string {
  const document = onCrewClock(result)
  const cases = unique([
    ...document.generator.checks.map(measurementCase),
    ...document.thresholds.map(thresholdCase),
    ...reasonCases(document),
  ])
  const count = (kind: Result['kind']): number =>
    cases.filter(({ result }) => result.kind === kind).length
  const seconds = (document.run.durationMs / 1_000).toFixed(3)
  const totals = { tests: cases.length, failures: count('failure'), errors: count('error') }
  const suite = attributes({
    name: `crewload ${document.run.scenario}`,
    timestamp: document.run.startedAt.slice(0, 19),
    ...totals,
    skipped: count('skipped'),
    time: seconds,
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ ...totals, time: seconds })}>`,
    `  <testsuite${suite}>`,
    ...cases.map((testCase) => renderCase(testCase, document.run.scenario)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function measurementCase(check: GeneratorCheck): TestCase {
  const facts = `${check.measured}, bound ${check.bound}: ${check.meaning}`
  const name = `measurement ${check.name}`
  if (check.skipped)
    return { name, result: { kind: 'skipped', message: `${check.measured}; ${check.meaning}` } }
  return { name, result: check.ok ? { kind: 'passed' } : { kind: 'error', message: facts } }
}

function thresholdCase(threshold: ThresholdResult): TestCase {
  const name = `${threshold.metric} ${formatBound(threshold)}`
  const measured = formatMeasured(threshold)
  const message = threshold.hint === null ? measured : `${measured}; ${threshold.hint}`
  switch (threshold.status) {
    case 'met':
      return { name, result: { kind: 'passed' } }
    case 'missed':
      return { name, result: { kind: 'failure', message } }
    case 'undecided':
      return { name, result: { kind: 'skipped', message: `undecided: ${message}` } }
    case 'unmeasurable':
      return { name, result: { kind: 'error', message: `not measurable: ${message}` } }
    default:
      return unreachable(threshold.status)
  }
}

function reasonCases(document: ResultDocument): TestCase[] {
  const shown = new Set<string>(
    document.generator.checks.filter(({ ok, skipped }) => !ok && !skipped).map(({ name }) => name),
  )
  return otherReasons(document)
    .filter(({ code }) => !shown.has(checkOfReason(code)))
    .map((reason) => ({
      name: `verdict ${reason.code}`,
      result: { kind: 'error', message: reasonText(reason) },
    }))
}

/** `records-missing` -> `records`: a reason's code starts with the name of the check behind it. */
function checkOfReason(code: string): string {
  return code.split('-')[0] ?? code
}

/** A second testcase of one name is numbered: CI servers merge equal names. */
function unique(cases: readonly TestCase[]): TestCase[] {
  const seen = new Map<string, number>()
  return cases.map((testCase) => {
    const times = (seen.get(testCase.name) ?? 0) + 1
    seen.set(testCase.name, times)
    return times === 1 ? testCase : { ...testCase, name: `${testCase.name} (${times})` }
  })
}

function renderCase({ name, result }: TestCase, scenario: string): string {
  const open = `    <testcase${attributes({ name, classname: scenario, time: '0' })}`
  if (result.kind === 'passed') return `${open}/>`
  return `${open}>\n      <${result.kind}${attributes({ message: result.message })}/>\n    </testcase>`
}

function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(plainText(String(value), 500))}"`)
    .join('')
}

/** `plainText` leaves nothing that XML 1.0 forbids but these five. */
function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;')
}
