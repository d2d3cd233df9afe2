/**
 * Answers that the control gives in more than one place: lists as NDJSON, and the user's mistakes.
 */
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { UserError } from '../../../src/base/mistakes.ts'

export const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8'

/**
 * The most rows and the most time between two turns of other requests; a row may have to generate
 * its output.
 */
const BATCH_ROWS = 256
const BATCH_MS = 4

/**
 * One JSON text per line, in batches of a few milliseconds; other requests are served in between.
 */
export function ndjson(rows: Iterable<unknown>): Readable {
  return Readable.from(batches(rows))
}

async function* batches(rows: Iterable<unknown>): AsyncGenerator<string> {
  let lines: string[] = []
  let beganMs = performance.now()
  for (const row of rows) {
    lines.push(`${JSON.stringify(row)}\n`)
    if (lines.length < BATCH_ROWS && performance.now() - beganMs < BATCH_MS) continue
    yield lines.join('')
    lines = []
    await setImmediate()
    beganMs = performance.now()
  }
  yield lines.join('')
}

/** 422 with every mistake; any other error is thrown on. */
export async function refuseMistakes(error: unknown, reply: FastifyReply): Promise<FastifyReply> {
  if (!(error instanceof UserError)) throw error
  const { message, mistakes } = error
  return reply.code(422).send({ error: 'Validation Error', message, details: { mistakes } })
}
