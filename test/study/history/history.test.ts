/** Histories of gates whose truth is known, from the file to the page. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import type { HistoryLine } from '../../../src/study/frame/comparing/history.ts'
import { parseHistory } from '../../../src/study/frame/comparing/history.ts'
import { appendHistory } from '../../../src/study/frame/conduct/history-file.ts'
import { analyseHistory } from '../../../src/study/history/analyse.ts'
import type { HistoryDocument } from '../../../src/study/history/document.ts'
import { history } from '../../../src/study/history/study.ts'
import { renderReportPage } from '../../../src/report/frame/render/page.ts'
import { renderReportTerminal } from '../../../src/report/frame/render/terminal.ts'
import { cli, temporaryFolder } from '../../support/cli.ts'

const TIMES = { 'execution.p50': 60_000, 'execution.p95': 210_000, 'kickoff.response.p95': 250 }
const HOUR = 3_600_000

/** One gate an hour; `step`: by how much times are longer from the 40th on. */
function gatesOf(seed: number, step: number, count = 60): HistoryLine[] {
  const random = createRandom(seed).fork('history')
  return Array.from({ length: count }, (_, i): HistoryLine => {
    const shared = 0.01 * random.normal()
    const times = Object.entries(TIMES).map(([name, ms]) => {
      const value = ms * (i >= 40 ? 1 + step : 1) * Math.exp(shared + 0.01 * random.normal())
      return [name, { unit: 'ms' as const, value }] as const
    })
    const failed = Math.round(4_000 * 0.01 + Math.sqrt(40) * random.normal()) / 4_000
    return {
      schema: 'crewload/gate-line/1',
      id: `gate${i}`,
      at: new Date(Date.UTC(2026, 10, 1) + i * HOUR).toISOString(),
      commit: `c0ffee${String(i).padStart(2, '0')}`,
      scenario: 'steady',
      decision: 'pass',
      runs: 8,
      metrics: {
        ...Object.fromEntries(times),
        'execution.failed': { unit: 'share', value: failed },
        'outcome.unserved': { unit: 'share', value: 0 },
      },
    }
  })
}

function documentOf(gates: HistoryLine[], ignored = 0): HistoryDocument {
  return analyseHistory(
    { gates, ignored },
    {
      path: 'ci/baseline',
      terms: { smallestChange: 0.05, smallestDifference: 0.01, level: 0.01 },
      facts: {
        tool: { name: 'crewload', version: '0.1.0', node: '20.19.0' },
        id: 'c0ffee00',
        startedAt: '2026-11-22T12:00:00.000Z',
        ended: 'complete',
        durationMs: 12,
        requests: 0,
        kickoffs: 0,
        budget: { requests: 0, kickoffs: 0 },
        command: 'crewload history ci/baseline',
      },
    },
  )
}

const seeds = Array.from({ length: 100 }, (_, i) => 300 + i)

describe('of 100 histories of 60 gates', () => {
  test('a step of 8 % at the 40th is named within 2 gates, with its commits', () => {
    const right = seeds.filter((seed) => {
      const { verdict, metrics } = documentOf(gatesOf(seed, 0.08))
      const changes = metrics.flatMap((metric) => metric.changes)
      const near = changes.filter(({ until }) => Math.abs(Number(until.id.slice(4)) - 40) <= 2)
      return verdict.outcome === 'worse' && changes.length === 3 && near.length === 3
    })
    expect(right.length).toBeGreaterThanOrEqual(98)
  })

  test('none is named in any metric without a step in 99', () => {
    const steady = seeds.filter((seed) => documentOf(gatesOf(seed, 0)).verdict.outcome === 'steady')
    expect(steady.length).toBeGreaterThanOrEqual(99)
  })
})

test('the sentence names metric, size and the range of commits', () => {
  const { verdict } = documentOf(gatesOf(7, 0.08))
  expect(verdict.sentence).toMatch(
    /^Over 60 gates, [\w.]+ rose by [789](?:\.\d+)? %, from [\d.]+ m?s to [\d.]+ m?s, between c0ffee39 and c0ffee40, and stands there for 20 gates\.$/,
  )
  expect(verdict.reasons).toHaveLength(2)
})

test('less of it is better, and fewer than 6 gates are too few', () => {
  const faster = documentOf(gatesOf(8, -0.1))
  expect([faster.verdict.outcome, history.exit(faster)]).toEqual(['better', 'passed'])
  const few = documentOf(gatesOf(8, 0, 5))
  expect([few.verdict.outcome, history.exit(few)]).toEqual(['too-few', 'inconclusive'])
})

test('its document follows its schema, and its page and 80 columns are whole', () => {
  for (const gates of [gatesOf(7, 0.08), gatesOf(7, 0), []]) {
    const document = documentOf(gates)
    expect(history.schema.parse(JSON.parse(JSON.stringify(document)))).toEqual(document)
    const report = history.report(document)
    expect(renderReportPage(report)).not.toMatch(/NaN|Infinity|undefined|\[object/)
    const text = renderReportTerminal(report, { color: false, width: 80, reportPath: null })
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  }
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

  test('is shown by crewload history, and its absence is a mistake', async () => {
    await using folder = await temporaryFolder()
    const base = join(folder.path, 'base')
    await mkdir(base)
    const lines = gatesOf(7, 0.08).map((line) => `${JSON.stringify(line)}\n`)
    await writeFile(join(base, 'history.ndjson'), lines.join(''))
    const out = join(folder.path, 'out')
    const { code, stdout } = await cli(['history', base, '--out', out])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^WORSE {3}Over 60 gates, /)])
    const [name = ''] = await readdir(out)
    expect(await readdir(join(out, name))).toEqual(
      expect.arrayContaining(['history.json', 'report.html']),
    )
    const none = await cli(['history', out])
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no history of gates')])
  })
})
