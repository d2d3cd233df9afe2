/** A run that listened for pushes, cut and resumed: who hears what comes after the cut. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FakeCrew } from 'crewload/fake-crew'
import { startFakeCrew } from 'crewload/fake-crew'
import type { Scenario } from 'crewload/run'
import { resume, run } from 'crewload/run'
import { expect, onTestFinished, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import { temporaryFolder } from '../../support/cli.ts'

const SCENARIO: Scenario = {
  name: 'pushed',
  arrivals: { rate: '20/s', for: '1m', process: 'uniform' },
  inputs: { topic: 'bees' },
  polling: { fixed: '200ms' },
  confirm: 0,
  validity: { lateness: '10s', utilisation: 1 },
}

/** A port that nobody listens at, and the server that found it. */
async function port(): Promise<{ listen: string; free: () => Promise<void> }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return {
    listen: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    free: async () => new Promise((resolve) => server.close(() => resolve())),
  }
}

interface Resumed {
  document: ResultDocument
  notes: string
  page: string
  lines: string
}

/** Until so many executions were polled. */
async function polled(crew: FakeCrew, executions: number): Promise<void> {
  const count = (): number => {
    const polls = crew.requests({ operation: 'status' })
    return new Set(polls.map(({ path }) => path)).size
  }
  await expect.poll(count, { timeout: 60_000 }).toBeGreaterThanOrEqual(executions)
}

/** A run that is stopped before any of its executions has ended, and resumed. */
async function resumed(
  listen: string,
  duration: string,
  between = async (): Promise<void> => {},
): Promise<Resumed> {
  const crew = await startFakeCrew({
    profile: {
      name: 'pushing',
      inputs: ['topic'],
      tasks: [{ id: 'work', agent: 'Worker', duration, output: '100B' }],
      capacity: { workers: 'unlimited' },
    },
  })
  onTestFinished(async () => crew.stop())
  await using out = await temporaryFolder()
  const scenario = { ...SCENARIO, webhooks: { listen, send: ['crew', 'events'], wait: '1s' } }
  const options = { tokens: [crew.token] }
  const { folder } = await run(scenario as Scenario, {
    ...options,
    target: crew.url,
    out: out.path,
    onStart: (control) => void polled(crew, 4).then(() => control.stop('now')),
  })
  await between()
  const notes: string[] = []
  const onNote = (note: string): void => void notes.push(note)
  const { document } = await resume(folder!, {
    ...options,
    onNote,
    scenario: scenario as Scenario,
  })
  const text = async (name: string): Promise<string> => readFile(join(folder!, name), 'utf8')
  return {
    document,
    notes: notes.join(),
    page: await text('report.html'),
    lines: await text('executions.ndjson'),
  }
}

test('at an address that stays, the pushes after the cut are heard', async () => {
  const { listen, free } = await port()
  await free()
  const { document, notes, lines } = await resumed(listen, '12s')
  const { ends, missed, unheard = 0, refused, received } = document.pushes!
  expect(notes).not.toContain('pushes')
  expect(document.outcomes.completed).toBeGreaterThan(3)
  // What ended while nobody polled is not judged.
  expect(ends + unheard).toBe(document.outcomes.completed)
  expect(ends).toBeGreaterThan(0)
  expect(missed).toBe(0)
  // A kickoff whose answer the stop cut off runs on, and nobody knows its id.
  expect(Object.keys(refused).filter((why) => why !== 'unknown-id')).toEqual([])
  expect(received).toBeGreaterThanOrEqual(2 * ends)
  expect(lines).toMatch(/"type":"resumed"[^\n]*"listens":true/)
  expect(lines).not.toMatch(/[0-9a-f]{32}/)
})

test('at a port that the system chose, nobody hears them, and the report says so', async () => {
  const { document, notes, page, lines } = await resumed('127.0.0.1:0', '2s')
  const { completed } = document.outcomes
  expect(notes).toMatch(/pushes are not received.*the system's choice/)
  expect(document.pushes).toMatchObject({ ends: 0, missed: 0, unheard: completed })
  expect(page).toContain(`${completed} ends came while nobody listened.`)
  expect(lines).not.toContain('"listens"')
})

test('at a port that somebody else has by now, the reason is told', async () => {
  const { listen, free } = await port()
  await free()
  const { document, notes } = await resumed(listen, '2s', async () => {
    const [host, at] = listen.split(':')
    const server = createServer()
    onTestFinished(() => void server.close())
    await new Promise<void>((resolve) => server.listen(Number(at), host, resolve))
  })
  expect(notes).toMatch(/pushes are not received.*cannot listen: listen EADDRINUSE/)
  expect(document.pushes).toMatchObject({ ends: 0, missed: 0 })
  expect(document.pushes!.unheard).toBe(document.outcomes.completed)
})
