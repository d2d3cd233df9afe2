/** Signals end a command with what it has, leave nothing that was not used, and nohup is obeyed. */
import { once } from 'node:events'
import { openSync, closeSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../support/cli.ts'

const BIN = fileURLToPath(new URL('../../../dist/bin/crewload.js', import.meta.url))
const RUN = [BIN, 'run', 'smoke', '--profile', 'fast']

interface Ended {
  code: number | null
  signal: string | null
  /** The names in each folder that is left. */
  left: string[][]
}

/** Sends the signal as soon as the command has created its folder. */
async function signalled(
  signal: NodeJS.Signals,
  stdin: 'ignore' | number = 'ignore',
): Promise<Ended> {
  await using folder = await temporaryFolder()
  const out = join(folder.path, 'out')
  const child = spawn(execPath, [...RUN, '--out', out], { stdio: [stdin, 'ignore', 'ignore'] })
  const ended = once(child, 'exit') as Promise<[number | null, string | null]>
  while (child.exitCode === null && (await namesIn(out)).length === 0) await sleep(5)
  expect(child.kill(signal)).toBe(true)
  const [code, by] = await ended
  const left = (await namesIn(out)).map(async (name) => readdir(join(out, name)))
  return { code, signal: by, left: await Promise.all(left) }
}

async function namesIn(path: string): Promise<string[]> {
  return readdir(path).catch(() => [])
}

test.concurrent.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s before the first request ends with 130, and what is left is a run that reported',
  async (signal) => {
    const { code, signal: by, left } = await signalled(signal)
    expect({ code, by }).toEqual({ code: 130, by: null })
    for (const names of left) expect(names).toContain('result.json')
    expect(left.flat().filter((name) => name.startsWith('.'))).toEqual([])
  },
)

test.runIf(process.platform === 'linux')('a hangup does not end what nohup started', async () => {
  // As nohup does when the input is a terminal.
  const unreadable = openSync('/dev/null', 'w')
  try {
    const { code, left } = await signalled('SIGHUP', unreadable)
    expect(code).toBe(0)
    expect(left[0]).toContain('result.json')
  } finally {
    closeSync(unreadable)
  }
})
