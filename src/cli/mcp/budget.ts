/** The kickoffs that a person allowed when starting the server: all tools together spend them. */
import { z } from 'zod'
import { plural } from '../../base/numbers.ts'
import { SendingBudget } from '../../engine/sending-budget.ts'
import { Refused } from './refused.ts'

export const budgetState = z.object({
  limit: z.int().nullable().describe('Kickoffs that may cost money; null: none was allowed'),
  spent: z.int().describe('Sent since the server was started, retries included'),
  reserved: z.int().describe('For runs in progress, and not yet sent'),
  left: z.int(),
  costPerKickoff: z.number().nullable(),
})
type BudgetState = z.infer<typeof budgetState>

export class SharedBudget {
  readonly #limit: number | null
  readonly #costPerKickoff: number | null
  readonly #budget: SendingBudget

  constructor(limit: number | null, costPerKickoff: number | null) {
    this.#limit = limit
    this.#costPerKickoff = costPerKickoff
    this.#budget = new SendingBudget({ kickoffs: limit ?? 0, requests: null })
  }

  get state(): BudgetState {
    const { spent, reservedByParts: reserved, left } = this.#budget
    return {
      limit: this.#limit,
      spent: spent.kickoffs,
      reserved: reserved.kickoffs,
      left: left.kickoffs!,
      costPerKickoff: this.#costPerKickoff,
    }
  }

  /** For one run, which can spend no more. Throws Refused unless so many kickoffs are left. */
  reserve(kickoffs: number): SendingBudget {
    const part = new SendingBudget({ kickoffs, requests: null }, { whole: this.#budget })
    if (!part.reserve({ kickoffs, requests: 0 })) throw this.#refusal(kickoffs)
    return part
  }

  #refusal(kickoffs: number): Refused {
    const { limit, left, reserved } = this.state
    const wanted = `it may cost money, and needs ${plural(kickoffs, 'kickoff')}`
    if (limit === null) {
      const remedy = 'a person sets one by starting the server with --max-kickoffs or --max-cost'
      return new Refused('budget', 'budget', `${wanted}, but this server has no budget: ${remedy}`)
    }
    const others = reserved === 0 ? '' : `, and runs in progress hold ${reserved}`
    const problem = `${wanted}: of ${limit}, ${left} are left${others}`
    return new Refused('budget', 'budget', `${problem}; maxKickoffs makes a run smaller`)
  }
}
