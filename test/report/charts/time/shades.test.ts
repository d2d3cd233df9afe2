/** Shades: every span is drawn, each name stands once and never over another. */
import { expect, test } from 'vitest'
import { drawShades } from '../../../../src/report/charts/time/shades.ts'
import { steadyDocument } from '../../run/sample-document.ts'
import { runFile } from '../../../support/run-shown.ts'

const FRAME = { left: 0, right: 600, top: 20, bottom: 100 }

function drawn(...shades: [name: string, fromMs: number, toMs: number][]): string {
  const told = shades.map(([name, fromMs, toMs]) => ({ name, fromMs, toMs }))
  return drawShades(told, (ms) => ms, FRAME).text
}

function names(text: string): string[] {
  return [...text.matchAll(/<text[^>]*>([^<]*)</g)].map(([, name]) => name!)
}

test('a name stands by its first span', () => {
  const text = drawn(['outage', 300, 310], ['outage', 100, 120])
  expect(text.match(/<rect/g)).toHaveLength(2)
  expect(names(text)).toEqual(['outage'])
  expect(text).toMatch(/<text[^>]*x="100"/)
})

test('a name without room waits for a later span, and may find none', () => {
  const text = drawn(
    ['outage', 100, 120],
    ['slow', 110, 130],
    ['slow', 400, 410],
    ['late', 401, 402],
  )
  expect(names(text)).toEqual(['outage', 'slow'])
})

test('a moment is a line, and a name at the right edge is turned inward', () => {
  const text = drawn(['restart', 590, 590])
  expect(text).toContain('stroke-dasharray')
  expect(Number(/<text[^>]*x="([\d.]+)"/.exec(text)![1])).toBeLessThan(560)
})

test('what a limit refused is shaded, told in words and in the table', () => {
  const document = steadyDocument()
  const bands = [{ name: 'polls refused (429)', fromMs: 60_000, toMs: 90_000 }]
  const page = runFile({ ...document, series: { ...document.series, bands } }, 'report.html')
  const section = page.slice(page.indexOf('id="over-time"'), page.indexOf('id="outcomes"'))
  expect(section).toContain('Shaded: polls refused (429) 60.0 s to 90.0 s.')
  expect(section).toContain('Shaded times are named above the picture.')
  expect(section).toContain('<th scope="col" class="text">shaded</th>')
})
