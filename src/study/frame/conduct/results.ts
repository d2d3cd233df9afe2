/** Results of runs, read for a comparison. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ResultDocument } from '../../../analysis/document.ts'
import { resultDocument } from '../../../analysis/document.ts'
import { UserError } from '../../../base/mistakes.ts'
import { RESULT_FILE } from '../../../run/folder/folder.ts'

/** What a comparison reads of a result: an older version may lack the rest. */
const needed = resultDocument.pick({
  schema: true,
  run: true,
  verdict: true,
  arrivals: true,
  metrics: true,
})

/** Whether a comparison can read it. */
export function isResult(value: unknown): boolean {
  return needed.safeParse(value).success
}

/** Of a run folder, or of its `result.json` alone, as a baseline is kept. Throws UserError. */
export async function readResult(path: string): Promise<ResultDocument> {
  try {
    const isFolder = (await stat(path)).isDirectory()
    const result: unknown = JSON.parse(
      await readFile(isFolder ? join(path, RESULT_FILE) : path, 'utf8'),
    )
    needed.parse(result)
    return result as ResultDocument
  } catch (error) {
    const why = error instanceof z.ZodError ? 'it does not follow crewload/result/2' : String(error)
    const problem =
      `no result can be read there (${why}); expected a run folder or its ${RESULT_FILE}; ` +
      'for a run that was cut, "crewload report render" writes it'
    throw new UserError({ source: path, path: '', problem })
  }
}
