/** The answer that stands above the fold of a page: verdict, cause, what to do, and the load. */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import type { VirtualRun } from '../../support/virtual-run.ts'
import { virtualRun } from '../../support/virtual-run.ts'
import { runFile, runTerminal } from '../../support/run-shown.ts'
import { invalidDocument, tinyDocument } from './sample-document.ts'

const LOAD = {
  arrivals: { rate: '1/s', for: '4m', process: 'poisson' },
  polling: { fixed: '2s' },
  deadline: '2m',
  thresholds: { 'execution.p95': '< 30s' },
} satisfies VirtualRun['scenario']

const WORK = 'tasks: [{ id: work, agent: Worker, duration: 10s, output: 100B }]'

/** Arrivals need twice what the workers can do. */
const overloaded = await virtualRun({
  crew: `${WORK}\ncapacity: { workers: 5 }`,
  scenario: LOAD,
  set: { 'arrivals.rate': '1/s' },
})

const unwell = await virtualRun({
  crew: `${WORK}\ncapacity: { workers: unlimited }`,
  faults: '{ name: unwell, status: { code: 503 }, operations: [status], chance: 97% }',
  scenario: { ...LOAD, retry: { status: 0 } },
})

/** What a reader sees first, without the marks of a page. */
function headOf(document: ResultDocument): string[] {
  const [head = ''] = /<header>.*?<p class="verdict">/s.exec(runFile(document, 'report.html')) ?? []
  return [...head.matchAll(/<(?:h1|p class="(?:lede|load)")>(.*?)<\/(?:h1|p)>/gs)].map(([, text]) =>
    text!
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('\u00A0', ' ')
      .replaceAll('&lt;', '<'),
  )
}

describe('the head of a page answers', () => {
  test('that the crew was overloaded, by how much, and what to do', () => {
    const missed = overloaded.thresholds.filter(({ status }) => status === 'missed')
    expect(missed.map(({ metric }) => metric)).toContain('outcome.unserved')
    expect(new Set(missed.map(({ hint }) => hint))).toEqual(
      new Set(['lower the rate or add workers']),
    )
    expect(runFile(overloaded, 'report.html')).toMatch(
      /At p95 of the \d+ that ended, waiting for a worker took the most/,
    )
    const terminal = runTerminal(overloaded, { color: false, width: 400, reportPath: null })
    for (const said of [/2\d\d %/g, /lower the rate or add workers/gi]) {
      expect(terminal.match(said)).toHaveLength(1)
    }
    const [title, remedy, load] = headOf(overloaded)
    expect(title).toMatch(
      /^✗ Failed: the crew is overloaded \(arrivals need 2\d\d % of its 5 workers\)$/,
    )
    expect(remedy).toBe(
      'Lower the rate or add workers; crewload capacity finds what the crew can carry.',
    )
    expect(load).toMatch(
      /^simulated, 1\/s, Poisson, 4 min, deadline 2 min; set arrivals.rate=1\/s; \d+ executions, \d+ stuck; p50 /,
    )
  })

  test('which answer failed the run, and how often it came', () => {
    const [title, remedy] = headOf(unwell)
    expect(title).toMatch(/^✗ Failed: (?:every|9\d\.\d % of) status answers? (?:is|are) 503$/)
    expect(remedy).toMatch(/^Look at the logs of the target from \d/)
  })

  test('how many more executions would do, where a few dependent ones are not enough', () => {
    const document = structuredClone(tinyDocument())
    const [first] = document.verdict.reasons
    expect(first).toMatchObject({ metric: 'kickoff.response.p95', doubt: { kind: 'few', have: 5 } })
    for (const each of document.thresholds) {
      if (each.metric !== 'kickoff.response.p95') continue
      Object.assign(each, { doubt: { kind: 'dependent', have: null, needed: null }, more: 213 })
    }
    expect(headOf(document).slice(0, 2)).toEqual([
      '? Inconclusive: kickoff.response.p95 is undecided',
      'Run longer: about 213 more executions would decide all 4.',
    ])
  })

  test('why a measurement is not valid, and judges no threshold', () => {
    const [title, remedy] = headOf(invalidDocument())
    expect(title).toMatch(/^! Invalid: the generator sent requests late/)
    expect(remedy).toBe('Lower the rate or use several k6 processes.')
    const measured = invalidDocument()
    Object.assign(measured.verdict.reasons[0]!, { p99Ms: 23.4 })
    Object.assign(measured.metrics['lateness.p99']!, { value: null, needed: 299 })
    expect(headOf(measured)[0]).toBe('! Invalid: the generator sent requests late (p99 23.4 ms)')
  })
})

test('what was not judged has no tick, no bar and no test case that passed', () => {
  const { thresholds, ...rest } = invalidDocument()
  const open = thresholds.map((each) =>
    Object.assign({}, each, { status: 'notJudged' as const, hint: null }),
  )
  const document = { ...rest, thresholds: open }
  const [head = ''] = /<header>.*?<\/header>/s.exec(runFile(document, 'report.html')) ?? []
  expect(head).toContain('6 thresholds, not judged')
  expect(head.match(/– not judged/g)).toHaveLength(6)
  expect(head).not.toMatch(/✓ met|svg\s+class="margin"/)
  expect(runFile(document, 'comment.md')).not.toMatch(/✓ \d met|✓ met/)
  expect(runFile(document, 'junit.xml').match(/<skipped message="not judged: /g)).toHaveLength(6)
})
