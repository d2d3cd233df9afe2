/** The head lines of runs that went as runs go: a golden file that a person has read. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setInterval } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startFakeCrew } from '../../fake-crew/index.ts'
import type { RunControl } from '../../src/run/index.ts'
import { resume, run } from '../../src/run/index.ts'
import { runReport } from '../../src/report/run/report.ts'
import { temporaryFolder } from '../support/cli.ts'
import type { Scenario } from '../../src/scenario/define.ts'
import type { VirtualRun } from '../support/virtual-run.ts'
import { virtualRun } from '../support/virtual-run.ts'

const THRESHOLDS = { 'execution.p95': '< 15s', 'execution.failed': '< 5%' } as const

const BUSY = `
tasks: [{ id: work, agent: Worker, duration: { uniform: { min: 5s, max: 10s } }, output: 100B }]
capacity: { workers: unlimited }
`
const FAILING = `
tasks:
  - { id: work, agent: Worker, duration: 8s, output: 100B, failure: { chance: 20%, message: no } }
capacity: { workers: unlimited }
`

/** A minute into the run, and once more when the third execution after that completes. */
function interrupted(times: 1 | 2): VirtualRun {
  let control: RunControl | undefined
  let completedSince = -Infinity
  return {
    onStart: (given) => {
      control = given
    },
    scenario: {
      inputs: ({ index }: { index: number }) => {
        if (index === 60 && control !== undefined) {
          completedSince = 0
          control.stop('drain')
        }
        return { topic: 'bees' }
      },
      checks: {
        counts: () => {
          if (++completedSince === 3 && times === 2) control?.stop('now')
          return true
        },
      },
    },
  }
}

const RUNS: readonly [name: string, options: VirtualRun][] = [
  ['healthy', {}],
  ['slow', { crew: BUSY.replace('min: 5s, max: 10s', 'min: 12s, max: 20s') }],
  ['failing', { crew: FAILING }],
  [
    'dying',
    { faults: '{ name: killed, restart: { loses: all }, window: { from: 60s, for: 1h } }' },
  ],
  ['losing', { faults: '{ name: loses, neverStarts: {}, chance: 20% }' }],
  ['mixed up', { faults: '{ name: mixes up, swap: {}, chance: 48% }' }],
  ['never there', { faults: '{ name: gone, status: { code: 502 } }' }],
  ['locked out', { faults: '{ name: revoked, denied: {}, window: { from: 60s } }' }],
  ['interrupted once', interrupted(1)],
  ['interrupted twice', interrupted(2)],
  ['interrupted once, and failing', { ...interrupted(1), crew: FAILING }],
  ['cut by the budget of kickoffs', { budget: { kickoffs: 60 } }],
  ['cut by the budget of requests', { budget: { requests: 600 } }],
  ['cut by the budget of time', { budget: { wallMicros: 60_000_000 } }],
  ['not offered', { scenario: { admission: { maxInFlight: 3, whenFull: 'drop' } } }],
  ['too short', { scenario: { arrivals: { rate: '1/s', for: '20s' } } }],
  ['one execution', { scenario: { arrivals: { clients: 1, iterations: 1 } } }],
  ['a time-lapse', { speed: 60 }],
]

/**
 * Over real sockets: stopped with everything in flight, and resumed; its times differ from run to
 * run and are left out.
 */
async function resumedHeadLine(): Promise<{ outcome: string; messages: string[] }> {
  await using out = await temporaryFolder()
  const crew = await startFakeCrew({ profile: CREW_OF_SIX_SECONDS })
  const scenario: Scenario = {
    name: 'resumed',
    // The thirteenth kickoff would be sent two seconds after the twelfth.
    arrivals: {
      steps: [
        { rate: '23/s', for: '0.5s' },
        { rate: '0.25/s', for: '80s' },
      ],
      process: 'uniform',
    },
    inputs: { topic: 'bees' },
    polling: { fixed: '500ms' },
    validity: { lateness: '10s', utilisation: 1 },
    thresholds: THRESHOLDS,
  }
  const connection = { tokens: [crew.token] }
  try {
    const onStart = (control: RunControl): void => void stopOnceAccepted(out.path, 12, control)
    const to = { ...connection, target: crew.url, out: out.path, onStart }
    const { folder } = await run(scenario, to)
    const { document } = await resume(folder!, { ...connection, scenario })
    const { outcome, reasons } = document.verdict
    const timeless = reasons.map(({ message }) => message.replaceAll(TIMES, '$1 … s'))
    return { outcome, messages: timeless }
  } finally {
    await crew.stop()
  }
}

/** Stops the run as soon as its journal says that so many kickoffs were accepted. */
async function stopOnceAccepted(out: string, count: number, control: RunControl): Promise<void> {
  for await (const _ of setInterval(20)) {
    const [folder] = await readdir(out)
    const journal = folder === undefined ? '' : await journalIn(join(out, folder))
    if (journal.split('"type":"accepted"').length > count) {
      control.stop('now')
      return
    }
  }
}

/** Empty before it is written. */
async function journalIn(folder: string): Promise<string> {
  return readFile(join(folder, 'executions.ndjson'), 'utf8').catch(() => '')
}

const TIMES = /((?:after|in|than|undecided:)) [\d.]+ m?s/g

/** Its executions outlast the cut, also on a busy machine: their times are measured after it. */
const CREW_OF_SIX_SECONDS = {
  name: 'six seconds',
  inputs: ['topic'],
  tasks: [
    {
      id: 'work',
      agent: 'Worker',
      duration: '6s',
      output: '100B',
    },
  ],
  capacity: { workers: 'unlimited' as const },
}

/** The verdict and its cause, what to do, the load, and all reasons. */
async function headLines(name: string, options: VirtualRun): Promise<string[]> {
  const document = await virtualRun({
    crew: BUSY,
    seed: 20,
    ...options,
    scenario: { thresholds: THRESHOLDS, ...options.scenario },
  })
  const { outcome, reasons } = document.verdict
  const { cause, sentence, load } = runReport(document).headline
  const words = `${outcome} ${cause}`.replaceAll(/(?<=\d) (?=%|m?s\b|min\b)/g, '').split(/ +/)
  expect([cause, words.length <= 12]).toEqual([cause, true])
  const messages = reasons.map(({ message }) => message)
  const below = [sentence, load, ...messages].filter((text) => text !== '')
  return [`${name}: ${outcome} ${cause}`.trimEnd(), ...below.map((text) => `  ${text}`)]
}

test('head lines are as a person found them right', async () => {
  const lines: string[] = []
  for (const [name, options] of RUNS) {
    lines.push(...(await headLines(name, options)))
  }
  const resumed = await resumedHeadLine()
  lines.push(`resumed (times left out): ${resumed.outcome}`)
  lines.push(...resumed.messages.map((message) => `  ${message}`))
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../golden/verdict/head-lines.txt')
})
