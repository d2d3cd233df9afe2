/**
 * A study on the command line: its plan or its measurement, progress on stderr, the result on
 * stdout, and the exit code.
 */
import { visibleJson, visibleLine } from '../../base/visible.ts'
import { renderPlanText } from '../../report/frame/render/terminal.ts'
import { conductStudy } from '../../study/frame/conduct/conduct.ts'
import type {
  Conducting,
  StudyOptions,
  StudyOutcome,
} from '../../study/frame/conduct/conducting.ts'
import type { StudyDocument } from '../../study/frame/envelope.ts'
import { readStudyRecipe } from '../../study/frame/conduct/recipe.ts'
import type { AnyStudy, Study, ShownStudy } from '../../study/frame/study.ts'
import { shownOf } from '../../study/frame/study.ts'
import { askBefore } from './ask-before.ts'
import { EXIT } from '../exit-codes.ts'
import type { OutputFlags } from '../flags/output.ts'
import { Interruption } from '../io/interruption.ts'
import type { Io } from '../io/io.ts'
import { tellGitHub, showReport } from './report.ts'
import { listAbandoned, resumeWords } from './left-behind.ts'
import type { StudyDisplay } from '../io/progress.ts'
import { createStudyProgress } from '../io/progress.ts'
import type { ShownReport } from './report.ts'

export interface StudyFlags extends OutputFlags {
  /** Where it sends. */
  target?: string | undefined
}

/** The hooks that the frame passes to whatever starts the measurement. */
export type StudyHooks<Plan> = Required<
  Pick<
    StudyOptions<Plan>,
    'confirm' | 'onNote' | 'onTrouble' | 'onProgress' | 'onStep' | 'tell' | 'onStart' | 'onAsked'
  >
>

interface AskedFor<Plan> {
  study: Pick<Study<Plan, StudyDocument>, 'whenInterrupted' | 'planText'>
  /** Asked before anything is sent to a real deployment. */
  question?: string | undefined
  /** As for `askBefore`. Default: false. */
  unasked?: boolean | undefined
}

const MAY_COST = 'Start? Each kickoff may cost money.'

export interface StudyCommand<Options extends StudyOptions<Plan>, Design, Plan> extends Omit<
  AskedFor<Plan>,
  'study'
> {
  conducting: Conducting<Options, Design, Plan, StudyDocument>
  options: Options
  /** For `--dry-run`: throws UserError for runs that the study could not learn from. */
  readRuns?: (plan: Plan) => Promise<void>
}

/** Shows the plan of a study, or conducts it. */
export async function runStudy<Options extends StudyOptions<Plan>, Design, Plan>(
  { conducting, options, readRuns, ...asked }: StudyCommand<Options, Design, Plan>,
  flags: OutputFlags,
  io: Io,
): Promise<number> {
  const { study } = conducting
  if (flags.dryRun !== true) {
    if (flags.live === true) {
      const { openLivePage } = await import('./live-page.ts')
      await openLivePage(options.out, io)
    }
    const start = async (hooks: StudyHooks<Plan>) =>
      conductStudy(conducting, { ...options, ...hooks })
    return watchStudy({ ...asked, study, start }, { ...flags, target: options.run?.target }, io)
  }
  const plan = conducting.plan(await conducting.design(options))
  await readRuns?.(plan)
  const isJson = flags.json === true
  io.stdout.write(isJson ? `${visibleJson(plan, 2)}\n` : renderPlanText(study.planText(plan)))
  return EXIT.passed
}

/** Asks, shows the progress of the measurement, and its result. */
export async function watchStudy<Plan>(
  asked: AskedFor<Plan> & {
    study: AnyStudy
    start: (hooks: StudyHooks<Plan>) => Promise<StudyOutcome<StudyDocument>>
  },
  flags: StudyFlags,
  io: Io,
): Promise<number> {
  const { study, start } = asked
  const interruption = new Interruption(io, study.whenInterrupted)
  const progress = createStudyProgress(io, flags.quiet === true)
  try {
    const outcome = await start(hooksOf(asked, flags, io, interruption, progress))
    progress.clear()
    const { folder } = outcome
    const { report, exit } = showStudy(study, outcome, flags, io)
    await tellGitHub(report, flags, io)
    if (exit === 'interrupted' && folder !== null) await tellResume(folder, io)
    for (const { abandoned, folder: of } of outcome.leftBehind) listAbandoned(abandoned, of, io)
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

function hooksOf<Plan>(
  { study, question = MAY_COST, unasked = false }: AskedFor<Plan>,
  flags: StudyFlags,
  io: Io,
  interruption: Interruption,
  progress: StudyDisplay,
): StudyHooks<Plan> {
  const notes = new Set<string>()
  const tell = (line: string): void => {
    progress.clear()
    if (flags.quiet !== true) io.stderr.write(`${line}\n`)
  }
  return {
    tell,
    confirm: async (plan) =>
      askBefore(question, flags, io, { shown: renderPlanText(study.planText(plan)), unasked }),
    onNote: (note) => {
      if (!notes.has(note)) tell(`note: ${visibleLine(note)}`)
      notes.add(note)
    },
    onTrouble: (trouble) => {
      progress.clear()
      io.stderr.write(`crewload: ${visibleLine(trouble)}\n`)
    },
    onProgress: (trials) => progress.show(trials),
    onStep: (step) => progress.calculate(step),
    onStart: (control) => interruption.arm(control),
    onAsked: (how) => interruption.tell(how),
  }
}

/** Prints the result on stdout. */
export function showStudy(
  study: AnyStudy,
  { document, folder, unwritten }: StudyOutcome<StudyDocument>,
  flags: ShownReport,
  io: Io,
): ShownStudy {
  const shown = shownOf(study, document, unwritten)
  showReport({ ...shown, folder, unwritten }, flags, io)
  return shown
}
