/** Crews that list more inputs than they need: they can be run, and one request shows the others. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunOptions } from '../../../src/run/options.ts'
import { run } from '../../../src/run/run.ts'
import { InputsRefused } from '../../../src/run/target/refused-inputs.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { enginesThatSend } from '../../support/k6/k6.ts'
import type { CountingCrew } from '../../support/targets/loopback.ts'
import { startedCrew } from '../../support/targets/loopback.ts'

const ENGINES = await enginesThatSend('optional inputs')
const STATE = ['topic', 'id', 'history']

const scenario = (arrivals: object) => ({
  name: 'optional',
  arrivals: arrivals as { clients: number; iterations: number },
  inputs: { topic: 'bees' },
  polling: { fixed: '20ms' },
  confirm: 0,
  validity: { lateness: '10s', utilisation: 1, little: 1 },
})

const CLOSED = { clients: 4, iterations: 8 }
const OPEN = { rate: '100/s', for: '80ms' }

function at(crew: CountingCrew, more: RunOptions = {}): RunOptions {
  return { target: crew.url, budget: { kickoffs: 50 }, out: false, ...more }
}

describe.each(ENGINES)('%j', (engine) => {
  test.each([
    ['closed', CLOSED],
    ['open', OPEN],
  ])('a flow that needs none of what it lists is run as it is: %s', async (_, arrivals) => {
    await using crew = await startedCrew({ listed: STATE, needed: [] })
    const { document } = await run(scenario(arrivals), at(crew, { engine }))
    expect(document.outcomes.completed).toBe(8)
    expect(crew.bodies).toEqual(crew.bodies.map(() => ({ inputs: { topic: 'bees' } })))
    expect(crew.bodies).toHaveLength(8)
    const message = expect.stringMatching(
      /^the crew also lists "id", "history".*\. It accepted kickoffs without$/,
    ) as string
    expect(document.findings).toContainEqual({
      code: 'inputs-missing',
      severity: 'info',
      message,
      names: ['id', 'history'],
      more: 0,
      hasAccepted: true,
    })
  })

  test('a crew that needs one of them gets few unpaid requests, and the user its name', async () => {
    await using crew = await startedCrew({ listed: STATE, needed: ['history'] })
    const ended = run(scenario(CLOSED), at(crew, { engine }))
    const error = await ended.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InputsRefused)
    expect(String(error)).toContain('the crew also expects "history"')
    const example = `--set 'inputs={"topic":"sample topic","history":"sample history"}'`
    expect(String(error)).toContain(example)
    expect(crew.bodies.length).toBeLessThanOrEqual(1)
  })
})

test('one refused request is enough, however many arrivals are due', async () => {
  await using crew = await startedCrew({ listed: STATE, needed: ['history'] })
  await using temporary = await temporaryFolder()
  const out = temporary.path
  const notes: string[] = []
  const options = at(crew, { out, onNote: (note) => void notes.push(note) })
  await expect(run(scenario({ rate: '1000/s', for: '1s' }), options)).rejects.toThrow('history')
  expect(crew.bodies).toHaveLength(1)
  const folder = join(out, readdirSync(out)[0]!)
  expect(notes).toContain(`the journal of the refused kickoff is in ${folder}`)
  const journal = readFileSync(join(folder, 'executions.ndjson'), 'utf8')
  expect(journal).toContain('"outcome":"rejected"')
})

test('inputs that the crew calls optional are no news', async () => {
  const listed = ['topic', { name: 'id', required: false }, { name: 'tone', required: false }]
  await using crew = await startedCrew({ listed, needed: [] })
  const notes: string[] = []
  const onNote = (note: string): void => void notes.push(note)
  const { document } = await run(scenario(CLOSED), at(crew, { onNote }))
  expect(document.outcomes.completed).toBe(8)
  expect([...notes, ...document.findings.map(({ message }) => message)].join()).not.toContain(
    'lists',
  )
})

test('an id is never suggested, unless the crew says that it needs one', async () => {
  await using crew = await startedCrew({
    listed: ['topic', 'id', 'tone'],
    needed: ['tone'],
    silent: true,
  })
  const error = await run(scenario(CLOSED), at(crew)).catch((thrown: unknown) => thrown)
  expect(String(error)).toContain('"id", "tone"')
  expect(String(error)).toContain(`'inputs={"topic":"sample topic","tone":"sample tone"}'`)
})
