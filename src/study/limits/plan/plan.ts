/** The options of a study of limits, checked, with every default filled in. Nothing is sent. */
import type { Mistake } from '../../../base/mistakes.ts'
import { UserError } from '../../../base/mistakes.ts'
import { onePlace, placeFacts } from '../../../run/target/chosen-place.ts'
import { wayFacts } from '../../../run/target/ways.ts'
import type { LimitedOperation, LimitsPlan } from '../document.ts'
import type { LimitsOptions } from '../options.ts'
import { DEFAULT_SUSTAIN_MS, EACH_REQUESTS, stepsOf } from './steps.ts'

/** Fewer settle nothing: a ramp to three refusals alone takes about as many. */
const FEWEST_REQUESTS = 20
const DEFAULT_IN_FLIGHT = 10
const DEFAULT_DURATION_MS = 1_800_000
const VIRTUAL_TOKENS = 2

/** Throws UserError with every mistake. */
export function planLimits(options: LimitsOptions): LimitsPlan {
  if (options.from !== undefined) return planRecorded(options.from, options)
  const { run } = options
  const place = onePlace(run)
  const engine = run.engine?.kind ?? (place.kind === 'profile' ? 'virtual' : 'node')
  const operations = operationsOf(options)
  const mistakes: Mistake[] = [
    ...budgetMistakes(options),
    ...kickoffMistakes(options, operations, place.kind === 'profile'),
  ]
  if (mistakes.length > 0) throw new UserError(mistakes)
  const startsOne = operations.includes('status') && options.kickoffId === undefined
  // Kickoffs have a budget of their own.
  const polled = operations.filter((operation) => operation !== 'kickoff')
  const budget = {
    requests: options.maxRequests ?? EACH_REQUESTS * Math.max(1, polled.length),
    kickoffs: options.maxKickoffs ?? (startsOne ? 1 : 0),
  }
  const { sustainMs = DEFAULT_SUSTAIN_MS } = options
  return {
    ...placeFacts({ ...run, engine }),
    ...wayFacts(options),
    engine,
    from: [],
    operations: [...operations],
    inFlight: options.inFlight ?? DEFAULT_IN_FLIGHT,
    budget,
    maxDurationMs: options.maxDurationMs ?? (engine === 'virtual' ? null : DEFAULT_DURATION_MS),
    steps: stepsOf({
      operations,
      budget,
      tokens: tokensOf(run, engine),
      startsOne,
      sustainMs,
    }),
  }
}

/** A fake crew has tokens of its own; in virtual time it has two. */
function tokensOf(
  { target, tokens = [] }: LimitsOptions['run'],
  engine: LimitsPlan['engine'],
): number {
  if (engine === 'virtual') return VIRTUAL_TOKENS
  return target === undefined ? 1 : Math.max(1, tokens.length)
}

/** Runs record kickoffs and polls; nothing else of the options applies to them. */
function planRecorded(from: readonly string[], options: LimitsOptions): LimitsPlan {
  const { operations, kickoffId, maxKickoffs, maxRequests, maxDurationMs, run } = options
  const place = { target: run.target, profile: run.profile, engine: run.engine?.kind }
  const given = { ...place, operations, kickoffId, maxKickoffs, maxRequests, maxDurationMs }
  const mistakes = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name]): Mistake => {
      const problem = 'does not apply with --from, which sends nothing'
      return { source: FLAGS[name as keyof typeof given], path: '', problem }
    })
  if (mistakes.length > 0) throw new UserError(mistakes)
  return {
    target: 'recorded runs',
    profile: null,
    engine: 'node',
    from: [...from],
    operations: ['status', 'kickoff'],
    inFlight: options.inFlight ?? DEFAULT_IN_FLIGHT,
    budget: { requests: 0, kickoffs: 0 },
    maxDurationMs: null,
    steps: [],
  }
}

const FLAGS = {
  target: '--target',
  profile: '--profile',
  engine: '--engine',
  operations: '--operations',
  kickoffId: '--kickoff-id',
  maxKickoffs: '--kickoffs',
  maxRequests: '--max-requests',
  maxDurationMs: '--max-duration',
} as const

function operationsOf({ operations, maxKickoffs }: LimitsOptions): readonly LimitedOperation[] {
  if (operations !== undefined) return [...new Set(operations)]
  return maxKickoffs === undefined || maxKickoffs < 2
    ? ['status', 'inputs']
    : ['status', 'inputs', 'kickoff']
}

function budgetMistakes({ maxRequests }: LimitsOptions): Mistake[] {
  if (maxRequests === undefined || maxRequests >= FEWEST_REQUESTS) return []
  const problem = `expected at least ${FEWEST_REQUESTS}: fewer requests settle nothing`
  return [{ source: '--max-requests', path: '', found: String(maxRequests), problem }]
}

/** A kickoff may cost money: none is sent unasked. */
function kickoffMistakes(
  { maxKickoffs, kickoffId, inputs }: LimitsOptions,
  operations: readonly LimitedOperation[],
  isFake: boolean,
): Mistake[] {
  const mistakes: Mistake[] = []
  const add = (source: string, problem: string): void => {
    mistakes.push({ source, path: '', problem })
  }
  const startsOne = operations.includes('status') && kickoffId === undefined
  if (operations.includes('kickoff') && maxKickoffs === undefined) {
    add('--kickoffs', 'kickoffs are never sent without a budget: --kickoffs N')
  } else if (startsOne && maxKickoffs === undefined && !isFake) {
    add('--kickoffs', 'status needs an execution: --kickoff-id ID, or --kickoffs 1 to start one')
  }
  if (kickoffId !== undefined && !operations.includes('status')) {
    add('--kickoff-id', 'applies to status, which is not among the operations')
  }
  if (inputs !== undefined && !startsOne && !operations.includes('kickoff')) {
    add('--inputs', 'no kickoff is sent that needs them')
  }
  return mistakes
}
