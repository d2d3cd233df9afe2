/**
 * A run of a few executions against a crew with faults, over real sockets or in virtual time, and
 * what it tells.
 */
import { startFakeCrew } from '../../../fake-crew/index.ts'
import type { ResultDocument } from '../../../src/result/document.ts'
import type { FaultMark, LedgerRow } from '../../../src/crew/ledger.ts'
import { defineScenario } from '../../../src/scenario/define.ts'
import { run } from '../../../src/run/run.ts'
import { written } from '../sample-profile.ts'

export const EXECUTIONS = 4

const profileWith = (writing: string): string => `
name: faulty
inputs: [topic, audience]
tasks:
  - { id: research, agent: Researcher, duration: 60ms, output: 200B }
  - { id: writing, agent: Writer, duration: ${writing}, output: 200B }
capacity: { workers: unlimited }
`

/** `faults`: a YAML list. `writing`: how long the second task takes. */
export function profileText(faults: string, writing = '160ms'): string {
  return `${profileWith(writing)}faults:\n${faults
    .trim()
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')}\n`
}

const SCENARIO = defineScenario({
  name: 'bad-weather',
  arrivals: { clients: EXECUTIONS, iterations: EXECUTIONS },
  inputs: { topic: 'fog', audience: 'sailors' },
  polling: { fixed: '40ms' },
  deadline: '2s',
  confirm: '100%',
  timeouts: { request: '20s', firstCall: '20s' },
  retry: 'none',
  notFoundGrace: '0s',
  validity: { lateness: '10s', utilisation: 1 },
})

export interface FaultOutcome {
  document: ResultDocument
  /** Of the crew's truth, where the run was over sockets. */
  rows: LedgerRow[]
  marks: readonly FaultMark[]
}

export interface Weather {
  /** To the scenario. */
  changes?: Partial<typeof SCENARIO>
  /** How long the second task takes. */
  writing?: string
  /** Faults that are added when the run begins: their times count from there. */
  added?: string
}

export async function overSockets(faults: string, weather: Weather = {}): Promise<FaultOutcome> {
  const { changes, writing, added } = weather
  const crew = await startFakeCrew({ profile: written(profileText(faults, writing)) })
  const onStart = (): void => {
    const init = { method: 'POST', body: added ?? '[]' }
    fetch(`${crew.url}/__fake__/faults`, init).catch(() => {})
  }
  try {
    const scenario = { ...SCENARIO, ...changes }
    const options = { target: crew.url, tokens: [crew.token], out: false, onStart } as const
    const { document } = await run(scenario, options)
    const answer = await fetch(`${crew.url}/__fake__/faults/marks`)
    const lines = (await answer.text()).split('\n').filter((line) => line !== '')
    const marks = lines.map((line) => JSON.parse(line) as FaultMark)
    return { document, rows: crew.ledger(), marks }
  } finally {
    await crew.stop()
  }
}

export async function inVirtualTime(
  faults: string,
  { changes, writing }: Weather = {},
): Promise<ResultDocument> {
  const profile = profileText(faults, writing)
  const scenario = { ...SCENARIO, ...changes }
  const { document } = await run(scenario, { profile, engine: 'virtual', out: false })
  return document
}
