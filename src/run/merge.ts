/**
 * Merges the journals of several instances, or rereads one, through one recorder into one document.
 */
import { basename, dirname, resolve } from 'node:path'
import type { RunContext } from '../result/analyse.ts'
import type { ResultDocument } from '../result/document.ts'
import type { SampledExecutions } from '../result/execution-row.ts'
import type { JournalAsRead } from '../result/validity/validity.ts'
import type { Ledger } from '../result/ledger/reconcile.ts'
import type { JournalLine, RunLine } from '../execution/record/journal-lines.ts'
import type { Mistake } from '../base/mistakes.ts'
import { demandNone, UserError } from '../base/mistakes.ts'
import type { Damage, JournalForm, Outline } from '../journal/reader.ts'
import { unreadable } from '../journal/file/regular.ts'
import { readJournal, readOutline } from '../journal/reader.ts'
import { LineCensus } from '../journal/line-census.ts'
import type { Recorder } from '../result/counting/recorder.ts'
import { createRecorder } from '../result/counting/recorder.ts'
import { instanceNames, someOf } from '../result/sentences/instances.ts'

interface MergeOptions extends Partial<Omit<RunContext, keyof JournalAsRead>> {
  ledger?: Ledger | null
  /**
   * The form of every file; default `journal`. Some of several logs may hold no journal at all; the
   * missing instances are then reported by number.
   */
  form?: JournalForm
  /** Of a mix: the part whose lines are measured. */
  part?: string
  /** Called with what each file holds, once all of them are known to be of one run. */
  onFiles?: (files: readonly FileOfRun[]) => void
}

export interface Merged {
  document: ResultDocument
  /** Null when nobody will list them. */
  executions: SampledExecutions | null
}

/**
 * Measures the lines of all journals as if one instance had written them: the results of ten pods
 * equal those of one. The order of the paths does not matter. Each file is read twice, first for
 * its `run` lines: the clock of the run is that of the instance that began first. Throws a
 * UserError when a file cannot be read, has no `run` line, belongs to another plan or run, or
 * repeats what another file contains. The lines of one instance may be spread over several files.
 */
export async function mergedRuns(
  journalPaths: readonly string[],
  options: MergeOptions = {},
): Promise<Merged> {
  const { ledger = null, form = 'journal', part, onFiles, ...context } = options
  const journals: Beginnings[] = []
  for (const path of journalPaths) journals.push(await beginningsOf(path, form, part))
  const runs = runsOf(journals, form)
  onFiles?.(
    journals.map((journal) => ({
      path: journal.path,
      instances: journal.runs.map(({ instance }) => instance),
    })),
  )
  const zeroUnixMs = Math.min(...runs.map(({ anchorUnixMs }) => anchorUnixMs))
  const recorder = createRecorder({ claims: ledger !== null, executions: true, zeroUnixMs })
  try {
    for (const run of runs) recorder.record(run)
    const asRead = await recordAll(recorder, journals, form, part)
    const document = recorder.document({ ...UNKNOWN, ...context, ledger, ...asRead })
    return { document, executions: recorder.executions(ledger) }
  } finally {
    recorder.destroy()
  }
}

const UNKNOWN = { command: null, node: null }

/** The instances whose first line one file holds. */
interface Beginnings extends Outline {
  path: string
}

async function beginningsOf(
  path: string,
  form: JournalForm,
  part: string | undefined,
): Promise<Beginnings> {
  try {
    return { path, ...(await readOutline(path, form, part)) }
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** All `run` lines, checked to belong to one run. */
function runsOf(journals: readonly Beginnings[], form: JournalForm): RunLine[] {
  if (journals.length === 0) {
    throw new UserError({ source: 'merge', problem: 'expected at least one run folder or journal' })
  }
  const first = journals.find(({ runs }) => runs.length > 0)
  const mistakes = journals.flatMap((journal): Mistake[] => {
    const problem = mismatch(journal, first, form)
    return problem === null ? [] : [{ source: journal.path, problem }]
  })
  demandNone(mistakes)
  return journals.flatMap(({ runs }) => runs)
}

function mismatch(
  { path, runs }: Beginnings,
  first: Beginnings | undefined,
  form: JournalForm,
): string | null {
  const [like] = first?.runs ?? []
  if (first === undefined || like === undefined || (runs.length === 0 && form === 'journal')) {
    return 'not the journal of a run: it has no run line'
  }
  const other = OF_THE_RUN.find(({ differs }) => runs.some((run) => differs(run, like)))
  if (other === undefined) return null
  const than = first.path === path ? 'it begins with' : first.path
  return `belongs to another ${other.name} than ${than}: only instances of one run can be merged`
}

const OF_THE_RUN: readonly { name: string; differs: (a: RunLine, b: RunLine) => boolean }[] = [
  { name: 'plan', differs: (a, b) => a.planHash !== b.planHash },
  { name: 'run', differs: (a, b) => a.runId !== b.runId },
  { name: 'number of instances', differs: (a, b) => a.instances !== b.instances },
]

/** Records all lines, and returns what is wrong with them. */
async function recordAll(
  recorder: Recorder,
  journals: readonly Beginnings[],
  form: JournalForm,
  part: string | undefined,
): Promise<JournalAsRead> {
  const census = new LineCensus()
  const repetitions = new Map<string, Mistake>()
  let unreadableLines = 0
  let firstUnreadable: string | null = null
  for (const { path, retractions } of journals) {
    census.beginFile()
    const counts = retractions.reader()
    const reader = readJournal(path, form, part)
    try {
      for await (const lines of reader.batches()) {
        for (const line of lines) {
          const isCounted = counts(line)
          const teller = census.saw(line, path, isCounted)
          if (teller !== null && !repetitions.has(path)) {
            repetitions.set(path, repetition(path, line, teller))
          }
          if (isCounted) recorder.record(line)
        }
      }
    } catch (error) {
      throw unreadable(path, error)
    }
    unreadableLines += reader.skipped
    firstUnreadable ??= placeOf(path, reader.damage)
  }
  if (repetitions.size > 0) throw new UserError([...repetitions.values()])
  return { unreadableLines, firstUnreadable, doubledLines: census.doubled }
}

/** Without the folders above: a report may be shown anywhere. */
function placeOf(path: string, damage: Damage | null): string | null {
  if (damage === null) return null
  return `${basename(dirname(resolve(path)))}/${basename(path)}:${damage.line}`
}

function repetition(path: string, line: JournalLine, teller: string): Mistake {
  const instance = line.type === 'ended' ? line.record.instance : line.instance
  const problem = `repeats lines of instance ${instance} that ${teller} holds: a line counts once`
  return { source: path, problem }
}

/** One file of a merge. */
export interface FileOfRun {
  path: string
  /** The instances whose first line the file holds. */
  instances: readonly number[]
}

/** The number of sentences at most, because a run may have thousands of pods. */
const MOST_SHOWN = 20

/**
 * One sentence for each file without a journal, or whose instances have a first line but no last
 * one (`unfinished`). `of`: the number of instances of the run.
 */
export function troubledFiles(
  files: readonly FileOfRun[],
  of: number,
  unfinished: readonly number[],
): string[] {
  const troubles = files.flatMap(({ path, instances }): string[] => {
    const open = instances.filter((instance) => unfinished.includes(instance))
    const cut = someOf(
      open.map((instance) => ({ instance })),
      of,
    )
    if (instances.length === 0) return [`${path} does not hold the beginning of a journal`]
    return cut.count === 0 ? [] : [`${path} ends too early: ${instanceNames(cut)}`]
  })
  const more = troubles.length - MOST_SHOWN
  return more <= 0 ? troubles : [...troubles.slice(0, MOST_SHOWN), `${more} more are not listed`]
}
