/**
 * Asks whoever carries a run or a study to stop it, by a file in its folder named after its lock:
 * no signal is sent, which would reach a later process of that number, or all that this one runs.
 */
import { randomBytes } from 'node:crypto'
import { access, readdir, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunControl, RunOptions } from '../options.ts'
import type { Hold } from './lock.ts'
import { conductorIn, lockFolder } from './lock.ts'

export type StopHow = Parameters<RunControl['stop']>[0]

const HOWS = ['drain', 'now'] as const satisfies readonly StopHow[]
const LOOK_EVERY_MS = 200
/** A generator that is busy for longer has other troubles. */
const PATIENCE_MS = 5_000

/**
 * Returns whether the request was taken up. One that nobody takes is withdrawn, so that it stops no
 * resumption. `onTrouble` receives why nothing could be asked.
 */
export async function askToStop(
  folder: string,
  how: StopHow,
  onTrouble: (trouble: string) => void = () => {},
): Promise<boolean> {
  try {
    const lock = conductorIn(await readdir(folder))
    if (lock === null) return false
    // Of its own: a request that another asker withdraws was not taken up.
    const path = join(folder, `${lock}.${randomBytes(8).toString('hex')}.${how}`)
    await writeFile(path, '')
    for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
      await sleep(LOOK_EVERY_MS)
      const isGone = await access(path).then(() => false, isMissing)
      if (isGone) return true
    }
    return !(await removes(path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    onTrouble(`its folder cannot be written to (${code ?? message})`)
    return false
  }
}

function isMissing(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ENOENT'
}

/** Whether the file was there until now: one alone can unlink it. Rejects where nobody may. */
async function removes(path: string): Promise<boolean> {
  return unlink(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (!isMissing(error)) throw error
      return false
    },
  )
}

type Hooks = Pick<RunOptions, 'onStart' | 'onAsked'>

/**
 * Acts with the folder locked; null for none. What is asked for in it is done, from the start of
 * the clock on. Throws UserError while another process uses it.
 */
export async function inFolder<Given extends Hooks, Outcome>(
  path: string | null,
  given: Given,
  act: (obeying: Given) => Promise<Outcome>,
): Promise<Outcome> {
  if (path === null) return act(given)
  const hold = await lockFolder(path)
  try {
    return await act(obeying(hold, given))
  } finally {
    await hold.release()
  }
}

function obeying<Given extends Hooks>(hold: Hold, hooks: Given): Given {
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
    for (const how of await taken(hold)) stop(how)
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS)
  timer.unref()
  hold.whenReleased(async () => {
    clearInterval(timer)
    await taken(hold)
  })
}

/** What is asked of the holder, and from now on is in the folder no more. */
async function taken({ path }: Hold): Promise<StopHow[]> {
  const hows: StopHow[] = []
  for (const name of await readdir(dirname(path)).catch((): string[] => [])) {
    const how = HOWS.find((each) => name.endsWith(`.${each}`))
    if (how === undefined || !name.startsWith(`${basename(path)}.`)) continue
    if (await removes(join(dirname(path), name)).catch(() => false)) hows.push(how)
  }
  return hows
}
