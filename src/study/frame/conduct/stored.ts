/** Reads a study's folder: which study it contains, and its document. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '../../../base/mistakes.ts'
import { tryArtefacts } from '../../../run/folder/artefacts.ts'
import { toMistakes } from '../../../scenario/schema/mistakes.ts'
import type { StudyDocument } from '../envelope.ts'
import { studyFiles } from '../files.ts'
import type { Study } from '../study.ts'

/** A study whose plan and document types do not matter. */
type AnyStudy = Study<unknown, StudyDocument>

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
    const text = await readFile(file, 'utf8').catch(() => null)
    if (text !== null) return { study, document: documentIn(text, file, study) }
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

function documentIn(text: string, file: string, { schema }: AnyStudy): StudyDocument {
  const stored = parsed(text, file)
  const checked = schema.safeParse(stored)
  if (checked.success) return checked.data
  const written = schemaOf(stored)
  const [issue] = checked.error.issues
  if (issue?.path[0] === 'schema' && written !== null) {
    const problem =
      'has a different schema than this version of crewload reads; render it with ' +
      'the version that wrote it'
    throw new UserError({ source: file, path: 'schema', found: written, problem })
  }
  throw new UserError(toMistakes(checked.error.issues, stored, file))
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new UserError({ source: file, path: '', problem: `is not JSON: ${why}` })
  }
}

function schemaOf(stored: unknown): string | null {
  if (typeof stored !== 'object' || stored === null || !('schema' in stored)) return null
  return typeof stored.schema === 'string' ? stored.schema : null
}
