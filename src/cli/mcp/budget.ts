/** The kickoffs that a person allowed when starting the server: all tools together spend them. */
import { z } from 'zod'
import { plural } from '../../base/numbers.ts'
import type { BudgetLeft } from '../../engine/spending.ts'
import { Refused } from './refused.ts'

export const budgetState = z.object({
  limit: z.int().nullable().describe('Kickoffs that may cost money; null: none was allowed'),
  spent: z.int().describe('Sent since the server was started, retries included'),
  reserved: z.int().describe('For runs in progress, and not yet sent'),
  left: z.int(),
  costPerKickoff: z.number().nullable(),
})
type BudgetState = z.infer<typeof budgetState>

/** A part of the budget, for one run: it can spend no more. */
export interface Reservation extends BudgetLeft {
  /** Gives back what was not spent. */
  release(): void
}

export class SharedBudget {
  readonly #limit: number | null
  readonly #costPerKickoff: number | null
  #spent = 0
  #reserved = 0

  constructor(limit: number | null, costPerKickoff: number | null) {
    this.#limit = limit
    this.#costPerKickoff = costPerKickoff
  }

  get state(): BudgetState {
    const [limit, spent, reserved] = [this.#limit, this.#spent, this.#reserved]
    const left = (limit ?? 0) - spent - reserved
    return { limit, spent, reserved, left, costPerKickoff: this.#costPerKickoff }
  }

  /** Throws Refused unless so many kickoffs are left. */
  reserve(kickoffs: number): Reservation {
    this.#demand(kickoffs)
    this.#reserved += kickoffs
    let left = kickoffs
    return {
      spend: (kind) => {
        if (kind === 'request') return true
        if (left === 0) return false
        left--
        this.#reserved--
        this.#spent++
        return true
      },
      release: () => {
        this.#reserved -= left
        left = 0
      },
    }
  }

  #demand(kickoffs: number): void {
    const { limit, left, reserved } = this.state
    if (kickoffs <= left) return
    const wanted = `it may cost money, and needs ${plural(kickoffs, 'kickoff')}`
    if (limit === null) {
      const remedy = 'a person sets one by starting the server with --max-kickoffs or --max-cost'
      throw new Refused('budget', 'budget', `${wanted}, but this server has no budget: ${remedy}`)
    }
    const others = reserved === 0 ? '' : `, and runs in progress hold ${reserved}`
    const problem = `${wanted}: of ${limit}, ${left} are left${others}`
    throw new Refused('budget', 'budget', `${problem}; maxKickoffs makes a run smaller`)
  }
}
