/** A fake crew that npx started ends with npx, also when npx is killed and can end nothing. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { cleanEnv } from '../../support/program.ts'

const MAIN = fileURLToPath(new URL('../../../dist/bin/crewload.js', import.meta.url))
/** Starts a command as npx does: by a shell, which lives as long as the command. */
const LIKE_NPX = `require('node:child_process').spawn('sh', ['-c', process.argv[1]], { stdio: 'inherit' })`
const COMMAND = `"${process.execPath}" "${MAIN}" fake --profile fast --json; :`

/** Returns whether the fake crew has ended at `withinMs` after the kill of what started it. */
async function endsWith(env: Record<string, string>, withinMs: number): Promise<boolean> {
  const starter = spawn(process.execPath, ['-e', LIKE_NPX, COMMAND], {
    env: cleanEnv(env),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  try {
    await once(starter.stdout, 'data')
    // The fake crew holds the other end of this pipe for as long as it lives.
    const closed = once(starter.stdout.resume(), 'end').then(() => true)
    starter.kill('SIGKILL')
    return await Promise.race([closed, sleep(withinMs, false)])
  } finally {
    try {
      process.kill(-starter.pid!, 'SIGKILL')
    } catch {
      // The group has ended.
    }
  }
}

describe.skipIf(process.platform !== 'linux')('a fake crew whose starter is killed', () => {
  test('ends when npx started it', async () => {
    const npx = { npm_command: 'exec', npm_lifecycle_script: "'crewload'" }
    expect(await endsWith(npx, 30_000)).toBe(true)
  })

  test('goes on when a script started it that npm or npx ran', async () => {
    const script = { npm_command: 'run', npm_lifecycle_script: 'crewload fake & npm test' }
    const tool = { npm_command: 'exec', npm_lifecycle_script: "'vitest'" }
    expect(await Promise.all([script, tool].map((env) => endsWith(env, 2_000)))).toEqual([
      false,
      false,
    ])
  })
})
