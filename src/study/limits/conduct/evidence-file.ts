/**
 * Every request of the study and its answer, kept in the folder as they come: by it a study that
 * was cut goes on with what it knew.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readLines } from '../../../journal/file/lines.ts'
import { LIMITED_OPERATIONS } from '../document.ts'
import type { LimitedOperation } from '../document.ts'
import type { Observed } from '../analyse/infer/interface.ts'

const EVIDENCE_FILE = 'probes.ndjson'

const line = z.object({
  operation: z.enum(LIMITED_OPERATIONS),
  /** Unix milliseconds, with fractions. */
  sentUnixMs: z.number(),
  receivedUnixMs: z.number(),
  /** Absent where a request was sent alone. */
  burstUnixMs: z.number().optional(),
  answer: z.enum(['accepted', 'refused', 'failed']),
  status: z.number().nullable(),
  headers: z.record(z.string(), z.string()),
  kickoffId: z.string().nullable(),
  token: z.number().int().min(0),
  isOfAnother: z.boolean(),
})

export interface KeptProbe extends Observed {
  operation: LimitedOperation
  /** Which of the tokens it was sent with, from 0. */
  token: number
  /** Whether it asked about another execution than all others. */
  isOfAnother: boolean
  /** The id of a kickoff that was accepted. */
  kickoffId: string | null
}

/**
 * Appends one line, synchronously: when it returns, a kill of the process cannot lose it.
 * `anchorUnixMs` is the wall clock of the zero of its times.
 */
export function keepProbe(folder: string, probe: KeptProbe, anchorUnixMs: number): void {
  const { sentMs, receivedMs, burstMs, ...rest } = probe
  const kept = {
    ...rest,
    sentUnixMs: anchorUnixMs + sentMs,
    receivedUnixMs: anchorUnixMs + receivedMs,
    ...(burstMs === undefined ? {} : { burstUnixMs: anchorUnixMs + burstMs }),
  }
  appendFileSync(join(folder, EVIDENCE_FILE), `${JSON.stringify(kept)}\n`)
}

/**
 * Reads the probes of an earlier process, in milliseconds from `anchorUnixMs`; a last line that was
 * cut is skipped. Throws a UserError for any other line that cannot be read.
 */
export async function readProbes(folder: string, anchorUnixMs: number): Promise<KeptProbe[]> {
  const kept = await readLines(join(folder, EVIDENCE_FILE), line, {
    isAppended: true,
    remedy: 'start the study again in a new folder',
  })
  return (kept ?? []).map(({ sentUnixMs, receivedUnixMs, burstUnixMs, ...rest }) =>
    Object.assign(
      rest,
      { sentMs: sentUnixMs - anchorUnixMs, receivedMs: receivedUnixMs - anchorUnixMs },
      burstUnixMs === undefined ? {} : { burstMs: burstUnixMs - anchorUnixMs },
    ),
  )
}
