/**
 * What a kind of fault is. A file in `kinds` says all of this about one kind; the list in
 * `kinds.ts` names the file.
 */
import { z } from 'zod'
import { OPERATIONS } from '../../../src/crew/answer.ts'
import type { Operation } from '../../../src/crew/answer.ts'
import type { Effect } from './effect.ts'

/** What a kind can strike: requests of these operations, or the connections themselves. */
export type FaultReach = readonly Operation[] | 'connections'

/** All that it knew; what had not ended (waiting or running); or nothing. */
export const LOSSES = ['all', 'running', 'none'] as const

/** What a restart of the crew loses of its executions. */
export type RestartLoses = (typeof LOSSES)[number]

/**
 * A whole fault as a profile's author writes it: the kind with its parameters, and which requests
 * it strikes.
 */
export type FaultExample = Readonly<Record<string, unknown>>

export interface FaultDefinition<
  Complete extends z.ZodType<{ kind: string }> & z.core.$ZodTypeDiscriminable,
> {
  /** Its key in a profile, and its name everywhere else. */
  readonly kind: z.output<Complete>['kind']
  /** One sentence, for editors and for the docs. */
  readonly description: string
  readonly reach: FaultReach
  /**
   * While it is on nobody can reach the control and clear it, so that it has to end by itself.
   * Default: false.
   */
  readonly mustEnd?: boolean
  /** The parameters as a profile's author writes them, read into those of the complete form. */
  readonly written: z.ZodType<Omit<z.output<Complete>, 'kind'>>
  /**
   * The same in the complete form of a profile, with its kind; the type of the fault is inferred
   * from it.
   */
  readonly complete: Complete
  /**
   * What it does to a request; null where it strikes connections. Each call makes an effect with a
   * memory of its own.
   */
  effect(what: z.output<Complete>): Effect | null
  /**
   * Of a kind that restarts the crew at the beginning of each of its times, which then last no
   * time unless the profile says for how long: what each restart loses. Default: it restarts
   * nothing.
   */
  restarts?(what: z.output<Complete>): RestartLoses
  /**
   * Why it cannot stand in front of a target that is not modelled, by the proxy; null where it can.
   */
  proxyProblem(what: z.output<Complete>): string | null
  /**
   * The faults of this kind in the profile `chaos`, which is generated; the first stands in the
   * docs.
   */
  readonly examples: readonly [FaultExample, ...FaultExample[]]
}

export function defineFault<
  Complete extends z.ZodType<{ kind: string }> & z.core.$ZodTypeDiscriminable,
>(definition: FaultDefinition<Complete>): FaultDefinition<Complete> {
  return definition
}

export const EVERY_OPERATION: FaultReach = OPERATIONS
export const KICKOFFS: FaultReach = ['kickoff']
export const POLLS: FaultReach = ['status']

/** Examples spare GET /inputs, so that a run can begin. */
export const AFTER_INPUTS = ['kickoff', 'status'] as const

export const fitsProxy = (): null => null

/** Of a kind that changes or reads the fake crew's own executions. */
export const needsExecutions = (): string =>
  "needs executions of the fake crew's own, which a proxy has not"

/** The parameters of a kind that has none. */
export const noParameters = z.strictObject(
  {},
  { error: 'expected {}: this kind has no parameters' },
)
