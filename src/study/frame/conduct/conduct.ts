/**
 * Conducts a study, or continues one that was cut: asks for consent, creates its folder, measures,
 * and reports, however the measurement ended.
 */
import { randomBytes } from 'node:crypto'
import { versions } from 'node:process'
import { UserError } from '../../../base/mistakes.ts'
import { version } from '../../../run/environment/package.ts'
import { demandConsent } from '../../../run/errors.ts'
import { tryArtefacts } from '../../../run/folder/artefacts.ts'
import { createRunFolder } from '../../../run/folder/folder.ts'
import { discardFolder } from '../../../run/folder/make.ts'
import { inFolder } from '../../../run/folder/stop.ts'
import { proxyWords } from '../../../run/target/chosen-place.ts'
import type { StudyDocument, StudyFacts, StudyStart } from '../envelope.ts'
import { startHeartbeat } from './heartbeat.ts'
import { studyFiles } from './study-folder.ts'
import type { TrialHooks, TrialsLeft } from '../trial/trials.ts'
import { Trials } from '../trial/trials.ts'
import { keptOptions, writeStudyRecipe } from './recipe.ts'
import type { Conducting, StudyOptions, StudyOutcome } from './conducting.ts'

/**
 * Asks for consent, creates the folder, measures and writes the reports. Throws UserError for the
 * user's mistakes before anything is sent, Declined without consent, and TargetError when the
 * target cannot be reached or refuses us before the first trial. A folder in which nothing was
 * measured is removed.
 */
export async function conductStudy<
  Options extends StudyOptions<Plan>,
  Design,
  Plan,
  Document extends StudyDocument,
>(
  conducting: Conducting<Options, Design, Plan, Document>,
  options: Options,
): Promise<StudyOutcome<Document>> {
  const design = await conducting.design(options)
  await demandConsent(options.confirm, () => conducting.plan(design))
  const startedAt = new Date()
  const id = randomBytes(4).toString('hex')
  const start = { tool: ownTool(), id, startedAt: startedAt.toISOString() }
  const { out = 'reports' } = options
  const process = { design, options, start }
  if (out === false) return outcomeOf(conducting, { ...process, folder: null, isNew: true })
  const { path: folder } = await createRunFolder(out, conducting.name(design), startedAt)
  if (conducting.isResumable?.(design) !== false) {
    const { tool, ...begun } = start
    await writeStudyRecipe(folder, {
      schema: 'crewload/study/1',
      study: conducting.study.name,
      crewload: tool.version,
      ...begun,
      asked: await keptOptions(conducting.table, options),
      fingerprint: conducting.fingerprint(design),
      command: options.command ?? null,
    })
  }
  return outcomeOf(conducting, { ...process, folder, isNew: true })
}

interface Process<Options, Design> {
  design: Design
  options: Options
  start: StudyStart
  folder: string | null
  /** Whether the folder was created by this process. */
  isNew: boolean
}

/**
 * The part of one process in the study's folder. Throws UserError while another process uses the
 * folder, and as `conductStudy`.
 */
export async function outcomeOf<
  Options extends StudyOptions<Plan>,
  Design,
  Plan,
  Document extends StudyDocument,
>(
  conducting: Conducting<Options, Design, Plan, Document>,
  { design, options, start, folder, isNew }: Process<Options, Design>,
): Promise<StudyOutcome<Document>> {
  const heartbeat = folder === null ? null : startHeartbeat(folder)
  const given: TrialHooks = {
    ...options,
    onProgress: (progress) => {
      heartbeat?.beat(progress)
      options.onProgress?.(progress)
    },
  }
  return inFolder(folder, given, async (hooks) => {
    const leftBehind: TrialsLeft[] = []
    let trials: Trials | null = null
    try {
      const terms = conducting.terms(design)
      const { run = {} } = options
      const { costPerKickoff } = run
      const proxy = proxyWords(run)
      const study = conducting.study.name
      const opened = await Trials.open({ ...terms, study, hooks, folder, leftBehind })
      trials = opened
      const facts = (): StudyFacts => ({
        ...start,
        ended: opened.ended,
        durationMs: opened.durationMs,
        ...opened.spent,
        budget: terms.budget,
        command: options.command ?? null,
      })
      const session = { options, design, start, folder, trials: opened, facts }
      const document = await conducting.measure(session)
      if (proxy !== null) document.proxy = proxy
      if (costPerKickoff !== undefined) document.costPerKickoff = costPerKickoff
      const files = (): Record<string, string> => studyFiles(conducting.study, document)
      const unwritten = folder === null ? null : await tryArtefacts(folder, files)
      return { document, folder, unwritten, leftBehind }
    } catch (error) {
      await heartbeat?.end()
      // An empty folder would be mistaken for a study.
      const isEmpty = isNew && trials?.hasMeasured !== true
      if (folder !== null && isEmpty && error instanceof UserError) {
        await discardFolder(folder)
      }
      throw error
    } finally {
      await heartbeat?.end()
    }
  })
}

export function ownTool(): StudyStart['tool'] {
  return { name: 'crewload', version: version(), node: versions.node }
}
