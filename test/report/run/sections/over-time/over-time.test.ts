import { expect, test } from 'vitest'
import { steadyDocument } from '../../sample-document.ts'
import { runFile } from '../../../../support/run-shown.ts'

test('what a limit refused is shaded, and stands in the table', () => {
  const document = steadyDocument()
  const bands = [{ name: 'polls refused (429)', fromMs: 60_000, toMs: 90_000 }]
  const page = runFile({ ...document, series: { ...document.series, bands } }, 'report.html')
  const section = page.slice(page.indexOf('id="over-time"'), page.indexOf('id="outcomes"'))
  expect(section.match(/data-tip="polls refused \(429\)"/g)).toHaveLength(3)
  expect(section).toContain('Shaded times are named above the picture.')
  expect(section).toContain('<th scope="col" class="text">shaded</th>')
})
