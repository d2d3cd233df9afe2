/** What a comparison is asked, and what it reads: nothing is sent. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ResultDocument } from '../../analysis/document.ts'
import { resultDocument } from '../../analysis/document.ts'
import { nearestName, UserError } from '../../base/mistakes.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { parseShare } from '../../base/units.ts'
import { RESULT_FILE } from '../../run/folder/folder.ts'
import type { StudyOptions } from '../frame/conduct/conducting.ts'
import type { Sides, StoredResult } from './analyse/comparable.ts'
import type { Terms } from './document.ts'

export interface ComparisonPlan {
  base: readonly string[]
  new: readonly string[]
  judged: readonly string[]
  terms: Terms
}

export interface ComparisonOptions extends StudyOptions<ComparisonPlan> {
  /** Run folders, or their `result.json`. */
  base: readonly string[]
  new: readonly string[]
  /** Names of metrics, with commas between. Default `DEFAULT_JUDGED`. */
  metrics?: string
  /** The smallest change that counts, like `5%`. Default 5 %. */
  smallestChange?: string
  /** Asks whether they are the same within a margin, like `5%`. */
  equivalent?: string
}

export interface ComparisonDesign {
  plan: ComparisonPlan
  sides: Sides
}

/** Few, for each further one costs all of them power. */
export const DEFAULT_JUDGED = [
  'execution.p50',
  'execution.p95',
  'kickoff.response.p95',
  'outcome.unserved',
  'execution.failed',
] as const

const SMALLEST_CHANGE = 0.05
/** One percentage point. */
const SMALLEST_DIFFERENCE = 0.01
const LEVEL = 0.01

/** Throws UserError with every mistake. */
export async function designComparison(options: ComparisonOptions): Promise<ComparisonDesign> {
  const mistakes: Mistake[] = []
  const terms = termsOf(options, mistakes)
  const base = await readSide(options.base, 'BASE', mistakes)
  const next = await readSide(options.new, 'NEW', mistakes)
  const sides = { base, new: next }
  const judged = judgedOf(options, sides, mistakes)
  mistakes.push(...twice(sides))
  if (mistakes.length > 0) throw new UserError(mistakes)
  return { plan: { base: options.base, new: options.new, judged, terms }, sides }
}

function termsOf({ smallestChange, equivalent }: ComparisonOptions, mistakes: Mistake[]): Terms {
  return {
    smallestChange: shareOf('--min-change', smallestChange, mistakes) ?? SMALLEST_CHANGE,
    smallestDifference: SMALLEST_DIFFERENCE,
    level: LEVEL,
    equivalent: shareOf('--equivalent', equivalent, mistakes),
  }
}

/** Null where nothing, or nothing that is allowed, was said. */
function shareOf(source: string, text: string | undefined, mistakes: Mistake[]): number | null {
  if (text === undefined) return null
  const value = parseShare(text)
  if (value !== undefined && value > 0 && value <= 1) return value
  const problem = `must be more than 0 and at most 100 %, like "5%" (found "${text}")`
  mistakes.push({ source, path: '', problem })
  return null
}

async function readSide(
  paths: readonly string[],
  side: string,
  mistakes: Mistake[],
): Promise<StoredResult[]> {
  if (paths.length === 0) {
    mistakes.push({ source: side, path: '', problem: 'must name one run folder or more' })
  }
  const read: StoredResult[] = []
  for (const folder of paths) {
    try {
      read.push({ folder, result: await readResult(folder) })
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      mistakes.push(...error.mistakes)
    }
  }
  return read
}

/** What a comparison reads of a result: an older version may lack the rest. */
const needed = resultDocument.pick({
  schema: true,
  run: true,
  verdict: true,
  arrivals: true,
  metrics: true,
})

/** Of a run folder, or of its `result.json` alone, as a baseline is kept. Throws UserError. */
async function readResult(path: string): Promise<ResultDocument> {
  try {
    const isFolder = (await stat(path)).isDirectory()
    const result: unknown = JSON.parse(
      await readFile(isFolder ? join(path, RESULT_FILE) : path, 'utf8'),
    )
    needed.parse(result)
    return result as ResultDocument
  } catch (error) {
    const why = error instanceof z.ZodError ? 'it does not follow crewload/result/2' : String(error)
    const problem = `no result can be read there (${why}); expected a run folder or its ${RESULT_FILE}; "crewload report render" writes that of a run that was cut`
    throw new UserError({ source: path, path: '', problem })
  }
}

function judgedOf(
  { metrics }: ComparisonOptions,
  { base, new: next }: Sides,
  mistakes: Mistake[],
): readonly string[] {
  if (metrics === undefined) return DEFAULT_JUDGED
  const known = [
    ...new Set([...base, ...next].flatMap(({ result }) => Object.keys(result.metrics))),
  ]
  const names = metrics.split(',').map((name) => name.trim())
  for (const name of names.filter((each) => known.length > 0 && !known.includes(each))) {
    const nearest = nearestName(name, known)
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
    const problem = `no run has a metric "${name}"${hint}`
    mistakes.push({ source: '--metrics', path: '', problem })
  }
  return [...new Set(names)]
}

/** A run that stands on both sides, or twice on one, would be counted as two. */
function twice({ base, new: next }: Sides): Mistake[] {
  const seen = new Map<string, string>()
  return [...base, ...next].flatMap(({ folder, result: { run } }) => {
    const known = seen.get(run.id)
    seen.set(run.id, folder)
    if (known === undefined || run.id === '') return []
    return [{ source: folder, path: '', problem: `is the same run as ${known} (id ${run.id})` }]
  })
}
