/**
 * The plan: the load to put on the target, checked, with every default filled in and every time
 * divided by the speed.
 */
import type { InputSource } from './inputs.ts'
import type { ArrivalPlan, PlanDocument } from './plan.schema.ts'

/** As `PlanDocument`, with what only the process that makes it can know. */
export interface Plan extends Omit<PlanDocument, 'arrivals' | 'http' | 'inputs' | 'checks'> {
  arrivals: ArrivalPlan
  http: HttpPlan
  inputs: InputSource
  checks: readonly Check[]
}

/** A plan, or what a journal holds of it. */
export type PlanAsRead = Plan | PlanDocument

export type ValidityPlan = PlanDocument['validity']
export type CircuitPolicy = NonNullable<PlanDocument['circuit']>
export type WebhooksPlan = NonNullable<PlanDocument['webhooks']>
export type PricesPlan = NonNullable<PlanDocument['prices']>
export type ModelPrices = NonNullable<PricesPlan['every']>
export type BudgetPlan = PlanDocument['budget']
export type RetryPolicy = PlanDocument['retry']
export type RetryBudgetPolicy = RetryPolicy['budget']
export type Threshold = PlanDocument['thresholds'][number]

export interface HttpPlan extends Omit<PlanDocument['http'], 'headers'> {
  /** Extra request headers with lower-case names. */
  headers: Readonly<Record<string, string>>
}

export type { ArrivalPlan }

export type RateSegment = Extract<ArrivalPlan, { kind: 'open' }>['segments'][number]

export interface Check {
  name: string
  /** Called once for a completed execution. The user's code may throw. */
  passes(completed: CompletedExecution): boolean
}

export interface CompletedExecution {
  index: number
  inputs: Readonly<Record<string, unknown>>
  output: string
  tasks: readonly {
    taskId: string
    output: string
    agent: string
    executionTimeSeconds: number | null
  }[]
  executionTimeSeconds: number | null
}
