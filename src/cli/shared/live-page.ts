/** The page of `--live`: another process serves it, so that it takes no time from the generator. */
import { fork } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { packageRoot } from '../../run/environment/package.ts'
import type { Io } from '../io/io.ts'

const START_LIMIT_MS = 20_000

/**
 * Prints its address. The page ends some time after this process. Without a page the load goes on.
 */
export async function openLivePage(out: string | false = 'reports', io: Io): Promise<void> {
  const folder = out === false ? 'reports' : out
  // The page looks into it before the run has made it.
  await mkdir(folder, { recursive: true }).catch(() => {})
  const main = join(packageRoot(), 'dist', 'bin', 'crewload.js')
  // The terminal's Ctrl-C is for the run alone.
  const child = fork(main, ['ui', folder, '--json'], {
    detached: true,
    execArgv: [],
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  })
  const line = await new Promise<string | null>((resolve) => {
    setTimeout(() => resolve(null), START_LIMIT_MS).unref()
    child.once('error', () => resolve(null))
    child.once('exit', () => resolve(null))
    createInterface({ input: child.stdout! }).once('line', resolve)
  })
  child.stdout?.destroy()
  child.channel?.unref()
  child.unref()
  const words =
    line === null
      ? `the live page could not be served; "crewload ui" says why`
      : `live page: ${(JSON.parse(line) as { url: string }).url}live`
  io.stderr.write(`crewload: ${words}\n`)
}
