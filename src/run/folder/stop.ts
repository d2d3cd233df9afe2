/**
 * Asks whoever carries a run or a study to stop it, by a file in its folder named like its lock: no
 * signal is sent, which would reach a later process of that number, or all that runs in this one.
 */
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunControl, RunOptions } from '../options.ts'
import type { Hold } from './lock.ts'
import { conductorIn } from './lock.ts'

export type StopHow = Parameters<RunControl['stop']>[0]

const HOWS = ['drain', 'now'] as const satisfies readonly StopHow[]
const LOOK_EVERY_MS = 200
/** A generator that is busy for longer has other troubles. */
const PATIENCE_MS = 5_000

/**
 * Returns whether the request was taken up. One that nobody takes is withdrawn, so that it stops no
 * resumption.
 */
export async function askToStop(folder: string, how: StopHow): Promise<boolean> {
  const lock = conductorIn(await readdir(folder))
  if (lock === null) return false
  const path = join(folder, `${lock}.${how}`)
  await writeFile(path, '')
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
    await sleep(LOOK_EVERY_MS)
    const names = await readdir(folder).catch((): string[] => [])
    if (!names.includes(`${lock}.${how}`)) return true
  }
  return !(await taken(path))
}

type Hooks = Pick<RunOptions, 'onStart' | 'onAsked'>

/** The same hooks; what is asked for in the folder is done, from the start of the clock on. */
export function obeying<Given extends Hooks>(hold: Hold | null, hooks: Given): Given {
  if (hold === null) return hooks
  return {
    ...hooks,
    onStart: (control) => {
      hooks.onStart?.(control)
      watch(hold, (how) => {
        hooks.onAsked?.(how)
        control.stop(how)
      })
    },
  }
}

function watch(hold: Hold, stop: (how: StopHow) => void): void {
  const look = async (): Promise<void> => {
    for (const how of HOWS) if (await taken(`${hold.path}.${how}`)) stop(how)
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS)
  timer.unref()
  hold.whenReleased(async () => {
    clearInterval(timer)
    for (const how of HOWS) await taken(`${hold.path}.${how}`)
  })
}

/** Whether the file was there, which it is no more: only one can take it. */
async function taken(path: string): Promise<boolean> {
  return rm(path).then(
    () => true,
    () => false,
  )
}
