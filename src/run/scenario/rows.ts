/** Rows of inputs from a CSV or JSON file: nothing in it is changed or lost without a word. */
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { authorText } from '../../base/author-text.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import { isRecord } from '../../scenario/author/inputs.ts'
import type { InputRecord } from '../../scenario/inputs.ts'
import { jsonLoss } from './json-losses.ts'

/** Separators of spreadsheets where a comma divides decimals. */
const OTHER_SEPARATORS = [';', '\t', '|']

/** Throws UserError, with the line where it is known. */
export async function readRows(path: string): Promise<InputRecord[]> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    const problem = `cannot be read (${error.code ?? error.message})`
    throw new UserError({ source: path, path: '', problem })
  })
  const text = authorText(bytes, path)
  return extname(path).toLowerCase() === '.csv' ? csvRows(text, path) : jsonRows(text, path)
}

async function csvRows(text: string, source: string): Promise<InputRecord[]> {
  const { parse } = await import('csv-parse/sync')
  const columns = (names: string[]): string[] => {
    const mistakes = headerMistakes(names, source)
    if (mistakes.length > 0) throw new UserError(mistakes)
    return names
  }
  try {
    return parse(text, { columns, skip_empty_lines: true, trim: true })
  } catch (error) {
    if (error instanceof UserError) throw error
    const { lines, message } = error as Error & { lines?: number }
    const line = lines === undefined ? {} : { line: lines }
    throw new UserError({ source, ...line, path: '', problem: message }, { cause: error })
  }
}

function headerMistakes(names: readonly string[], source: string): Mistake[] {
  const mistake = (problem: string, found?: string): Mistake => ({
    source,
    line: 1,
    path: '',
    problem,
    ...(found === undefined ? {} : { found: JSON.stringify(found) }),
  })
  const [only = ''] = names
  const other = OTHER_SEPARATORS.find((separator) => only.includes(separator))
  if (names.length === 1 && other !== undefined) {
    return [mistake(`expected "," between columns, not ${JSON.stringify(other)}`, only)]
  }
  return names.flatMap((name, i) => {
    if (name === '') return [mistake(`column ${i + 1} has no name`)]
    return names.indexOf(name) === i ? [] : [mistake('two columns have this name', name)]
  })
}

function jsonRows(text: string, source: string): InputRecord[] {
  const parsed = parsedJson(text, source)
  const rows: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  const mistakes = rows.flatMap((row, i): Mistake[] => {
    if (!isRecord(row)) {
      const problem = 'expected a JSON array of objects'
      return [{ source, path: `[${i}]`, problem, found: JSON.stringify(row) }]
    }
    return Object.hasOwn(row, '')
      ? [{ source, path: `[${i}]`, problem: 'an input has no name' }]
      : []
  })
  if (mistakes.length > 0) throw new UserError(mistakes)
  return rows as InputRecord[]
}

function parsedJson(text: string, source: string): unknown {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    const problem = (error as Error).message
    throw new UserError({ source, path: '', problem }, { cause: error })
  }
  const loss = jsonLoss(text)
  if (loss !== null) throw new UserError({ source, path: '', ...loss })
  return parsed
}
