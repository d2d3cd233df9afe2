/** A page stops the run or study that holds a folder, and nothing else: no process gets a signal. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { execPath } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { lockFolder } from '../../../src/run/folder/lock.ts'
import { askToStop, inFolder } from '../../../src/run/folder/stop.ts'
import type { RunControl, RunOptions } from '../../../src/run/index.ts'
import { defineMix, defineScenario, run, runMix } from '../../../src/run/index.ts'
import { folderIn, temporaryFolder } from '../../support/cli.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGUSR2'] as const
const received: string[] = []
const hear = (signal: string): void => void received.push(signal)

beforeEach(() => {
  received.length = 0
  for (const signal of SIGNALS) process.on(signal, hear)
})
afterEach(() => {
  for (const signal of SIGNALS) process.off(signal, hear)
})

const long = defineScenario({
  name: 'long',
  arrivals: { rate: '20/s', for: '1m' },
  inputs: { topic: 'tides' },
  polling: { fixed: '50ms' },
})
const profile = `name: quick
inputs: [topic]
tasks: [{ id: write, agent: Writer, duration: 100ms }]
`

/** A run or a mix in this process, of which the first page to come asks for a stop. */
async function stopped(how: 'drain' | 'now', isMix: boolean) {
  await using folder = await temporaryFolder()
  await using crew = await startFakeCrew({ profile })
  const asked: string[] = []
  let answer: Promise<boolean> | undefined
  const options = {
    target: crew.url,
    tokens: [crew.token],
    budget: { kickoffs: 5_000 },
    out: folder.path,
    onStart: () => {
      answer = folderIn(folder.path).then(async (path) => askToStop(path, how))
    },
    onAsked: (asking: string) => void asked.push(asking),
  }
  const mix = defineMix({ name: 'pair', parts: { a: long, b: long } })
  const { document } = isMix ? await runMix(mix, options) : await run(long, options)
  const was = 'mix' in document ? document.mix.stopped : document.run.stopped
  const left = await readdir(await folderIn(folder.path))
  return { isTaken: await answer, asked, was, left: left.filter((name) => name.startsWith('.')) }
}

test.concurrent.each([
  ['drain', false, 'drained'],
  ['now', false, 'now'],
  ['drain', true, 'drained'],
  ['now', true, 'now'],
] as const)(
  'in code, "%s" (of a mix: %s) leaves the run %s, and this process alone',
  async (how, isMix, was) => {
    const left: string[] = []
    expect(await stopped(how, isMix)).toEqual({ isTaken: true, asked: [how], was, left })
    expect(received).toEqual([])
  },
  60_000,
)

test('a process that was given the number of a dead run gets neither signal nor request', async () => {
  await using folder = await temporaryFolder()
  const other = spawn(execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  const hold = await lockFolder(folder.path)
  const name = basename(hold.path).replace(/-\d+-\d+$/, `-${other.pid}-0`)
  await hold.release()
  // As on a system that does not say when a process has started.
  await writeFile(join(folder.path, name), '')
  expect(await askToStop(folder.path, 'now')).toBe(false)
  expect(await readdir(folder.path)).toEqual([name])
  expect([other.exitCode, other.signalCode]).toEqual([null, null])
  other.kill('SIGKILL')
  await once(other, 'exit')
}, 30_000)

test('what an earlier page asked of another holder stops no resumption', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, '.held-by-here-4711-0.now'), '')
  const stops: string[] = []
  const control: RunControl = { stop: (how) => void stops.push(how), fail: () => {} }
  await inFolder<Pick<RunOptions, 'onStart'>, void>(folder.path, {}, async ({ onStart }) => {
    onStart?.(control)
    expect(await askToStop(folder.path, 'drain')).toBe(true)
    expect(stops).toEqual(['drain'])
  })
  expect(await askToStop(folder.path, 'drain')).toBe(false)
})

const OF_ANOTHER_MACHINE = '.held-by-gone-4711-0'

describe.concurrent('what nobody takes up', () => {
  test('is withdrawn by each who asked, and taken for obeyed by none', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, OF_ANOTHER_MACHINE), '')
    const first = askToStop(folder.path, 'drain')
    await sleep(1_000)
    const second = askToStop(folder.path, 'drain')
    expect(await Promise.all([first, second])).toEqual([false, false])
    expect(await readdir(folder.path)).toEqual([OF_ANOTHER_MACHINE])
  }, 30_000)

  test('and cannot be withdrawn is not taken for obeyed either', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, OF_ANOTHER_MACHINE), '')
    const troubles: string[] = []
    const answer = askToStop(folder.path, 'now', (trouble) => void troubles.push(trouble))
    await expect.poll(async () => readdir(folder.path)).toHaveLength(2)
    const request = (await readdir(folder.path)).find((name) => name.endsWith('.now'))!
    // No file, which `unlink` refuses even for root.
    await rm(join(folder.path, request))
    await mkdir(join(folder.path, request))
    expect(await answer).toBe(false)
    expect(troubles).toEqual([expect.stringMatching(/^its folder cannot be written to \(E/)])
  }, 30_000)

  test('because the folder takes no file, is no more than that', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, LOCK_OF_A_LONG_NAME), '')
    const troubles: string[] = []
    const isTaken = await askToStop(folder.path, 'now', (trouble) => void troubles.push(trouble))
    expect(isTaken).toBe(false)
    expect(troubles).toEqual(['its folder cannot be written to (ENAMETOOLONG)'])
    expect(await readdir(folder.path)).toEqual([LOCK_OF_A_LONG_NAME])
  })
})

/** Of a name to which nothing can be added. */
const LOCK_OF_A_LONG_NAME = `.held-by-${'m'.repeat(240)}-1-0`

test('what several ask of one holder at once is all taken up', async () => {
  await using folder = await temporaryFolder()
  const stops: string[] = []
  const control: RunControl = { stop: (how) => void stops.push(how), fail: () => {} }
  await inFolder<Pick<RunOptions, 'onStart'>, void>(folder.path, {}, async ({ onStart }) => {
    onStart?.(control)
    const hows = ['drain', 'now', 'drain'] as const
    const asked = hows.map(async (how) => askToStop(folder.path, how))
    expect(await Promise.all(asked)).toEqual([true, true, true])
    expect(stops.toSorted()).toEqual(['drain', 'drain', 'now'])
  })
  expect(await readdir(folder.path)).toEqual([])
})
