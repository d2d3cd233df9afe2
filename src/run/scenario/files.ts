/** The files that a scenario names: rows of inputs, and recorded arrivals to replay. */
import { isObject } from '../../crew/json.ts'
import { stat, readFile } from 'node:fs/promises'
import { join, resolve, extname } from 'node:path'
import { UserError, demandNone } from '../../base/mistakes.ts'
import { readJournal } from '../../journal/reader.ts'
import type { Plan } from '../../scenario/plan.ts'
import type { RecordedArrivals } from '../../scenario/arrivals/replay.ts'
import type { PlanOptions, RecordingSource, ScenarioFiles } from '../../scenario/schema/index.ts'
import { namedFiles, planScenario } from '../../scenario/schema/index.ts'
import { isMix } from '../../scenario/schema/mix.ts'
import type { LoadedScenario } from './load.ts'
import { headerMistakes, readRecording } from './recording.ts'
import { authorText } from '../../base/author-text.ts'
import type { Mistake } from '../../base/mistakes.ts'
import type { InputRecord } from '../../scenario/inputs.ts'

const ONLY_RUN =
  'is a mix of several scenarios, which "crewload run" and runMix() take: give one of them here'

/** Reads what the scenario names and makes its plan. Throws UserError with every mistake. */
export async function planLoaded(
  { scenario, source, folder }: LoadedScenario,
  options: Omit<PlanOptions, 'source' | 'files'> = {},
): Promise<Plan> {
  if (isMix(scenario)) throw new UserError({ source, path: 'parts', problem: ONLY_RUN })
  const files = await readScenarioFiles(scenario, folder, options.set)
  return planScenario(scenario, { ...options, source, files })
}

/** Paths are relative to `folder`. Throws UserError for a file that cannot be read. */
export async function readScenarioFiles(
  scenario: unknown,
  folder: string,
  set: PlanOptions['set'] = {},
): Promise<ScenarioFiles> {
  const { rows, replay } = namedFiles(scenario, set)
  return {
    ...(rows === null ? {} : { rows: await readRows(resolve(folder, rows)) }),
    ...(replay === null
      ? {}
      : { replay: await readArrivals(resolve(folder, replay.path), replay) }),
  }
}

async function readArrivals(
  path: string,
  { recording }: { recording: RecordingSource | null },
): Promise<RecordedArrivals> {
  if (recording === null) return { offsetsMicros: await readOffsets(path) }
  return readRecording(path, recording)
}

/**
 * The arrivals of a journal (a run folder means its `executions.ndjson`) in rising order, in the
 * crew's own time: the times of a recorded time-lapse are multiplied by its speed. Unreadable lines
 * are skipped, because a crash may have cut the last one.
 */
async function readOffsets(path: string): Promise<number[]> {
  const found = await stat(path).catch((error: Error) => unreadable(path, error))
  const journal = found.isDirectory() ? join(path, 'executions.ndjson') : path
  await stat(journal).catch((error: Error) => unreadable(journal, error))
  const offsets = new Map<number, number>()
  let speed = 1
  for await (const lines of readJournal(journal).batches()) {
    for (const line of lines) {
      if (line.type === 'run') speed = line.speed
      const arrival = line.type === 'ended' ? line.record : line
      if (!('intendedMicros' in arrival)) continue
      offsets.set(arrival.index, Math.round(arrival.intendedMicros * speed))
    }
  }
  return [...offsets.values()].sort((a, b) => a - b)
}

function unreadable(path: string, error: Error): never {
  const problem = `cannot be read (${(error as NodeJS.ErrnoException).code ?? error.message})`
  throw new UserError({ source: path, problem })
}

/** Throws UserError, with the line where it is known. */
async function readRows(path: string): Promise<InputRecord[]> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    const problem = `cannot be read (${error.code ?? error.message})`
    throw new UserError({ source: path, problem })
  })
  const text = authorText(bytes, path)
  return extname(path).toLowerCase() === '.csv' ? csvRows(text, path) : jsonRows(text, path)
}

async function csvRows(text: string, source: string): Promise<InputRecord[]> {
  const { parse } = await import('csv-parse/sync')
  const columns = (names: string[]): string[] => {
    const mistakes = headerMistakes(names, source)
    demandNone(mistakes)
    return names
  }
  try {
    return parse(text, { columns, skip_empty_lines: true, trim: true })
  } catch (error) {
    if (error instanceof UserError) throw error
    const { lines, message } = error as Error & { lines?: number }
    const line = lines === undefined ? {} : { line: lines }
    throw new UserError({ source, ...line, problem: message }, { cause: error })
  }
}

function jsonRows(text: string, source: string): InputRecord[] {
  const parsed = parsedJson(text, source)
  const rows: unknown[] = Array.isArray(parsed) ? parsed : [parsed]
  const mistakes = rows.flatMap((row, i): Mistake[] => {
    if (!isObject(row)) {
      const problem = 'expected a JSON array of objects'
      return [{ source, path: `[${i}]`, problem, found: JSON.stringify(row) }]
    }
    return Object.hasOwn(row, '')
      ? [{ source, path: `[${i}]`, problem: 'an input has no name' }]
      : []
  })
  demandNone(mistakes)
  return rows as InputRecord[]
}

function parsedJson(text: string, source: string): unknown {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    const problem = (error as Error).message
    throw new UserError({ source, problem }, { cause: error })
  }
  const loss = jsonLoss(text)
  if (loss !== null) throw new UserError({ source, ...loss })
  return parsed
}

/** A place in a JSON text, and what is wrong there. */
interface JsonLoss {
  /** 1-based. */
  line: number
  found: string
  problem: string
}

const TOKEN = /"(?:[^"\\]|\\.?)*(?:"|$)|[{}[\]:]|-?\d[\d.eE+-]*/g

const NUMBER_CHANGES = 'this number would change: write it as a string'
const KEY_TWICE = 'this name stands twice in one object, and one value would be lost'

/** The first loss in a text that `JSON.parse` accepts; null when there is none. */
function jsonLoss(text: string): JsonLoss | null {
  const open: (Set<string> | null)[] = []
  let latest = ''
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const loss = (problem: string): JsonLoss => ({
      line: lineAt(text, index),
      found: token,
      problem,
    })
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(null)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const keys = open.at(-1)
      const key = JSON.parse(latest) as string
      if (keys?.has(key) === true) return { ...loss(KEY_TWICE), found: latest }
      keys?.add(key)
    } else if (!token.startsWith('"') && !isExact(token)) return loss(NUMBER_CHANGES)
    latest = token
  }
  return null
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

/** Whether the number that is read has the digits that were written. */
function isExact(token: string): boolean {
  const value = Number(token)
  return Number.isFinite(value) && canonical(token) === canonical(String(value))
}

/** Significant digits and the power of ten of the last one: equal for equal decimal numbers. */
function canonical(number: string): string {
  const [mantissa = '', exponent = '0'] = number.replace('-', '').toLowerCase().split('e')
  const signed = number.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  let last = digits.length
  while (last > 0 && digits[last - 1] === '0') last--
  if (last === 0) return '0'
  return `${signed}${digits.slice(0, last)}e${Number(exponent) - fraction.length + digits.length - last}`
}
