/** Options that one engine alone understands: said for another, they are a mistake, and never silently without effect. */
import type { Mistake } from '../base/mistakes.ts'
import { UserError } from '../base/mistakes.ts'
import type { Engine, RunOptions } from './options.ts'

const OWNERS = {
  workers: { engine: 'node', flag: '--workers' },
  network: { engine: 'virtual', flag: '--network' },
  k6Vus: { engine: 'k6', flag: '--k6-vus' },
  k6Out: { engine: 'k6', flag: '--k6-out' },
  k6Instances: { engine: 'k6', flag: '--instances' },
} as const satisfies Partial<Record<keyof RunOptions, { engine: Engine; flag: string }>>

type Owned = keyof typeof OWNERS

const OWNED = Object.keys(OWNERS) as Owned[]

/** Throws UserError with every option that none of these engines understands. */
export function demandFitting(options: RunOptions, engines: readonly Engine[]): void {
  const mistakes = OWNED.filter((name) => options[name] !== undefined).flatMap(
    (name): Mistake[] => {
      const { engine, flag } = OWNERS[name]
      if (engines.includes(engine)) return []
      const problem = `goes with --engine ${engine}, not with ${engines.join(' and ')}`
      return [{ source: flag, path: '', found: String(options[name]), problem }]
    },
  )
  if (options.faults !== undefined && (engines.includes('k6') || (options.workers ?? 1) > 1)) {
    const problem = 'go with the engines virtual and node, the latter without more workers'
    mistakes.push({ source: 'faults', path: '', problem })
  }
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** Of options that are for several engines, what this one understands. */
export function fitting(options: RunOptions, engine: Engine): RunOptions {
  const foreign = new Set<string>(OWNED.filter((name) => OWNERS[name].engine !== engine))
  return Object.fromEntries(Object.entries(options).filter(([name]) => !foreign.has(name)))
}
