/**
 * The actions of `crewload report`: render a run or a study again, or merge runs, from their
 * journals.
 */
import { endsWithRun } from '../../execution/record/crew-place.ts'
import { stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { ResultDocument } from '../../result/document.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { formatMistake, UserError } from '../../base/mistakes.ts'
import { plural } from '../../base/numbers.ts'
import { visibleLine } from '../../base/visible.ts'
import { runReport } from '../../report/run/report.ts'
import { JOURNAL_FILE, createRunFolder } from '../../run/folder/folder.ts'
import { readRun } from '../../run/folder/stored.ts'
import { concatenate } from '../../journal/concatenate.ts'
import { holderOf } from '../../run/folder/lock.ts'
import { mergedRuns, troubledFiles } from '../../run/merge.ts'
import type { FileOfRun } from '../../run/merge.ts'
import type { UnfinishedInstance } from '../../journal/unfinished.ts'
import { readUnfinished } from '../../journal/unfinished.ts'
import type { WholeJournal } from '../../run/k6/whole-journal.ts'
import { openWholeJournal } from '../../run/k6/whole-journal.ts'
import { contextOf, recipeWords } from '../../run/plan/recipe.ts'
import type { Reported } from '../../run/reports.ts'
import { tryReports } from '../../run/reports.ts'
import { readStudyRecipe } from '../../study/frame/conduct/recipe.ts'
import type { StoredStudy } from '../../study/frame/conduct/study-folder.ts'
import { readStudy, renderStudy } from '../../study/frame/conduct/study-folder.ts'
import { STUDIES } from '../../study/list.ts'
import { EXIT, exitCodeOf } from '../exit-codes.ts'
import type { Io } from '../io/io.ts'
import { listLeft, resumeWords } from '../shared/left-behind.ts'
import { shellWord } from '../../base/text.ts'
import { demandRun } from '../shared/measured-folder.ts'
import { showStudy } from '../shared/study.ts'
import { showReport } from '../shared/report.ts'

/**
 * Renders from the journal and the ledger, with the profile and command of the first rendering, or
 * else those of the request.
 */
export async function renderAgain(
  run: string,
  options: { json?: boolean; recover?: boolean },
  io: Io,
): Promise<number> {
  const folder = basename(run) === JOURNAL_FILE ? dirname(run) : run
  const stored = await readStudy(folder, STUDIES)
  if (stored !== null) return renderStudyAgain(folder, stored, options, io)
  if ((await readStudyRecipe(folder)) !== null) throw unfinishedStudy(folder)
  demandRun(folder)
  const { mixRecipe } = await import('../../run/mix/resume.ts')
  if ((await mixRecipe(folder)) !== null) return renderMixAgain(folder, options, io)
  const { ledger, result, unused } = await readRun(folder, { rewrites: true })
  tellUnused(unused, io)
  const context = result === null ? await recipeWords(folder) : contextOf(result)
  const journal = await wholeJournalOf(folder, io)
  try {
    const { document, executions } = await mergedRuns([journal.path], { ledger, ...context })
    if (document.run.stopped === 'crashed') {
      const { instances } = await readUnfinished(journal.path)
      if (options.recover !== true) throw await unfinished(folder, instances)
      listLeft(instances, folder, io)
    }
    // The ledger was read from there, and stays as it is.
    const reported = await tryReports(folder, document, { ledger: null, executions })
    return show(folder, reported, options, io)
  } finally {
    await journal.close()
  }
}

function tellUnused(unused: readonly Mistake[], io: Io): void {
  for (const mistake of unused) {
    io.stderr.write(`note: ${visibleLine(formatMistake(mistake))}\n`)
  }
}

async function renderMixAgain(
  folder: string,
  { json, recover = false }: { json?: boolean; recover?: boolean },
  io: Io,
): Promise<number> {
  const { renderMix } = await import('../../run/mix/resume.ts')
  const { mixReport } = await import('../../report/mix/report.ts')
  const { document, unwritten, cut, unused } = await renderMix(folder, recover)
  tellUnused(unused, io)
  if (cut.length > 0 && !recover) throw await unfinished(folder, [])
  const report = mixReport(document)
  showReport({ document, report, folder, unwritten }, { ...(json && { json }) }, io)
  return unwritten === null ? exitCodeOf(document.verdict.outcome, false) : EXIT.invalid
}

/** Renders from the study's document, without reading the measurements again. */
async function renderStudyAgain(
  folder: string,
  stored: StoredStudy,
  options: { json?: boolean },
  io: Io,
): Promise<number> {
  const { study, document } = stored
  const unwritten = await renderStudy(folder, stored)
  const { exit } = showStudy(study, { document, folder, unwritten, leftBehind: [] }, options, io)
  return EXIT[exit]
}

function unfinishedStudy(folder: string): UserError {
  const problem = `the study was cut before its end; ${resumeWords(folder)} runs the missing trials`
  return new UserError({ source: folder, problem })
}

/** Says what can be done about a run without its last lines. */
async function unfinished(
  folder: string,
  instances: readonly UnfinishedInstance[],
): Promise<UserError> {
  const holder = await holderOf(folder)
  const [first] = instances
  const hasCrew = first === undefined || !endsWithRun(first.run.place)
  const follow = hasCrew ? `${resumeWords(folder)} continues the executions in flight, ` : ''
  const recover = `crewload report render --recover ${shellWord(folder)} renders what was measured`
  const problem =
    holder === null
      ? `the run was cut before its end; ${follow}${recover}`
      : `the run is still in progress in ${holder}; ${recover}`
  return new UserError({ source: folder, problem })
}

export async function mergeAll(
  runs: readonly string[],
  options: { out: string; logs?: boolean; json?: boolean; command: string },
  io: Io,
): Promise<number> {
  const journals: Pick<WholeJournal, 'path' | 'close'>[] = []
  try {
    for (const run of runs) journals.push(await journalOf(run, io))
    const form = options.logs === true ? 'log' : 'journal'
    const paths = journals.map(({ path }) => path)
    let files: readonly FileOfRun[] = []
    const onFiles = (found: readonly FileOfRun[]): void => void (files = found)
    const { command } = options
    const { document, executions } = await mergedRuns(paths, { form, command, onFiles })
    if (form === 'log') tellPlaces(files, document, io)
    const { scenario } = document.run
    const folder = await createRunFolder(options.out, `${scenario}-merged`, new Date())
    await concatenate(paths, form, folder.journal)
    const reported = await tryReports(folder.path, document, { ledger: null, executions })
    return show(folder.path, reported, options, io)
  } finally {
    await Promise.all(journals.map(async (journal) => journal.close()))
  }
}

/** Pods and their logs are not numbered as instances are. */
function tellPlaces(files: readonly FileOfRun[], { run, generator }: ResultDocument, io: Io): void {
  const unfinished = generator.instances
    .filter(({ finished }) => !finished)
    .map(({ instance }) => instance)
  for (const place of troubledFiles(files, run.instances, unfinished)) {
    io.stderr.write(`note: ${visibleLine(place)}\n`)
  }
}

/** A run folder means its journal. */
async function journalOf(path: string, io: Io): Promise<Pick<WholeJournal, 'path' | 'close'>> {
  const found = await stat(path).catch(() => null)
  return found?.isDirectory() === true ? wholeJournalOf(path, io) : { path, close: async () => {} }
}

async function wholeJournalOf(folder: string, io: Io): Promise<WholeJournal> {
  const journal = await openWholeJournal(folder)
  const { added, files } = journal
  if (added > 0) {
    const lines = plural(added, 'more line was', 'more lines were')
    io.stderr.write(`note: ${lines} read than its journal holds, from ${files.join(', ')}\n`)
  }
  return journal
}

function show(
  folder: string,
  { document, unwritten }: Reported<ResultDocument>,
  shown: { json?: boolean },
  io: Io,
): number {
  showReport({ document, report: runReport(document), folder, unwritten }, shown, io)
  return unwritten === null ? exitCodeOf(document.verdict.outcome, false) : EXIT.invalid
}
