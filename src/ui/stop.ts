/** Stops a run or a study of another process as Ctrl-C in its terminal does. */
import { kill } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { unreachable } from '../base/assert.ts'
import { conductorOf } from '../run/folder/lock.ts'

export type StopHow = 'drain' | 'now'

/** Two signals at once would arrive as one. */
const BETWEEN_SIGNALS_MS = 300

/**
 * Returns whether a process of this machine holds the folder and could be signalled. `isDraining`:
 * the first signal was sent before. A signal more than needed changes nothing.
 */
export async function stopIn(
  folder: string,
  how: StopHow,
  isDraining: boolean,
): Promise<boolean> {
  switch (how) {
    case 'drain':
      return isDraining || (await interrupt(folder))
    case 'now':
      if (isDraining) return interrupt(folder)
      if (!(await interrupt(folder))) return false
      await sleep(BETWEEN_SIGNALS_MS)
      await interrupt(folder)
      return true
    default:
      return unreachable(how)
  }
}

async function interrupt(folder: string): Promise<boolean> {
  const pid = await conductorOf(folder).catch(() => null)
  if (pid === null) return false
  try {
    return kill(pid, 'SIGINT')
  } catch {
    // It ended meanwhile.
    return false
  }
}
