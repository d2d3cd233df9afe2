/**
 * Flags that only one engine understands: each is passed to its engine, and is a mistake when that
 * engine is not used.
 */
import { assert } from '../../base/assert.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import type { EngineChoice } from '../../run/engines.ts'
import { parseEngines } from '../../run/engines.ts'
import type { Engine, EngineName } from '../../run/options.ts'
import type { LoadOptions } from './definitions.ts'

/** Flags by the option that they set. */
const FLAGS = {
  node: [['--workers', 'workers', 'workers']],
  virtual: [['--network', 'network', 'network']],
  k6: [
    ['--k6-vus', 'k6Vus', 'vus'],
    ['--k6-out', 'k6Out', 'out'],
    ['--instances', 'instances', 'instances'],
  ],
} as const satisfies Record<EngineName, [flag: string, name: keyof LoadOptions, option: string][]>

type EngineFlags = Pick<
  LoadOptions,
  'engine' | 'workers' | 'network' | 'k6Vus' | 'k6Out' | 'instances'
>

/**
 * The engines that were named, each with its flags; `node:2` takes precedence over a flag. Throws
 * UserError with every flag of another engine.
 */
export function enginesOf(flags: EngineFlags): [EngineChoice, ...EngineChoice[]] {
  const kinds = [...new Set(flags.engine.map(({ engine }) => engine.kind))]
  const mistakes = Object.entries(FLAGS).flatMap(([kind, own]): Mistake[] =>
    own.flatMap(([flag, name]) => {
      const value = flags[name]
      if (value === undefined || kinds.includes(kind as EngineName)) return []
      const problem = `only allowed with --engine ${kind}, not with ${kinds.join(' and ')}`
      return [{ source: flag, path: '', found: String(value), problem }]
    }),
  )
  if (mistakes.length > 0) throw new UserError(mistakes)
  const [first, ...others] = flags.engine.map((choice) => withFlags(choice, flags))
  assert(first !== undefined, 'no engine given')
  return [first, ...others]
}

/**
 * The engine of a command that names one, or none, which means `fallback`. Throws as `enginesOf`.
 */
export function engineOfFlags(flags: Partial<EngineFlags>, fallback: EngineName): Engine {
  const [choice, ...others] = enginesOf({
    ...flags,
    engine: flags.engine ?? parseEngines(fallback),
  })
  if (others.length === 0) return choice.engine
  const found = flags.engine?.map(({ name }) => name).join(',') ?? ''
  const problem = 'expected one engine: both sides are run by the same one'
  throw new UserError({ source: '--engine', path: '', found, problem })
}

function withFlags(choice: EngineChoice, flags: EngineFlags): EngineChoice {
  const given = FLAGS[choice.engine.kind].flatMap(([, name, option]) =>
    flags[name] === undefined ? [] : [[option, flags[name]]],
  )
  return { ...choice, engine: { ...Object.fromEntries(given), ...choice.engine } }
}
