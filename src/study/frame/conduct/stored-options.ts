/** The options of a study as its folder keeps them, valid from any working folder. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { cwd } from 'node:process'
import { unreachable } from '../../../base/assert.ts'
import { UserError } from '../../../base/mistakes.ts'
import type { OptionKind } from '../../../base/options/kinds.ts'
import type { OptionTable } from '../../../base/options/table.ts'
import { areKept, isOption, keptOf } from '../../../base/options/table.ts'
import { referenceOf } from '../../../run/plan/recipe.ts'
import type { StudyRecipe } from './recipe.ts'

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

/** Throws UserError for options that the table does not allow. */
export function optionsAgain(
  { options, from }: StudyRecipe['asked'],
  table: OptionTable,
  folder: string,
): StoredValues {
  if (!areKept(table, options)) {
    const problem = 'does not say which options the study had: it cannot be resumed'
    throw new UserError({ source: folder, path: '', problem })
  }
  return from === cwd() ? options : inThisFolder(table, options, from)
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
