/** Reads results of runs for a comparison. */
import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ResultDocument } from '../../../analysis/document.ts'
import { plural } from '../../../analysis/metrics/format.ts'
import { resultDocument } from '../../../analysis/document.ts'
import { UserError } from '../../../base/mistakes.ts'
import { RESULT_FILE } from '../../../run/folder/folder.ts'

/** The part of a result that a comparison reads; an older version may lack the rest. */
const needed = resultDocument.pick({
  schema: true,
  run: true,
  verdict: true,
  arrivals: true,
  metrics: true,
})

/** Whether a comparison can read the value. */
export function isResult(value: unknown): boolean {
  return needed.safeParse(value).success
}

/** Reads a run folder, or only its `result.json`, as a baseline is kept. Throws UserError. */
export async function readResult(path: string): Promise<ResultDocument> {
  try {
    const isFolder = (await stat(path)).isDirectory()
    const result: unknown = JSON.parse(
      await readFile(isFolder ? join(path, RESULT_FILE) : path, 'utf8'),
    )
    needed.parse(result)
    return result as ResultDocument
  } catch (error) {
    throw new UserError({ source: path, path: '', problem: await whyUnreadable(path, error) })
  }
}

const EXPECTED = `expected a run folder or its ${RESULT_FILE}`

async function whyUnreadable(path: string, error: unknown): Promise<string> {
  if (error instanceof z.ZodError) return `is not a result of crewload/result/2; ${EXPECTED}`
  if (error instanceof SyntaxError) {
    const remedy = '"crewload report render" writes it again'
    return `its ${RESULT_FILE} is damaged (${error.message}); ${remedy}`
  }
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT') return `cannot be read (${message}); ${EXPECTED}`
  const entries = await readdir(path).catch(() => null)
  if (entries === null) return `does not exist; ${EXPECTED}`
  const runs = entries.filter((name) => existsSync(join(path, name, RESULT_FILE)))
  if (runs.length > 0) {
    return (
      `contains ${plural(runs.length, 'run folder')}: name them, for example with ` +
      join(path, '*')
    )
  }
  return (
    `contains no ${RESULT_FILE}; ${EXPECTED}; for a run that was cut, "crewload report render" ` +
    'writes it'
  )
}
