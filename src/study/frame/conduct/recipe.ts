/**
 * What a study was asked for, kept in its folder: by it `crewload resume` goes on with a study that
 * was cut. Nothing that may be secret is in it.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { UserError } from '../../../base/mistakes.ts'
import { writeArtefacts } from '../../../run/folder/folder.ts'

const RECIPE_FILE = 'study.json'

const recipe = z.object({
  schema: z.literal('crewload/study/1'),
  /** Its name. */
  study: z.string(),
  /** The version of crewload. */
  crewload: z.string(),
  id: z.string(),
  startedAt: z.iso.datetime(),
  asked: z.object({
    /** As far as they are no secret. */
    options: z.record(z.string(), z.unknown()),
    /** The working folder: relative paths in the options are meant from there. */
    from: z.string(),
  }),
  /** Names: values may be secrets. */
  headers: z.array(z.string()),
  /** Tells whether scenario and profile are still what they were. */
  fingerprint: z.string(),
  command: z.string().nullable(),
})

export type StudyRecipe = z.infer<typeof recipe>

export async function writeStudyRecipe(folder: string, kept: StudyRecipe): Promise<void> {
  await writeArtefacts(folder, { [RECIPE_FILE]: `${JSON.stringify(kept)}\n` })
}

/** Null where there is none. Throws UserError for one that is none. */
export async function readStudyRecipe(folder: string): Promise<StudyRecipe | null> {
  const file = join(folder, RECIPE_FILE)
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) return null
  const { data } = recipe.safeParse(jsonOf(text))
  if (data !== undefined) return data
  const problem = 'is not a valid study recipe: the study cannot be resumed'
  throw new UserError({ source: file, path: '', problem })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
