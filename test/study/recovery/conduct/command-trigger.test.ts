/**
 * Commands that disturb a crew: ended when their time is over, whatever they do, and none left
 * behind.
 */
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { CommandRun } from '../../../../src/study/recovery/conduct/command-trigger.ts'
import { MICROS_PER_MS } from '../../../../src/base/units.ts'
import { temporaryFolder } from '../../../support/cli.ts'

const MS = MICROS_PER_MS
const PATIENT = { timeout: 5_000, interval: 50 }

/** Its trigger begins at once and is undone after 300 ms. */
function started(begin: string, end: string | null, undoMs?: number): CommandRun {
  const trigger = { kind: 'command', words: begin, begin, end } as const
  return new CommandRun(trigger, { fromMicros: 0, forMicros: 300 * MS }, process.env, undoMs)
}

async function complaintsOf(begin: string, end: string | null): Promise<readonly string[]> {
  const command = started(begin, end)
  await sleep(500)
  return failuresOf(command)
}

async function failuresOf(command: CommandRun): Promise<string[]> {
  return (await command.over()).map(({ message }) => message)
}

/** One that nobody has buried yet is dead all the same. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.startsWith('Z')
}

test.concurrent('what it was ended with is no complaint', async () => {
  expect(await complaintsOf('trap "exit 143" TERM; sleep 30 & wait', null)).toEqual([])
})

test.concurrent('a failure is told in its own words', async () => {
  const told = 'the command echo no such crew >&2; exit 3 ended with 3: no such crew'
  expect(await complaintsOf('echo no such crew >&2; exit 3', null)).toEqual([told])
  expect(await complaintsOf('true', 'kill -9 $$')).toEqual([
    'the command kill -9 $$ ended with SIGKILL',
  ])
})

test(
  'a command that goes on after its undoing is ended with the run',
  { timeout: 25_000 },
  async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'pid')
    const command = started(`echo $$ > ${file}; exec sleep 30`, 'true')
    await sleep(500)
    const pid = Number(await readFile(file, 'utf8'))
    expect(isAlive(pid)).toBe(true)
    expect(await command.over()).toEqual([])
    expect(isAlive(pid)).toBe(false)
  },
)

test.concurrent(
  'who does not hear SIGTERM is killed, and holds nothing up',
  { timeout: 25_000 },
  async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'pid')
    const deaf = `sh -c 'trap "" TERM; echo $$ > ${file}; while :; do sleep 1; done'; true`
    expect(await complaintsOf(deaf, null)).toEqual([])
    const pid = Number(await readFile(file, 'utf8'))
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), PATIENT)
  },
)

test.concurrent(
  'what an undoing leaves in the background holds nothing up',
  { timeout: 25_000 },
  async () => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'pid')
    expect(await complaintsOf('true', `sleep 30 & echo $! > ${file}`)).toEqual([])
    const pid = Number(await readFile(file, 'utf8'))
    expect(isAlive(pid)).toBe(true)
    process.kill(pid)
  },
)

test.concurrent('an undoing that never ends is ended, and told', { timeout: 25_000 }, async () => {
  const command = started('true', 'exec sleep 30', 100)
  await sleep(500)
  expect(await failuresOf(command)).toEqual([
    'the command exec sleep 30 was stopped: it was still running after 0.1 s',
  ])
})
