/** The options of `run()` as JavaScript gives them: a name that does not exist would be passed over in silence. */
import { UserError } from '../base/mistakes.ts'
import { unknownOptions } from '../base/unknown-options.ts'
import type { RunOptions } from './options.ts'

/** Every option; the compiler misses one that is left out. */
const NAMES: Record<keyof RunOptions, true> = {
  target: true,
  profile: true,
  dialect: true,
  engine: true,
  workers: true,
  network: true,
  k6Out: true,
  k6Vus: true,
  k6Instances: true,
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

/** Flags of the command line whose option is named otherwise. */
const BY_FLAG: Readonly<Record<string, string>> = {
  token: 'tokens',
  header: 'headers',
  ca: 'tls.ca',
  insecure: 'tls.insecure',
  maxKickoffs: 'budget.kickoffs',
  maxRequests: 'budget.requests',
  maxDuration: 'budget.wallMicros',
}

const BUDGET_NAMES = ['kickoffs', 'requests', 'wallMicros']

const OF_RUN = { source: 'run()', aliases: BY_FLAG }

/** Throws UserError with every name that is no option. An option that is undefined counts as not given. */
export function demandKnownOptions(options: RunOptions): void {
  const names = Object.keys(NAMES)
  const mistakes = [
    ...unknownOptions(options, { ...OF_RUN, names }),
    ...unknownOptions(options.budget ?? {}, { ...OF_RUN, names: BUDGET_NAMES, prefix: 'budget.' }),
  ]
  if (mistakes.length > 0) throw new UserError(mistakes)
}
