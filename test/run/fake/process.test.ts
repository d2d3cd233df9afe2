/** What the fake crew of a run says of itself, and how it ended, is told to whoever runs it. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { RunOutcome } from '../../../src/run/index.ts'
import { stopReasonText } from '../../../src/result/sentences/end-reasons.ts'
import { run } from '../../../src/run/index.ts'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { startFakeProcess } from '../../../src/run/fake/process.ts'
import { temporaryFolder } from '../../support/cli.ts'

/** Behind the line that tells its URL, when the run has begun on a busy machine too. */
const ONCE_IT_STANDS = `
const { write } = process.stdout
process.stdout.write = (...told) => {
  process.stdout.write = write
  setTimeout(act, 3_000)
  return write.apply(process.stdout, told)
}`

/** An environment in which a fake crew does this once it stands. */
async function doing(act: string, folder: string): Promise<Record<string, string | undefined>> {
  const file = join(folder, 'act.mjs')
  await writeFile(file, `${ONCE_IT_STANDS}\nfunction act() { ${act} }\n`)
  return { ...process.env, NODE_OPTIONS: `--import=${pathToFileURL(file).href}` }
}

async function ranWith(act: string): Promise<{ told: string[]; document: RunOutcome['document'] }> {
  await using folder = await temporaryFolder()
  const told: string[] = []
  const { document } = await run(
    {
      name: 'complaints',
      arrivals: { rate: '5/s', for: '6s' },
      inputs: { topic: 'a', audience: 'b' },
    },
    {
      profile: 'fast',
      out: false,
      env: await doing(act, folder.path),
      onTrouble: (trouble) => told.push(trouble),
    },
  )
  return { told, document }
}

describe.concurrent('a fake crew that', () => {
  test('complains in mid-run is heard, neutralised, and the run goes on', async () => {
    const { told, document } = await ranWith(
      String.raw`console.error('odd \u202E things\n    at here'); console.error('::error::x')`,
    )
    expect(told).toEqual([
      'the fake crew of this run says: odd <U+202E> things at here : :error::x',
    ])
    expect(document.run.stopped).toBeNull()
  })

  test('dies of a bug ends the run with the cause', async () => {
    const { told, document } = await ranWith(`throw new Error('a sum went wrong')`)
    expect(told.join('\n')).toContain('a sum went wrong')
    expect(document.run.stopped).toBe('now')
    expect(stopReasonText(document.run.stopReason!)).toMatch(
      /^the fake crew of this run ended by itself \(with exit code \d+: .*a sum went wrong\)$/,
    )
  })

  test('is killed ends the run with the signal', async () => {
    const { told, document } = await ranWith(`process.kill(process.pid, 'SIGKILL')`)
    expect(told).toEqual([])
    expect(document.run.stopReason).toEqual({
      code: 'crew-died',
      exit: { code: null, signal: 'SIGKILL' },
      why: '',
    })
    expect(stopReasonText(document.run.stopReason!)).toBe(
      'the fake crew of this run ended by itself (killed by SIGKILL)',
    )
  })
})

test.concurrent('whose run dies while it starts ends too', async ({ onTestFinished }) => {
  const tied = { ...process.env, CREWLOAD_FAKE_TIED: '1' }
  const args = ['fake', '--profile', 'fast', '--port', '0', '--json']
  const crew = fork('dist/bin/crewload.js', args, { env: tied, silent: true })
  const ended = once(crew, 'exit')
  crew.disconnect()
  onTestFinished(() => void crew.kill('SIGKILL'))
  expect(await ended).toEqual([0, null])
})

test.concurrent('what a fake crew said last is told, though it ends at once', async () => {
  await using folder = await temporaryFolder()
  const told: string[] = []
  const crew = await startFakeProcess({
    profile: 'fast',
    speed: 1,
    seed: 1,
    dialect: null,
    env: await doing(`console.error('no more of this'); process.exit(3)`, folder.path),
    onComplaint: (words) => told.push(words),
  })
  expect(await crew.died).toEqual({ exit: { code: 3, signal: null }, why: '' })
  expect(told).toEqual(['the fake crew of this run says: no more of this'])
})

describe.concurrent('a fake crew that cannot start', () => {
  const starting = { profile: 'fast', speed: 1, seed: 1, dialect: null, onComplaint: () => {} }

  test('because of a bug is no mistake of the user, and its words are shown', async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'act.mjs')
    await writeFile(file, `throw new Error('a sum went wrong')`)
    const env = { ...process.env, NODE_OPTIONS: `--import=${pathToFileURL(file).href}` }
    const failure = await startFakeProcess({ ...starting, env }).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      name: 'FakeCrewCrashed',
      exitCode: 70,
      message: expect.stringMatching(
        /^fake crew: crashed while it started \(exit code 1\): .*a sum went wrong/,
      ),
    })
  })

  test('because of its options is the mistake of whoever gave them', async () => {
    const failure = startFakeProcess({ ...starting, profile: 'fats', env: process.env })
    await expect(failure).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringMatching(/^--profile: profile: not a shipped profile .*fast/),
    })
  })
})

const TASKS = [{ id: 'write', agent: 'Writer', duration: '100ms' }]
const SCENARIO = {
  name: 'inline',
  arrivals: { iterations: 3, clients: 1 },
  inputs: { topic: 'a', audience: 'b' },
}

test.concurrent.each([
  ['refuses connections', { refuse: {}, window: { from: '0s', for: '1s' } }],
  ['restarts', { restart: { loses: 'all' as const }, window: { from: '0s', for: '1s' } }],
])('a run waits for a crew that %s at its start, and has its ledger', async (_, fault) => {
  const profile = { name: 'late', inputs: ['topic', 'audience'], tasks: TASKS, faults: [fault] }
  const { document } = await run(SCENARIO, { profile, out: false })
  expect(document.outcomes.completed).toBe(3)
  expect(document.ledger).not.toBeNull()
  expect(document.run.place).toMatchObject({ kind: 'fake', profile: 'late', own: true })
})

test('a profile in code is a value or a text, in virtual time too; all its mistakes are reported', async () => {
  const yaml = 'inputs: [topic, audience]\ntasks: [{ id: write, agent: W, duration: 2s }]\n'
  const options = { profile: yaml, engine: 'virtual', out: false } as const
  const { document } = await run(SCENARIO, options)
  expect(document.outcomes.completed).toBe(3)
  expect(document.run.place).toEqual({ kind: 'virtual', profile: 'profile' })
  const wrong = { tasks: [{ id: 'a', agent: 'A', duration: 'soon' }], stuck: 9 }
  await expect(run(SCENARIO, { profile: wrong, out: false })).rejects.toThrow(
    /profile tasks\[0\]\.duration: [^]*profile stuck: /,
  )
})

test('a crew with a manual clock is no target: nothing in it would end', async () => {
  const profile = { inputs: ['topic', 'audience'], tasks: TASKS }
  await using crew = await startFakeCrew({ profile, clock: 'manual' })
  const options = { target: crew.url, tokens: [crew.token], out: false } as const
  await expect(run(SCENARIO, options)).rejects.toThrow('a fake crew with a manual clock')
  expect(crew.ledger()).toEqual([])
})
