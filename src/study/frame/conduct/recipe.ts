/**
 * The recipe of a study, kept in its folder: what the study was asked for, from which `crewload
 * resume` continues one that was cut. It contains nothing that may be secret.
 */
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { readDocument } from '../../../journal/file/document.ts'
import { writeArtefacts } from '../../../run/folder/artefacts.ts'
import { STUDY_FILE } from '../../../run/folder/folder.ts'
import { existsSync } from 'node:fs'
import { cwd } from 'node:process'
import { unreachable } from '../../../base/assert.ts'
import { UserError } from '../../../base/mistakes.ts'
import type { OptionKind } from '../../../base/options/kinds.ts'
import type { OptionTable } from '../../../base/options/table.ts'
import { areKept, givenAgain, isOption, keptOf } from '../../../base/options/table.ts'
import { referenceOf } from '../../../run/plan/recipe.ts'

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

type StoredValues = Readonly<Record<string, unknown>>

/** A scenario is kept as a shipped name or an absolute path. */
export async function keptOptions(
  table: OptionTable,
  options: object,
): Promise<StudyRecipe['asked']> {
  const kept = keptOf(table, options)
  const { scenario } = kept
  const reference = typeof scenario === 'string' ? { scenario: await referenceOf(scenario) } : {}
  return { options: { ...kept, ...reference }, from: cwd() }
}

/**
 * The options of the study, with those that are given now. Throws UserError for options that the
 * table does not allow, and for what may be secret, and must be given again.
 */
export function studyOptionsAgain(
  { options, from }: StudyRecipe['asked'],
  given: object,
  table: OptionTable,
  folder: string,
): StoredValues {
  if (!areKept(table, options)) {
    const problem = 'does not say which options the study had: it cannot be resumed'
    throw new UserError({ source: folder, problem })
  }
  const kept = from === cwd() ? options : inThisFolder(table, options, from)
  return givenAgain(table, kept, given, folder)
}

function inThisFolder(table: OptionTable, options: StoredValues, from: string): StoredValues {
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => {
      const row = table[name]!
      return [
        name,
        isOption(row)
          ? seenFrom(from, value, row.takes.refersTo)
          : inThisFolder(row, value as StoredValues, from),
      ]
    }),
  )
}

function seenFrom(from: string, value: unknown, refersTo: OptionKind['refersTo']): unknown {
  if (Array.isArray(value)) return value.map((each) => seenFrom(from, each, refersTo))
  if (refersTo === undefined || typeof value !== 'string') return value
  const path = resolve(from, value)
  switch (refersTo) {
    case 'file':
      return path
    case 'profile':
      return /[/\\]|\.ya?ml$/.test(value) ? path : value
    case 'network':
      return existsSync(path) ? path : value
    default:
      return unreachable(refersTo)
  }
}
