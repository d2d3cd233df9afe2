/** Stops a run or a study of another process, through the signals that end it in its terminal. */
import { kill } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { unreachable } from '../base/assert.ts'
import { conductorOf } from '../run/folder/lock.ts'

export type StopHow = 'drain' | 'now'

/** Two signals at once would arrive as one. */
const BETWEEN_SIGNALS_MS = 300

/** Returns whether a process of this machine holds the folder and could be signalled. */
export async function stopIn(folder: string, how: StopHow): Promise<boolean> {
  switch (how) {
    case 'drain':
      // Whoever pressed Ctrl-C before: this one is never the second that gives executions up.
      return signal(folder, 'SIGUSR2')
    case 'now':
      if (!(await signal(folder, 'SIGINT'))) return false
      await sleep(BETWEEN_SIGNALS_MS)
      await signal(folder, 'SIGINT')
      return true
    default:
      return unreachable(how)
  }
}

async function signal(folder: string, name: 'SIGINT' | 'SIGUSR2'): Promise<boolean> {
  const pid = await conductorOf(folder).catch(() => null)
  if (pid === null) return false
  try {
    return kill(pid, name)
  } catch {
    // It ended meanwhile.
    return false
  }
}
