/**
 * Commands of the user's, with all that they start. The system's own shell runs them: `/bin/sh`, on
 * Windows `cmd.exe`.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { spawn, spawnSync } from 'node:child_process'

/** `signalTree` reaches everything that it starts. */
export function spawnCommand(command: string, options: SpawnOptions): ChildProcess {
  const detached = process.platform !== 'win32'
  return spawn(command, { ...options, shell: true, detached, windowsHide: true })
}

/**
 * Sends the signal to the process that was spawned and to all that it started; 0 sends none. False
 * when none of them is there any more. Windows has no signals: every one but 0 ends them at once.
 */
export function signalTree(
  pid: number,
  signal: NodeJS.Signals | 0,
  platform: NodeJS.Platform = process.platform,
): boolean {
  if (platform === 'win32' && signal !== 0) {
    return spawnSync('taskkill', ['/pid', String(pid), '/t', '/f']).status === 0
  }
  try {
    return process.kill(platform === 'win32' ? pid : -pid, signal)
  } catch {
    return false
  }
}

/**
 * Runs a command like `spawnCommand`, and ends it with all that it started when its own standard
 * input ends: that happens even when the process which started this one is killed. Its arguments
 * are the command, and the milliseconds from SIGTERM to SIGKILL. File descriptor 3 receives the
 * exit code of the command, and is closed when everything that the command started has ended.
 */
const KEEPER = `
const { spawn, spawnSync } = require('node:child_process')
const { closeSync, writeSync } = require('node:fs')
const { signals } = require('node:os').constants
const [, command, patienceMs] = process.argv
const stdio = ['ignore', 'inherit', 'inherit', 3]
const child = spawn(command, { shell: true, windowsHide: true, stdio })
const ended = (code) => {
  writeSync(3, String(code))
  closeSync(3)
}
child.once('error', ({ message }) => {
  console.error(message)
  ended(127)
})
child.once('exit', (code, signal) => ended(code ?? 128 + signals[signal]))
const stop = process.platform === 'win32'
  ? () => process.exit(spawnSync('taskkill', ['/pid', String(child.pid), '/t', '/f']).status)
  : () => {
      process.on('SIGTERM', () => {})
      process.kill(0, 'SIGTERM')
      setTimeout(() => process.kill(0, 'SIGKILL'), Number(patienceMs))
    }
process.stdin.resume().once('close', stop)
`

/** `stdio` is that of the keeper, where 0 and 3 have to be pipes. */
export function spawnKept(
  command: string,
  patienceMs: number,
  options: SpawnOptions,
): ChildProcess {
  const words = ['-e', KEEPER, '--', command, String(patienceMs)]
  return spawn(process.execPath, words, { ...options, detached: true, windowsHide: true })
}
