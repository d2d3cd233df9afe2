/** A report as `junit.xml`: a suite of test cases, or several, as CI servers read it. */
import { plainText, SENTENCES_LIMIT } from '../../text/format.ts'
import type { Report, TestCase } from '../report.ts'

/**
 * Uses no attribute that Jenkins' junit-10.xsd does not know: `skipped` belongs to a suite, not to
 * all suites together.
 */
export function renderJUnit(report: Report): string {
  const suites = [report, ...(report.parts ?? [])]
    .map(({ title, origin, cases }) => ({ title, origin, cases: unique(cases) }))
    .filter(({ cases }, i) => i > 0 || cases.length > 0 || report.parts === undefined)
  const all = suites.flatMap(({ cases }) => cases)
  const time = seconds(report.origin)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ ...totals(all), time })}>`,
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n')
}

function suiteLines({
  title,
  origin,
  cases,
}: Pick<Report, 'title' | 'origin' | 'cases'>): string[] {
  const own = attributes({
    name: `crewload ${title}`,
    timestamp: origin.startedAt.slice(0, 19),
    ...totals(cases),
    skipped: countOf(cases, 'skipped'),
    time: seconds(origin),
  })
  return [
    `  <testsuite${own}>`,
    ...cases.map((testCase) => renderCase(testCase, title)),
    '  </testsuite>',
  ]
}

function seconds({ durationMs }: Report['origin']): string {
  return (durationMs / 1_000).toFixed(3)
}

function countOf(cases: readonly TestCase[], kind: TestCase['result']['kind']): number {
  return cases.filter(({ result }) => result.kind === kind).length
}

function totals(cases: readonly TestCase[]): Record<string, number> {
  return {
    tests: cases.length,
    failures: countOf(cases, 'failure'),
    errors: countOf(cases, 'error'),
  }
}

/** A second test case with the same name is numbered, because CI servers merge equal names. */
function unique(cases: readonly TestCase[]): TestCase[] {
  const seen = new Map<string, number>()
  return cases.map((testCase) => {
    const times = (seen.get(testCase.name) ?? 0) + 1
    seen.set(testCase.name, times)
    return times === 1 ? testCase : { ...testCase, name: `${testCase.name} (${times})` }
  })
}

function renderCase({ name, result }: TestCase, classname: string): string {
  const open = `    <testcase${attributes({ name, classname, time: '0' })}`
  if (result.kind === 'passed') return `${open}/>`
  return `${open}>\n      <${result.kind}${attributes({ message: result.message })}/>\n    </testcase>`
}

function attributes(values: Record<string, string | number>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(plainText(String(value), SENTENCES_LIMIT))}"`)
    .join('')
}

/** `plainText` removes everything that XML 1.0 forbids except these five characters. */
function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;')
}
