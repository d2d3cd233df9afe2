/**
 * Checks the names of the options of `run()`: from JavaScript, an unknown name would be ignored
 * silently.
 */
import type { Mistake } from '../base/mistakes.ts'
import { nearestName, UserError } from '../base/mistakes.ts'
import { unknownOptions } from '../base/unknown-options.ts'
import type { Engine, RunOptions } from './options.ts'

/** Every option; the compiler reports one that is missing here. */
const NAMES: Record<keyof RunOptions, true> = {
  target: true,
  profile: true,
  dialect: true,
  engine: true,
  tokens: true,
  faults: true,
  seed: true,
  speed: true,
  set: true,
  headers: true,
  tls: true,
  budget: true,
  costPerKickoff: true,
  maxCost: true,
  judge: true,
  inconclusive: true,
  prometheus: true,
  otlp: true,
  otlpTraces: true,
  out: true,
  env: true,
  signal: true,
  confirm: true,
  onNote: true,
  onTrouble: true,
  onStart: true,
  onProgress: true,
  command: true,
}

/** Flags of the command line whose option has another name. */
const BY_FLAG: Readonly<Record<string, string>> = {
  token: 'tokens',
  header: 'headers',
  ca: 'tls.ca',
  insecure: 'tls.insecure',
  maxKickoffs: 'budget.kickoffs',
  maxRequests: 'budget.requests',
  maxDuration: 'budget.wallMicros',
  network: 'engine.network',
  k6Vus: 'engine.vus',
  k6Instances: 'engine.instances',
  k6Out: 'engine.out',
}

/** Every option of each engine. */
const OF_ENGINES: {
  [Kind in Engine['kind']]: Record<keyof Extract<Engine, { kind: Kind }>, true>
} = {
  node: { kind: true },
  virtual: { kind: true, network: true },
  k6: { kind: true, vus: true, instances: true, out: true, binary: true },
}

const BUDGET_NAMES = ['kickoffs', 'requests', 'wallMicros']

const OF_RUN = { source: 'run()', aliases: BY_FLAG }

/**
 * Throws UserError with every name that is not an option. An option with the value undefined counts
 * as not given.
 */
export function demandKnownOptions(options: RunOptions): void {
  const names = Object.keys(NAMES)
  const mistakes = [
    ...unknownOptions(options, { ...OF_RUN, names }),
    ...unknownOptions(options.budget ?? {}, { ...OF_RUN, names: BUDGET_NAMES, prefix: 'budget.' }),
    ...engineMistakes(options.engine ?? 'node'),
  ]
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** The mistakes of an engine that does not exist, and of options that belong to another engine. */
function engineMistakes(engine: NonNullable<RunOptions['engine']>): Mistake[] {
  const own: Readonly<Record<string, unknown>> =
    typeof engine === 'string' ? { kind: engine } : { ...engine }
  const kind = String(own['kind'])
  const known = Object.entries(OF_ENGINES).find(([name]) => name === kind)?.[1]
  if (known !== undefined) {
    return unknownOptions(own, { ...OF_RUN, names: Object.keys(known), prefix: 'engine.' })
  }
  const kinds = Object.keys(OF_ENGINES)
  const nearest = nearestName(kind, kinds)
  const problem = `expected one of ${kinds.join(', ')}`
  const mistake: Mistake = { source: OF_RUN.source, path: 'engine', found: kind, problem }
  return [nearest === undefined ? mistake : { ...mistake, nearest }]
}
