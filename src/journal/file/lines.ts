/** Reads a file of JSON, one value a line, and checks each. */
import type { z } from 'zod'
import type { UserError } from '../../base/mistakes.ts'
import { blocksIn, linesIn } from './blocks.ts'
import type { DocumentDamage } from './document.ts'
import { checked, jsonOf } from './document.ts'
import { openRegular, unreadable } from './regular.ts'

export interface LinesOptions extends DocumentDamage {
  /** Lines were appended one by one, so that a kill may have cut the last: it is left out then. */
  isAppended?: boolean
}

/**
 * The values of all lines but the empty ones; null when there is no such file. Throws a UserError
 * that names the file and the line for one that is not JSON in UTF-8, or that `schema` refuses.
 */
export async function readLines<T>(
  path: string,
  schema: z.ZodType<T>,
  { isAppended = false, ...damage }: LinesOptions = {},
): Promise<T[] | null> {
  const file = await openRegular(path)
  if (file === null) return null
  const values: T[] = []
  let line = 0
  let mistake: UserError | null = null
  try {
    for await (const block of blocksIn(file)) {
      for (const bytes of linesIn(block)) {
        line++
        if (isBlank(bytes)) continue
        if (mistake !== null) throw mistake
        const read = valueOf(bytes, schema, { path, line, ...damage })
        if ('value' in read) values.push(read.value)
        else mistake = read.mistake
      }
    }
  } catch (error) {
    throw unreadable(path, error)
  }
  if (mistake !== null && !isAppended) throw mistake
  return values
}

const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d])

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => SPACES.has(byte))
}

function valueOf<T>(
  bytes: Buffer,
  schema: z.ZodType<T>,
  place: DocumentDamage & { path: string; line: number },
): { value: T } | { mistake: UserError } {
  try {
    return { value: checked(jsonOf(bytes, place), schema, place) }
  } catch (error) {
    return { mistake: error as UserError }
  }
}
