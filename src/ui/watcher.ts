/** Watches one run or study that is under way: what is known of it now, as parts of a page. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { deflateSync } from 'node:zlib'
import { formatMistake, UserError } from '../base/mistakes.ts'
import type { LiveRun } from '../report/run/live.ts'
import { statusUrlOf } from '../report/run/sections/executions/executions.ts'
import { packed } from '../report/run/sections/executions/pack.ts'
import { JOURNAL_FILE } from '../run/folder/folder.ts'
import { isHeld } from '../run/folder/lock.ts'
import { REPORT_FILE } from '../run/reports.ts'
import { readHeartbeat } from '../study/frame/conduct/heartbeat.ts'
import type { FoundFolder } from './library.ts'
import {
  beginningParts,
  endedParts,
  filePath,
  mixHead,
  runParts,
  studyHead,
  troublePart,
} from './pages/live.ts'
import type { ViewState } from './pages/shell.ts'
import { firstPart, RunFollower } from './run-follower.ts'
import { messageOf } from '../base/text.ts'

/** Executions are packed at most so often: of a long run, that is a megabyte. */
const EXECUTIONS_EVERY_MS = 3_000

export class Watcher {
  readonly #found: FoundFolder
  /** Of a mix; default: the one that began first. */
  readonly #part: string | null
  #follower: RunFollower | null = null
  #drained = false
  #packedAtMs = -Infinity
  #isPacked = false

  constructor(found: FoundFolder, part: string | null) {
    this.#found = found
    this.#part = part
  }

  get folder(): string {
    return this.#found.path
  }

  askedToDrain(): void {
    this.#drained = true
    this.#follower?.askedToDrain()
  }

  /**
   * The parts of the page, and `executions`, `stoppable` and `over`. Never rejects: what cannot be
   * read is shown in the page.
   */
  async look(): Promise<ViewState> {
    const { path } = this.#found
    const isGoing = await isHeld(path).catch(() => false)
    const parts = await this.#content(isGoing).catch((error: unknown) => {
      return troublePart(`This cannot be shown: ${troubleOf(error)}`)
    })
    if (!isGoing) return { ...parts, ...(await this.#over()), stoppable: '' }
    return { ...parts, stoppable: 'yes' }
  }

  close(): void {
    this.#follower?.close()
    this.#follower = null
  }

  async #content(isGoing: boolean): Promise<ViewState> {
    const { path, kind } = this.#found
    const study = kind === 'study' ? await readHeartbeat(path) : null
    await this.#follow(kind === 'study' ? await runIn(path) : path)
    const isNew = this.#follower?.look() ?? false
    const live = this.#follower?.live() ?? null
    const parts = this.#follower?.parts ?? []
    return {
      ...troublePart(''),
      ...(live === null ? {} : runParts(live, kind)),
      ...(live === null && isGoing && kind === 'run' ? beginningParts() : {}),
      ...(parts.length === 0 ? {} : mixHead(this.#found.id, parts)),
      ...(study === null ? {} : studyHead(study)),
      ...this.#executions(live, isNew || !isGoing),
    }
  }

  /** A study has another run after each. */
  async #follow(path: string | null): Promise<void> {
    if (path === null) return
    if (this.#follower?.folder === path && !this.#follower.isOutdated) return
    this.close()
    // A run that was locked a moment ago has no journal yet.
    if (!existsSync(join(path, JOURNAL_FILE))) return
    const first = firstPart(path)
    if (first === null) return
    const part = first === undefined ? undefined : (this.#part ?? first)
    this.#follower = await RunFollower.open({ folder: path, part })
    if (this.#drained) this.#follower?.askedToDrain()
  }

  /** Deflated, in base64. */
  #executions(live: LiveRun | null, isNew: boolean): ViewState {
    this.#isPacked &&= !isNew
    const nowMs = performance.now()
    const isDue = nowMs >= this.#packedAtMs + EXECUTIONS_EVERY_MS
    if (this.#isPacked || !isDue || live === null) return {}
    const executions = this.#follower?.executions() ?? null
    if (executions === null || executions.rows.length === 0) return {}
    this.#packedAtMs = nowMs
    this.#isPacked = true
    const text = JSON.stringify(packed(executions, statusUrlOf(live.document)))
    return { executions: deflateSync(text).toString('base64') }
  }

  async #over(): Promise<ViewState> {
    const { path, id } = this.#found
    const names: readonly string[] = await readdir(path).catch(() => [])
    if (names.includes(REPORT_FILE)) return { over: filePath(id, REPORT_FILE) }
    return endedParts(path)
  }
}

/** The run of a study that is in progress; null between two. */
async function runIn(study: string): Promise<string | null> {
  const items = await readdir(study, { withFileTypes: true })
  for (const item of items.filter((each) => each.isDirectory())) {
    const path = join(study, item.name)
    if (await isHeld(path)) return path
  }
  return null
}

export function troubleOf(error: unknown): string {
  if (error instanceof UserError) return error.mistakes.map(formatMistake).join('; ')
  return messageOf(error)
}
