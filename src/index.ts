/**
 * The entry `crewload`: what a scenario file imports. Types and two functions that return their
 * argument, so that any engine can bundle it.
 */

export { defineMix, defineScenario } from './scenario/define.ts'
export type * from './scenario/define.ts'
export type * from './scenario/inputs.ts'
export type * from './scenario/options.ts'
export type { Jitter } from './scenario/backoff.ts'
export type { CompletedExecution } from './scenario/plan.ts'
export type { Random } from './base/random.ts'
export type { Duration } from './base/units.ts'
