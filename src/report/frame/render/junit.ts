/** A report as `junit.xml`: a suite of test cases, as CI servers read it. */
import { plainText, SENTENCES_LIMIT } from '../format.ts'
import type { Report, TestCase } from '../report.ts'

/**
 * Uses no attribute that Jenkins' junit-10.xsd does not know: `skipped` belongs to a suite, not to
 * all suites together.
 */
export function renderJUnit({ title, origin, cases: all }: Report): string {
  const cases = unique(all)
  const count = (kind: TestCase['result']['kind']): number =>
    cases.filter(({ result }) => result.kind === kind).length
  const time = (origin.durationMs / 1_000).toFixed(3)
  const totals = { tests: cases.length, failures: count('failure'), errors: count('error') }
  const own = attributes({
    name: `crewload ${title}`,
    timestamp: origin.startedAt.slice(0, 19),
    ...totals,
    skipped: count('skipped'),
    time,
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ ...totals, time })}>`,
    `  <testsuite${own}>`,
    ...cases.map((testCase) => renderCase(testCase, title)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
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
  return (
    `${open}>\n      <${result.kind}${attributes({ message: result.message })}/>\n    ` +
    '</testcase>'
  )
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
