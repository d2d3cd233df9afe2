/**
 * What a study says of its progress, kept in its folder while it works, for whoever watches from
 * another process.
 */
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { z } from 'zod'
import { readDocument } from '../../../journal/file/document.ts'
import type { StudyProgress } from '../progress.ts'

const PROGRESS_FILE = '.progress.json'
const EVERY_MS = 1_000

const limits = z.object({ requests: z.number().nullable(), kickoffs: z.number().nullable() })

/** What `studyParts` reads; the run in progress is followed by its own journal. */
const heartbeat = z.object({
  study: z.string(),
  trial: z.string(),
  number: z.int(),
  of: z.int().nullable(),
  isAbout: z.boolean(),
  spent: z.object({ requests: z.number(), kickoffs: z.number() }),
  budget: limits,
  elapsedMs: z.number(),
  leftMs: z.number().nullable(),
  soFar: z.string().nullable(),
})

export interface Heartbeat {
  /** Never throws, and does not wait for the disk. */
  beat(progress: StudyProgress): void
  /** Never rejects. */
  end(): Promise<void>
}

/** Writes at most once a second. A folder that cannot be written to is not watched. */
export function startHeartbeat(folder: string): Heartbeat {
  const file = join(folder, PROGRESS_FILE)
  const next = `${file}.next`
  let writing = Promise.resolve()
  let nextMs = 0
  return {
    beat: ({ run: _run, ...progress }) => {
      const nowMs = performance.now()
      if (nowMs < nextMs) return
      nextMs = nowMs + EVERY_MS
      writing = writing
        .then(async () => writeFile(next, JSON.stringify(progress)))
        .then(async () => rename(next, file))
        .catch(() => {})
    },
    end: async () => {
      await writing
      for (const each of [file, next]) await rm(each, { force: true }).catch(() => {})
    },
  }
}

/** Null for a study that has said nothing yet, or that is over. Throws a UserError for damage. */
export async function readHeartbeat(folder: string): Promise<StudyProgress | null> {
  const read = await readDocument(join(folder, PROGRESS_FILE), heartbeat)
  return read && { ...read, run: null }
}
