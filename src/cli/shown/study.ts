/**
 * A study on the command line: its plan or its measurement, progress on stderr, the result on
 * stdout, and the exit code.
 */
import { visibleJson, visibleLine } from '../../base/visible.ts'
import { renderPlanText } from '../../report/frame/render/terminal.ts'
import type { RunControl } from '../../run/options.ts'
import type { StudyOptions, StudyOutcome } from '../../study/frame/conduct/conducting.ts'
import type { StudyDocument } from '../../study/frame/envelope.ts'
import { readStudyRecipe } from '../../study/frame/conduct/recipe.ts'
import type { Study } from '../../study/frame/study.ts'
import type { ShownStudy } from '../../study/frame/shown.ts'
import { shownOf } from '../../study/frame/shown.ts'
import { askBefore } from './ask-before.ts'
import { EXIT } from '../exit-codes.ts'
import type { OutputFlags } from '../flags/output.ts'
import { Interruption } from '../io/interruption.ts'
import type { Io } from '../io/io.ts'
import { tellGitHub } from './github.ts'
import { listLeftBehind, resumeWords } from './left-behind.ts'
import type { StudyProgress } from '../io/progress.ts'
import { createStudyProgress } from '../io/progress.ts'
import { showReport } from './report.ts'

export interface StudyFlags extends OutputFlags {
  /** Where it sends. */
  target?: string | undefined
}

/** The hooks that the frame passes to whatever starts the measurement. */
export type StudyHooks<Plan> = Required<
  Pick<StudyOptions<Plan>, 'confirm' | 'onNote' | 'onTrouble' | 'onProgress' | 'onStep' | 'tell'>
> & { onStart: (control: RunControl) => void }

const MAY_COST = 'Start? Each kickoff may cost money.'

export interface StudyCommand<Plan, Document extends StudyDocument, Outcome> {
  study: Study<Plan, Document>
  /** Asked before anything is sent to a real deployment. Default: `MAY_COST`. */
  question?: string
  /** As for `askBefore`. Default: false. */
  unasked?: boolean
  plan: () => Plan | Promise<Plan>
  /** For `--dry-run`: throws UserError for runs that the study could not learn from. */
  readRuns?: (plan: Plan) => Promise<void>
  start: (hooks: StudyHooks<Plan>) => Promise<Outcome>
}

export async function runStudy<
  Plan,
  Document extends StudyDocument,
  Outcome extends StudyOutcome<Document>,
>(command: StudyCommand<Plan, Document, Outcome>, flags: StudyFlags, io: Io): Promise<number> {
  const { study } = command
  if (flags.dryRun === true) {
    const plan = await command.plan()
    await command.readRuns?.(plan)
    const text =
      flags.json === true ? `${visibleJson(plan, 2)}\n` : renderPlanText(study.planText(plan))
    io.stdout.write(text)
    return EXIT.passed
  }
  return watchStudy(command, flags, io)
}

/** Runs the measurement without asking or showing the result. */
export async function watchStudy<
  Plan,
  Document extends StudyDocument,
  Outcome extends StudyOutcome<Document>,
>(
  command: Omit<StudyCommand<Plan, Document, Outcome>, 'plan'>,
  flags: StudyFlags,
  io: Io,
): Promise<number> {
  const { study, start } = command
  const interruption = new Interruption(io, study.whenInterrupted)
  const progress = createStudyProgress(io, flags.quiet === true)
  try {
    const outcome = await start(hooksOf(command, flags, io, interruption, progress))
    progress.clear()
    const { folder } = outcome
    const { report, exit } = showStudy(command, outcome, flags, io)
    await tellGitHub(report, flags, io)
    if (exit === 'interrupted' && folder !== null) await tellResume(folder, io)
    listLeftBehind(outcome.leftBehind, io)
    return interruption.happened ? EXIT.interrupted : EXIT[exit]
  } finally {
    interruption.disarm()
  }
}

/** Suggests `resume` when the study's folder contains what it needs. */
async function tellResume(folder: string, io: Io): Promise<void> {
  if ((await readStudyRecipe(folder)) === null) return
  io.stderr.write(`crewload: ${resumeWords(folder)} runs the missing trials\n`)
}

function hooksOf<Plan, Document extends StudyDocument, Outcome>(
  {
    study,
    question = MAY_COST,
    unasked = false,
  }: Pick<StudyCommand<Plan, Document, Outcome>, 'study' | 'question' | 'unasked'>,
  flags: StudyFlags,
  io: Io,
  interruption: Interruption,
  progress: StudyProgress,
): StudyHooks<Plan> {
  const told = new Set<string>()
  const tell = (line: string): void => {
    progress.clear()
    if (flags.quiet !== true) io.stderr.write(`${line}\n`)
  }
  return {
    tell,
    confirm: async (plan) =>
      askBefore(question, flags, io, { shown: renderPlanText(study.planText(plan)), unasked }),
    onNote: (note) => {
      if (!told.has(note)) tell(`note: ${visibleLine(note)}`)
      told.add(note)
    },
    onTrouble: (trouble) => {
      progress.clear()
      io.stderr.write(`crewload: ${visibleLine(trouble)}\n`)
    },
    onProgress: (trials) => progress.show(trials),
    onStep: (step) => progress.calculate(step),
    onStart: (control) => interruption.arm(control),
  }
}

/** Prints the result on stdout. */
export function showStudy<
  Plan,
  Document extends StudyDocument,
  Outcome extends StudyOutcome<Document>,
>(
  { study }: Pick<StudyCommand<Plan, Document, Outcome>, 'study'>,
  outcome: Outcome,
  flags: Pick<StudyFlags, 'json' | 'quiet'>,
  io: Io,
): ShownStudy {
  const { folder, unwritten } = outcome
  const told = shownOf(study, outcome.document, unwritten)
  showReport({ ...told, folder, unwritten }, flags, io)
  return told
}
