/**
 * The recipe of a study, kept in its folder: what the study was asked for, from which `crewload
 * resume` continues one that was cut. It contains nothing that may be secret.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { readDocument } from '../../../journal/file/document.ts'
import { writeArtefacts } from '../../../run/folder/artefacts.ts'
import { STUDY_FILE } from '../../../run/folder/folder.ts'

const recipe = z.object({
  schema: z.literal('crewload/study/1'),
  /** The name of the study. */
  study: z.string(),
  /** The version of crewload. */
  crewload: z.string(),
  id: z.string(),
  startedAt: z.iso.datetime(),
  asked: z.object({
    /** The options that are not secret. */
    options: z.looseObject({ run: z.looseObject({ target: z.string().optional() }).optional() }),
    /** The working folder, to which relative paths in the options refer. */
    from: z.string(),
  }),
  /** Names only, because values may be secret. */
  headers: z.array(z.string()),
  /** Shows whether scenario and profile have changed. */
  fingerprint: z.string(),
  command: z.string().nullable(),
})

export type StudyRecipe = z.infer<typeof recipe>

export async function writeStudyRecipe(folder: string, kept: StudyRecipe): Promise<void> {
  await writeArtefacts(folder, { files: { [STUDY_FILE]: `${JSON.stringify(kept)}\n` } })
}

/** Null when there is no recipe. Throws UserError for one that is invalid. */
export async function readStudyRecipe(folder: string): Promise<StudyRecipe | null> {
  const file = join(folder, STUDY_FILE)
  return readDocument(file, recipe, { remedy: 'the study cannot be resumed without it' })
}
