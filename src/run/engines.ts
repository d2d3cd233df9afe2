/** What was asked of the engine of a run, of which each understands its own options alone. */
import type { Mistake } from '../base/mistakes.ts'
import { UserError } from '../base/mistakes.ts'
import type { Option, OptionsOf } from '../base/options/table.ts'
import type { Engine, EngineName } from './options.ts'
import { ENGINE, OF_ENGINES } from './options.ts'

export type AskedEngine = OptionsOf<typeof ENGINE>

/** With the options that it understands. */
export function engineWith(kind: EngineName, asked: AskedEngine): Engine {
  const own = OF_ENGINES[kind].flatMap((name) =>
    asked[name] === undefined ? [] : [[name, asked[name]]],
  )
  return { kind, ...Object.fromEntries(own) } as Engine
}

/** A mistake for each flag of another engine; null is none at all. */
export function flagsOfOthers(kind: EngineName | null, asked: AskedEngine): Mistake[] {
  return Object.entries(OF_ENGINES).flatMap(([engine, names]) =>
    engine === kind ? [] : names.flatMap((name) => ofAnother(name, asked[name], engine, kind)),
  )
}

function ofAnother(
  name: keyof AskedEngine,
  found: AskedEngine[keyof AskedEngine],
  engine: string,
  kind: EngineName | null,
): Mistake[] {
  const { flag }: Option = ENGINE[name]
  if (found === undefined || flag === undefined) return []
  const source = flag.replace(/ .*/, '')
  const not = kind === null ? '' : `, not with ${kind}`
  const problem = `only allowed with --engine ${engine}${not}`
  return [{ source, path: '', found: String(found), problem }]
}

/** The engine that was named, or `fallback`. Throws UserError with every flag of another one. */
export function askedEngine(asked: AskedEngine, fallback: EngineName): Engine {
  const { kind = fallback } = asked
  const mistakes = flagsOfOthers(kind, asked)
  if (mistakes.length > 0) throw new UserError(mistakes)
  return engineWith(kind, asked)
}
