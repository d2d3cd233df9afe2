import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../../../src/result/document.ts'
import { steadyDocument } from '../../sample-document.ts'
import { runFile } from '../../../../support/run-shown.ts'

/** The first drawing of the figure, which is the wide one. */
function drawingOf(document: ResultDocument): string {
  const page = runFile(document, 'report.html')
  const figure = page.slice(page.indexOf('id="over-time"'))
  return figure.slice(figure.indexOf('<svg'), figure.indexOf('</svg>'))
}

/** Where the name of a line stands: the middle of its text is 4 px above its baseline. */
function labelY(drawing: string, name: string): number {
  const [, y] = new RegExp(`<text[^>]*y="([\\d.]+)"[^>]*>${name}</text`).exec(drawing) ?? []
  return Number(y) - 4
}

/** The documents' last interval has this many kickoffs offered and accepted. */
function ending(offered: number, accepted: number): ResultDocument {
  const document = steadyDocument()
  const { series } = document
  return {
    ...document,
    series: {
      ...series,
      offered: [...series.offered.slice(0, -1), offered],
      accepted: [...series.accepted.slice(0, -1), accepted],
    },
  }
}

/** The last height of the dashed line of what was offered, and of the line of what was accepted. */
function endOf(drawing: string, dashed: boolean): number {
  const paths = [...drawing.matchAll(/<path[^>]*\/?>/g)].map(([path]) => path)
  const lines = paths.filter(
    (path) => /d="M[^"]*L?[^"]*"/.test(path) && path.includes('fill="none"'),
  )
  const own = lines.find((path) => path.includes('stroke-dasharray') === dashed) ?? ''
  const [, shape = ''] = /d="([^"]*)"/.exec(own) ?? []
  return Number(shape.split(/[ML,]/).at(-1))
}

describe('the names beside the lines of arrivals', () => {
  test.each([
    ['offered above accepted', 40, 2],
    ['accepted above offered', 2, 40],
  ])('stand where their lines end: %s', (_, offered, accepted) => {
    const drawing = drawingOf(ending(offered, accepted))
    expect(labelY(drawing, 'offered')).toBeCloseTo(endOf(drawing, true), 0)
    expect(labelY(drawing, 'accepted')).toBeCloseTo(endOf(drawing, false), 0)
    expect(labelY(drawing, 'offered') < labelY(drawing, 'accepted')).toBe(offered > accepted)
  })

  test('stand apart where both lines end at the same height', () => {
    const drawing = drawingOf(ending(20, 20))
    const apart = Math.abs(labelY(drawing, 'offered') - labelY(drawing, 'accepted'))
    expect(apart).toBeGreaterThanOrEqual(16)
  })
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
