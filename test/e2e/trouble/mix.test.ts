/**
 * A mix on the command line in trouble: killed and resumed, interrupted, and at the end of the
 * budget that its parts share. What happened is read from the ledger of the crew.
 */
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FakeCrew } from 'crewload/fake-crew'
import { startFakeCrew } from 'crewload/fake-crew'
import { expect, test } from 'vitest'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import type { MixDocument } from '../../../src/result/mix.ts'
import { cli, finished, folderIn, startCli, temporaryFolder } from '../../support/cli.ts'

const PARTS = ['one', 'other'] as const
const profile = `name: steady
inputs: [topic]
tasks: [{ id: write, agent: Writer, duration: 1500ms }]
`

async function mixIn(folder: string, arrivals: object, more: object = {}): Promise<string> {
  const part = {
    name: 'tenant',
    arrivals,
    inputs: { topic: 'tides' },
    polling: { fixed: '100ms' },
    validity: { lateness: '20s', utilisation: 1 },
    ...more,
  }
  const path = join(folder, 'pair.json')
  const parts = Object.fromEntries(PARTS.map((name) => [name, part]))
  await writeFile(path, JSON.stringify({ name: 'pair', parts }))
  return path
}

function at({ url, token }: FakeCrew, out: string) {
  return { args: ['--target', url, '--out', out], env: { CREWLOAD_TOKEN: token } }
}

async function linesIn(folder: string): Promise<JournalLine[]> {
  const text = await readFile(join(folder, 'executions.ndjson'), 'utf8').catch(() => '')
  const complete = text.slice(0, text.lastIndexOf('\n') + 1)
  return complete.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)))
}

async function documentIn(folder: string): Promise<MixDocument> {
  return JSON.parse(await readFile(join(folder, 'result.json'), 'utf8')) as MixDocument
}

/** Until every part has lines of that type. */
async function untilAll(out: string, type: JournalLine['type'], atLeast: number): Promise<string> {
  const few = async (): Promise<number> => {
    const lines = await linesIn(await folderIn(out))
    const counts = PARTS.map(
      (name) => lines.filter((line) => line.part === name && line.type === type).length,
    )
    return Math.min(...counts)
  }
  await expect.poll(few, { timeout: 60_000 }).toBeGreaterThanOrEqual(atLeast)
  return folderIn(out)
}

test('kill -9: every paid execution of all parts is followed to its end, and none is begun', async () => {
  await using place = await temporaryFolder()
  await using crew = await startFakeCrew({ profile })
  const out = join(place.path, 'reports')
  const { args, env } = at(crew, out)
  const file = await mixIn(place.path, { rate: '10/s', for: '5m' })
  const run = startCli(['run', file, ...args, '--max-kickoffs', '400'], { env })
  const folder = await untilAll(out, 'accepted', 5)
  run.kill('SIGKILL')
  await once(run, 'exit')
  const before = await linesIn(folder)
  const paid = crew.ledger()

  const { code, stderr } = await cli(['resume', folder], { env })
  expect([code, stderr]).toEqual([4, expect.any(String)])
  const after = await linesIn(folder)
  expect(after.slice(0, before.length)).toEqual(before)
  expect(crew.ledger().map(({ kickoff_id: id }) => id)).toEqual(
    paid.map(({ kickoff_id: id }) => id),
  )
  const { mix, parts } = await documentIn(folder)
  expect([mix.name, parts.map(({ part }) => part)]).toEqual(['pair', PARTS])
  for (const { part, result } of parts) {
    const accepted = before.filter((line) => line.part === part && line.type === 'accepted')
    expect(result.outcomes.completed).toBe(accepted.length)
    expect(result.ledger!.disagreements).toEqual([])
  }
  const again = await cli(['resume', folder], { env })
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('nothing to resume')])
}, 120_000)

test('Ctrl-C drains all parts, in a crew that the mix has started', async () => {
  await using place = await temporaryFolder()
  const out = join(place.path, 'reports')
  const file = await mixIn(place.path, { rate: '5/s', for: '1h' })
  const crewFile = join(place.path, 'steady.yaml')
  await writeFile(crewFile, profile)
  const run = startCli(['run', file, '--profile', crewFile, '--out', out])
  const end = finished(run)
  const folder = await untilAll(out, 'accepted', 3)
  // A terminal's Ctrl-C reaches the whole process group, and so the fake crew.
  process.kill(-run.pid!, 'SIGINT')
  const { code, stderr } = await end
  expect([code, stderr]).toEqual([130, expect.stringContaining('no new kickoffs')])
  const { mix, parts } = await documentIn(folder)
  expect(mix.stopped).toBe('drained')
  for (const { result } of parts) {
    const { completed, aborted } = result.outcomes
    expect([result.run.stopped, aborted]).toEqual(['drained', 0])
    expect(completed).toBeGreaterThanOrEqual(3)
    expect(result.ledger!.agreed).toBe(completed)
  }
}, 120_000)

test('--max-kickoffs is of all parts together, also where kickoffs are sent again', async () => {
  await using place = await temporaryFolder()
  await using crew = await startFakeCrew({
    profile: `${profile}faults: [{ name: busy, status: { code: 503 }, operations: [kickoff], chance: 40% }]\n`,
  })
  const out = join(place.path, 'reports')
  const { args, env } = at(crew, out)
  const retry = { backoff: { initial: '50ms', max: '100ms' } }
  const file = await mixIn(place.path, { rate: '20/s', for: '2s' }, { retry })
  const { code } = await cli(['run', file, ...args, '--max-kickoffs', '25'], { env })
  expect(code).not.toBe(0)
  expect(crew.requests({ operation: 'kickoff' })).toHaveLength(25)
  const { budget, parts } = await documentIn(await folderIn(out))
  expect(budget.kickoffs).toBe(25)
  const accepted = crew.ledger().length
  expect(accepted).toBeLessThan(25)
  const completed = parts.map(({ result }) => result.outcomes.completed)
  expect(completed.reduce((sum, count) => sum + count, 0)).toBe(accepted)
}, 60_000)
