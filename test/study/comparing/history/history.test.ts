/** Histories of gates whose truth is known, from the file to the page. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { conducting } from '../../../../src/study/comparing/history/conduct.ts'
import { parseHistory } from '../../../../src/study/comparing/history.ts'
import { appendHistory } from '../../../../src/study/comparing/gate-files.ts'
import { renderPage } from '../../../../src/report/frame/render/page.ts'
import type { HistoryLine } from '../../../../src/study/comparing/history.ts'
import type { HistoryDocument } from '../../../../src/study/comparing/history/document.ts'
import { history } from '../../../../src/study/comparing/history/study.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { documentOf, gatesOf } from './sample-histories.ts'

test('the sentence names metric, size and the range of commits', () => {
  const { verdict } = documentOf(gatesOf(7, 0.08))
  expect(verdict.sentence).toMatch(
    /^Over 60 gates, [\w.]+ rose by [789](?:\.\d+)? %, from [\d.]+ m?s to [\d.]+ m?s, between c0ffee39 and c0ffee40\. It has stayed there for 20 gates\.$/,
  )
  expect(verdict.reasons).toHaveLength(2)
})

test('less of it is better, and fewer than 6 gates are too few', () => {
  const faster = documentOf(gatesOf(8, -0.1))
  expect([faster.verdict.outcome, history.exit(faster)]).toEqual(['better', 'passed'])
  const few = documentOf(gatesOf(8, 0, 5))
  expect([few.verdict.outcome, history.exit(few)]).toEqual(['too-few', 'inconclusive'])
})

test('the figures of what changed come first, as changes from the median before', () => {
  const document = documentOf(gatesOf(7, 0.08))
  const slower = document.metrics.find(({ name }) => name === 'execution.p95')!
  slower.changes = [{ ...slower.changes[0]!, before: 200_000, now: 220_000 }]
  for (const metric of document.metrics) if (metric !== slower) metric.changes = []

  const figures = history
    .report(document)
    .sections.flatMap(({ title, blocks }) =>
      blocks.flatMap((block) => (block.kind === 'figure' ? { title, chart: block.chart } : [])),
    )
  expect(figures.map(({ title }) => title)[0]).toBe('execution.p95')
  const { y, lines, points = [] } = figures[0]!.chart.panels[0]!
  expect(y.kind).toBe('change')
  const [means] = lines
  const first = points.flatMap((marks) => marks.points).find(({ x }) => x === 1)!
  expect(first.y).toBeCloseTo((slower.points[0]!.value as number) / 200_000 - 1, 9)
  for (const [i, level] of [0, 0, 0.1, 0.1].entries()) {
    expect(means!.points[i]!.y).toBeCloseTo(level, 9)
  }
  const shares = figures.find(({ title }) => title === 'execution.failed')!
  expect(shares.chart.panels[0]!.y.kind).toBe('share')
})

/** Changes metrics of the gates from one index to another. */
function changedGates(
  lines: HistoryLine[],
  metrics: (i: number) => HistoryLine['metrics'],
  [from, to]: readonly [from: number, to: number] = [0, lines.length],
): HistoryLine[] {
  for (let i = from; i < to; i++) Object.assign(lines[i]!.metrics, metrics(i))
  return lines
}

/** Forty gates of which the metrics of the last twenty are others. */
function changed(metrics: HistoryLine['metrics']): HistoryDocument {
  return documentOf(changedGates(gatesOf(3, 0, 40), () => metrics, [20, 40]))
}

describe('a crew that dies from gate 20 of 40 on', () => {
  test('is worse: nobody is served, and its p95 never comes', () => {
    const { verdict, metrics } = changed({
      'outcome.unserved': { unit: 'share', value: 1 },
      'execution.p95': { unit: 'ms', value: 'never' },
    })
    expect(verdict.outcome).toBe('worse')
    const told = [verdict.sentence, ...verdict.reasons.map(({ message }) => message)].join('\n')
    expect(told).toMatch(
      /execution\.p95 rose, from [\d.]+ s to never, between c0ffee19 and c0ffee20/,
    )
    expect(told).toMatch(/outcome\.unserved rose by 100 percentage points, from 0 % to 100 %/)
    const [change] = metrics.find(({ name }) => name === 'execution.p95')!.changes
    expect(change).toMatchObject({ now: 'never', size: null, gates: 20, direction: 'worse' })
  })

  test('and has no p95 any more has lost it', () => {
    const document = changed({ 'execution.p95': { unit: 'ms', value: null } })
    expect(document.verdict).toMatchObject({
      outcome: 'worse',
      sentence: expect.stringMatching(
        /execution\.p95 has had no value for 20 gates, after [\d.]+ s, since c0ffee20\.$/,
      ),
    })
    expect(history.exit(document)).toBe('passed')
    renderedWithoutHoles(document)
  })

  test('and served again has two changes, the last of them better', () => {
    const never = { unit: 'ms' as const, value: 'never' as const }
    const lines = changedGates(gatesOf(4, 0, 40), () => ({ 'execution.p50': never }), [10, 25])
    const document = documentOf(lines)
    expect(document.verdict.outcome).toBe('better')
    const [gone, back] = document.metrics.find(({ name }) => name === 'execution.p50')!.changes
    expect([gone!.now, back!.before]).toEqual(['never', 'never'])
    renderedWithoutHoles(document)
  })
})

function renderedWithoutHoles(document: HistoryDocument): void {
  const page = renderPage(history.report(document))
  expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/)
}

test('a value that came from 0 is worse, and one or two gates without a value are named', () => {
  const odd = new Map<number, null | 'never'>([
    [7, null],
    [9, 'never'],
  ])
  const lines = changedGates(gatesOf(5, 0, 20), (i) => ({
    'contract.violations': { unit: 'count', value: i < 10 ? 0 : 4 },
    'execution.p50': { unit: 'ms', value: odd.has(i) ? odd.get(i)! : 100 + (i % 3) },
  }))
  const { verdict, findings } = documentOf(lines)
  expect(verdict.sentence).toMatch(/contract\.violations rose, from 0 to 4/)
  expect(findings.map(({ message }) => message)).toEqual([
    'execution.p50 is never in 1 of 20 gates',
    'execution.p50 has no value in 1 of 20 gates',
  ])
})

test('a steady history says how many of its gates failed, and is not marked as good', () => {
  const lines = gatesOf(9, 0, 13)
  for (const [i, line] of lines.entries()) if (i % 2 === 1) line.decision = 'fail'
  const document = documentOf(lines)
  expect(document.verdict).toMatchObject({
    outcome: 'steady',
    sentence: 'No judged metric changed over 13 gates, but 6 of them failed.',
  })
  expect(history.report(document).headline.tone).toBe('doubt')
})

describe('the file', () => {
  test('is read in any order, each gate once, past what a merge left behind', () => {
    const lines = gatesOf(1, 0, 4).map((line) => JSON.stringify(line))
    const [a, b, c, d] = lines as [string, string, string, string]
    const text = [c, a, '<<<<<<< HEAD', b, '=======', d, '>>>>>>> other', a, '{"half'].join('\n')
    const { gates, ignored } = parseHistory(text)
    expect(gates.map(({ id }) => id)).toEqual(['gate0', 'gate1', 'gate2', 'gate3'])
    expect(ignored).toBe(4)
    expect(documentOf(gates, ignored).findings[0]!.message).toBe(
      '4 lines of the file could not be read as a gate',
    )
  })

  test('gets a line behind one that was cut', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'deep', 'history.ndjson')
    const [first, second] = gatesOf(1, 0, 2)
    await appendHistory(file, first!)
    await writeFile(file, `${await readFile(file, 'utf8')}{"schema":`)
    await appendHistory(file, second!)
    expect(parseHistory(await readFile(file, 'utf8'))).toEqual({
      gates: [first, second],
      ignored: 1,
    })
  })

  test('is that of a folder', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'history.ndjson')
    const lines = gatesOf(7, 0.08).map((line) => `${JSON.stringify(line)}\n`)
    await writeFile(file, lines.join(''))
    const asked = { path: folder.path, out: false } as const
    const { document } = await conductStudy(conducting, asked)
    expect(document.verdict.sentence).toMatch(/^Over 60 gates, /)
  })
})
