/** Conducts a study: asked for consent, given a folder, measured, and reported, however it went. */
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { versions } from 'node:process'
import { UserError } from '../../base/mistakes.ts'
import { version } from '../../run/environment/version.ts'
import { Declined } from '../../run/errors.ts'
import type { RunFolder } from '../../run/folder/folder.ts'
import { createRunFolder, writeArtefacts } from '../../run/folder/folder.ts'
import type { StudyDocument, StudyStart } from './envelope.ts'
import { studyFiles } from './files.ts'
import type { Study } from './study.ts'

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
  measure: (start: StudyStart, folder: RunFolder | null) => Promise<Document>
  /** Whether a folder holds anything when `measure` was ended by a mistake of the user's. Default: it does not. */
  hasMeasured?: () => boolean
}

/**
 * Asks for consent, makes the folder, measures and writes the reports. Throws `Declined` without consent, and what `measure` throws; a folder in
 * which nothing was measured does not stay.
 */
export async function conductStudy<Plan, Document extends StudyDocument>(
  study: Study<Plan, Document>,
  {
    name,
    out = 'reports',
    consent = () => true,
    measure,
    hasMeasured = () => false,
  }: Conducted<Document>,
): Promise<StudyOutcome<Document>> {
  if (!(await consent())) throw new Declined('was not confirmed; nothing was sent')
  const startedAt = new Date()
  const folder = out === false ? null : await createRunFolder(out, name, startedAt)
  try {
    const document = await measure(
      {
        tool: { name: 'crewload', version: version(), node: versions.node },
        id: randomBytes(4).toString('hex'),
        startedAt: startedAt.toISOString(),
      },
      folder,
    )
    const unwritten = folder === null ? null : await tryWrite(folder.path, study, document)
    return { document, folder: folder?.path ?? null, unwritten }
  } catch (error) {
    // An empty folder would only be taken for a study.
    if (folder !== null && error instanceof UserError && !hasMeasured()) {
      await rm(folder.path, { recursive: true })
    }
    throw error
  }
}

/** A full disk must not take the verdict with it: what was said of the failure, or null. */
async function tryWrite<Plan, Document extends StudyDocument>(
  folder: string,
  study: Study<Plan, Document>,
  document: Document,
): Promise<string | null> {
  try {
    await writeArtefacts(folder, studyFiles(study, document))
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
