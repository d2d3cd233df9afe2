/** What a run and a study with a price spent, in every report. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResultDocument } from '../../../../src/result/document.ts'
import { renderTerminal } from '../../../../src/report/frame/render/terminal.ts'
import { renderAgain } from '../../../../src/cli/actions/report.ts'
import type { Io } from '../../../../src/cli/io/io.ts'
import { run } from '../../../../src/run/index.ts'
import { reportOf } from '../../../../src/study/frame/study.ts'
import { gate } from '../../../../src/study/comparing/gate/study.ts'
import { SAMPLES } from '../../../study/comparing/gate/sample-gates.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { virtualRun } from '../../../support/virtual-run.ts'
import { runFile, runTerminal } from '../../../support/run-shown.ts'

test('kickoffs that started or may have started are paid, those of the warm-up too', async () => {
  const document = await virtualRun({
    costPerKickoff: 0.25,
    scenario: { arrivals: { rate: '1/s', for: '16s', process: 'uniform', warmUp: '4s' } },
  })
  expect(document.arrivals).toBe(12)
  expect(document.run.spent).toEqual({ kickoffs: 16, costPerKickoff: 0.25 })
  const words = /Spent\W.*16 kickoffs, about 4/s
  expect(runTerminal(document, { color: false, width: 80, reportPath: null })).toMatch(words)
  expect(runFile(document, 'summary.md')).toMatch(words)
  expect(runFile(document, 'report.html')).toMatch(/Spent<\/dt>\s*<dd>16 kickoffs, about 4<\/dd>/)
})

test('kickoffs that were cut off before their answer may have started, and are paid', async () => {
  const document = await virtualRun({
    costPerKickoff: 0.25,
    budget: { wallMicros: 3_000_000 },
    crew: `
tasks: [{ id: work, agent: Worker, duration: 1s, output: 100B }]
capacity: { workers: unlimited }
http: { latency: { kickoff: 10s } }
`,
    scenario: { arrivals: { rate: '2/s', for: '8s' } },
  })
  const { aborted, completed } = document.outcomes
  expect(aborted).toBeGreaterThan(0)
  expect(completed).toBe(0)
  expect(document.run.spent!.kickoffs).toBe(aborted)
})

test('a report that is rendered again keeps the price; without one nothing is said', async () => {
  await using folder = await temporaryFolder()
  const place = { engine: 'virtual', profile: 'fast', out: folder.path } as const
  const made = await run('smoke', { ...place, costPerKickoff: 0.5 })
  expect(made.document.run.spent?.costPerKickoff).toBe(0.5)
  const output = { isTerminal: false, width: 80, write: () => {} }
  const io = { args: [], env: {}, stdout: output, stderr: output } as unknown as Io
  await renderAgain(made.folder!, {}, io)
  const text = await readFile(join(made.folder!, 'result.json'), 'utf8')
  expect((JSON.parse(text) as ResultDocument).run.spent).toEqual(made.document.run.spent)
  const free = await virtualRun({ scenario: { arrivals: { rate: '1/s', for: '3s' } } })
  expect(free.run.spent).toBeUndefined()
})

test('a study with a price says what all its runs spent', () => {
  const [document] = Object.values(SAMPLES).map((create) => create())
  const priced = { ...document!, kickoffs: 16, costPerKickoff: 0.234 }
  const shown = renderTerminal(reportOf(gate, priced), {
    color: false,
    width: 80,
    reportPath: null,
  })
  expect(shown).toMatch(/^ *Spent +16 kickoffs, about 3\.74$/m)
  expect(reportOf(gate, document!).facts.map(({ name }) => name)).not.toContain('Spent')
})
