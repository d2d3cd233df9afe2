/**
 * Conducts a study: asked for consent, given a folder, measured, and reported, however it went. Or
 * goes on with one that was cut.
 */
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { versions } from 'node:process'
import { UserError } from '../../../base/mistakes.ts'
import { version } from '../../../run/environment/version.ts'
import { Declined } from '../../../run/errors.ts'
import type { RunFolder } from '../../../run/folder/folder.ts'
import { createRunFolder, JOURNAL_FILE, tryArtefacts } from '../../../run/folder/folder.ts'
import { lockFolder } from '../../../run/folder/lock.ts'
import type { StudyDocument, StudyStart } from '../envelope.ts'
import { studyFiles } from '../files.ts'
import type { StudyRecipe, StudyRequest } from './recipe.ts'
import { writeStudyRecipe } from './recipe.ts'
import type { Study } from '../study.ts'

export interface StudyOutcome<Document> {
  document: Document
  /** Where everything was written; null when nothing was. */
  folder: string | null
  /** Why the reports could not be written whole; null when they were. */
  unwritten: string | null
}

/** What every study can be told. */
export interface StudyOptions<Plan> {
  /** Where run folders are written; false writes nothing. Default `reports`. */
  out?: string | false
  /** Asked before anything is sent; false sends nothing. */
  confirm?: (plan: Plan) => boolean | Promise<boolean>
}

interface Conducted<Document> {
  /** Its folder is named by it and the time. */
  name: string
  /** As in `StudyOptions`. */
  out: string | false | undefined
  /** Asked before anything is sent. Default: nobody is asked. */
  consent?: () => boolean | Promise<boolean>
  /** By it a study that was cut can be gone on with. Default: it cannot. */
  request?: StudyRequest | null
  measure: MeasureStudy<Document>
  /**
   * Whether a folder holds anything when `measure` was ended by a mistake of the user's. Default:
   * it does not.
   */
  hasMeasured?: () => boolean
}

type MeasureStudy<Document> = (start: StudyStart, folder: RunFolder | null) => Promise<Document>

/**
 * Asks for consent, makes the folder, measures and writes the reports. Throws `Declined` without
 * consent, and what `measure` throws; a folder in which nothing was measured does not stay. By
 * `request` a study that was cut can be gone on with; null for one that cannot.
 */
export async function conductStudy<Plan, Document extends StudyDocument>(
  study: Study<Plan, Document>,
  {
    name,
    out = 'reports',
    consent = () => true,
    request = null,
    measure,
    hasMeasured = () => false,
  }: Conducted<Document>,
): Promise<StudyOutcome<Document>> {
  if (!(await consent())) throw new Declined('was not confirmed; nothing was sent')
  const startedAt = new Date()
  const id = randomBytes(4).toString('hex')
  const start = { tool: ownTool(), id, startedAt: startedAt.toISOString() }
  if (out === false) return { document: await measure(start, null), folder: null, unwritten: null }
  const folder = await createRunFolder(out, name, startedAt)
  try {
    return await inFolder(folder.path, study, async () => {
      if (request !== null) {
        await writeStudyRecipe(folder.path, recipeOf(study.name, start, request))
      }
      return measure(start, folder)
    })
  } catch (error) {
    // An empty folder would only be taken for a study.
    if (error instanceof UserError && !hasMeasured()) {
      await rm(folder.path, { recursive: true, force: true })
    }
    throw error
  }
}

/**
 * Goes on in its folder, under its own name and beginning. Throws UserError while another process
 * works on it.
 */
export async function resumeStudy<Plan, Document extends StudyDocument>(
  study: Study<Plan, Document>,
  path: string,
  { id, startedAt }: StudyRecipe,
  measure: MeasureStudy<Document>,
): Promise<StudyOutcome<Document>> {
  const folder = { path, journal: join(path, JOURNAL_FILE) }
  return inFolder(path, study, async () => measure({ tool: ownTool(), id, startedAt }, folder))
}

function ownTool(): StudyStart['tool'] {
  return { name: 'crewload', version: version(), node: versions.node }
}

function recipeOf(
  study: string,
  { tool, id, startedAt }: StudyStart,
  request: StudyRequest,
): StudyRecipe {
  return { schema: 'crewload/study/1', study, crewload: tool.version, id, startedAt, ...request }
}

async function inFolder<Plan, Document extends StudyDocument>(
  folder: string,
  study: Study<Plan, Document>,
  measure: () => Promise<Document>,
): Promise<StudyOutcome<Document>> {
  const hold = await lockFolder(folder)
  try {
    const document = await measure()
    const unwritten = await tryArtefacts(folder, () => studyFiles(study, document))
    return { document, folder, unwritten }
  } finally {
    await hold.release()
  }
}
