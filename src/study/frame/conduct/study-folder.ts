/** The files in a study's folder: which study it contains, its document and its reports. */
import { join } from 'node:path'
import { z } from 'zod'
import { checked, readDocument } from '../../../journal/file/document.ts'
import { tryArtefacts } from '../../../run/folder/artefacts.ts'
import type { StudyDocument } from '../envelope.ts'
import type { AnyStudy, Study } from '../study.ts'
import { visibleJson } from '../../../base/visible.ts'
import { reportFiles } from '../../../report/frame/render/files.ts'
import { reportOf } from '../study.ts'

export interface StoredStudy {
  study: AnyStudy
  document: StudyDocument
}

/**
 * Null when the folder contains no document of `studies`. Throws UserError for a document that
 * cannot be read, or that follows another schema.
 */
export async function readStudy(
  folder: string,
  studies: readonly AnyStudy[],
): Promise<StoredStudy | null> {
  for (const study of studies) {
    const file = join(folder, `${study.name}.json`)
    const stored = await readDocument(file, z.looseObject({}), KEPT)
    if (stored !== null)
      return { study, document: checked(stored, study.schema, { path: file, ...KEPT }) }
  }
  return null
}

/**
 * Replaces the reports beside the document; returns why they could not be written completely, or
 * null.
 */
export async function renderStudy(
  folder: string,
  { study, document }: StoredStudy,
): Promise<string | null> {
  return tryArtefacts(folder, () => {
    const { [`${study.name}.json`]: _, ...reports } = studyFiles(study, document)
    return reports
  })
}

/** A resumption would send again what the document has measured. */
const KEPT = { remedy: 'restore it from a copy, or start the study again in a new folder' }

/** The contents by file name. */
export function studyFiles<Plan, Document extends StudyDocument>(
  study: Pick<Study<Plan, Document>, 'name' | 'report'>,
  document: Document,
): Record<string, string> {
  return {
    [`${study.name}.json`]: `${visibleJson(document)}\n`,
    ...reportFiles(reportOf(study, document)),
  }
}
