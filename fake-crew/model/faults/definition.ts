/**
 * Defines what a kind of fault is. Its definition, in a file of `kinds` with those of its family,
 * says everything about it; `kinds/list.ts` names it.
 */
import { z } from 'zod'
import { OPERATIONS } from '../../../src/crew/answer.ts'
import type { Operation } from '../../../src/crew/answer.ts'
import { keyOf } from '../schema/kinds.ts'
import type { RestartLoses } from '../work/executions.ts'
import type { Effect } from './effect.ts'

/** The reach of a kind of fault: requests of these operations, or the connections themselves. */
export type FaultReach = readonly Operation[] | 'connections'

/**
 * A whole fault as a profile's author writes it: the kind with its parameters, and which requests
 * it strikes.
 */
export type FaultExample = Readonly<Record<string, unknown>>

/** Why a proxy cannot apply a fault as it is written. */
interface ProxyProblem {
  /** The parameter with which it can, as it is written; null if it never can. */
  condition: string | null
  /** For the author of the profile. */
  problem: string
}

/** `what` is the kind with its parameters, as `written` parses them. */
export interface FaultDefinition<Kind extends string, Written extends z.ZodType<object>> {
  /** The key of the kind in a profile, which is its name everywhere else too. */
  readonly kind: Kind
  /** One sentence, for editors and for the docs. */
  readonly description: string
  readonly reach: FaultReach
  /**
   * While the fault is on, nobody can reach the control to clear it, so it must end by itself.
   * Default: false.
   */
  readonly mustEnd?: boolean
  /** The parameters as a profile's author writes them; the fault's type is inferred from it. */
  readonly written: Written
  /** The parameters in wall time, where they have times of the crew. Default: the same. */
  atSpeed?(what: z.output<Written>, speed: number): z.output<Written>
  /**
   * What the fault does to a request; null if it strikes connections. Each call creates an effect
   * with its own state.
   */
  effect(what: z.output<Written>): Effect | null
  /**
   * For a kind that restarts the crew whenever it turns on; it is then on for no time unless the
   * profile gives a duration. Returns what each restart loses. Default: no restart.
   */
  restarts?(what: z.output<Written>): RestartLoses
  /** Why the proxy cannot apply it in front of a real target; null if it can. Default: it can. */
  proxyProblem?(what: z.output<Written>): ProxyProblem | null
  /** Why a script cannot have it for one execution. Default: it can, unless of connections. */
  readonly scriptProblem?: string
  /**
   * The faults of this kind in the profile `chaos`, which is generated; the first is also shown in
   * the docs.
   */
  readonly examples: readonly [FaultExample, ...FaultExample[]]
}

export function defineFault<const Kind extends string, Written extends z.ZodType<object>>(
  definition: FaultDefinition<Kind, Written>,
): FaultDefinition<Kind, Written> & { key: ReturnType<typeof keyOf<Kind, Written>> } {
  return { ...definition, key: keyOf(definition) }
}

export const EVERY_OPERATION: FaultReach = OPERATIONS
export const KICKOFFS: FaultReach = ['kickoff']
export const POLLS: FaultReach = ['status']

/** Examples leave GET /inputs alone, so that a run can begin. */
export const AFTER_INPUTS = ['kickoff', 'status'] as const

/** The obstacle of kinds that change or read the fake crew's own executions. */
export const needsExecutions = (): ProxyProblem => ({
  condition: null,
  problem: 'not available in proxy mode: it changes executions that only a fake crew has',
})

export function needsCondition(condition: string, why: string): ProxyProblem {
  return { condition, problem: `expected ${condition}; ${why}` }
}

/** What may be written into a header field. */
export const printable = /^[\t\x20-\x7e]*$/

/** The parameters of a kind that has none. */
export const noParameters = z.strictObject(
  {},
  { error: 'expected {}: this kind has no parameters' },
)
