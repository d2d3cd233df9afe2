/**
 * Flags that only one engine understands: each is passed to its engine, and is a mistake when that
 * engine is not used.
 */
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Engine, EngineName } from '../../run/options.ts'
import type { LoadOptions } from './definitions.ts'

/** Flags by the option that they set. */
const FLAGS = {
  node: [],
  virtual: [['--network', 'network', 'network']],
  k6: [
    ['--k6-vus', 'k6Vus', 'vus'],
    ['--k6-out', 'k6Out', 'out'],
    ['--instances', 'instances', 'instances'],
  ],
} as const satisfies Record<EngineName, [flag: string, name: keyof LoadOptions, option: string][]>

type EngineFlags = Partial<
  Pick<LoadOptions, 'engine' | 'network' | 'k6Vus' | 'k6Out' | 'instances'>
>

/**
 * The engine that was named, or `fallback`, with its flags. Throws UserError with every flag of
 * another engine.
 */
export function engineOf(flags: EngineFlags, fallback: EngineName): Engine {
  const named = flags.engine ?? { kind: fallback }
  const mistakes = Object.entries(FLAGS).flatMap(([kind, own]): Mistake[] =>
    own.flatMap(([flag, name]) => {
      const value = flags[name]
      if (value === undefined || kind === named.kind) return []
      const problem = `only allowed with --engine ${kind}, not with ${named.kind}`
      return [{ source: flag, path: '', found: String(value), problem }]
    }),
  )
  if (mistakes.length > 0) throw new UserError(mistakes)
  const given = FLAGS[named.kind].flatMap(([, name, option]) =>
    flags[name] === undefined ? [] : [[option, flags[name]]],
  )
  return { ...named, ...Object.fromEntries(given) }
}
