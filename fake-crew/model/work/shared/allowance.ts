/** What a provider lets through: an allowance that refills steadily, or at each window of time. */
import type { Micros } from '../../../../src/base/units.ts'

/** Calls ask in the order of time. */
export interface Allowance {
  /** Takes `amount` and returns when the caller has it; callers get it in the order of asking. */
  reserve(amount: number, nowMicros: Micros): Micros
  /** Takes `amount` if it is there, and says whether it was. */
  take(amount: number, nowMicros: Micros): boolean
}

interface AllowanceRefill {
  /** What is added in `perMicros`. */
  amount: number
  perMicros: Micros
  /** The most that can be there at once. */
  burst: number
}

/** A bucket that is full at first and refills steadily; reservations may take it below zero. */
export class SteadyAllowance implements Allowance {
  readonly #burst: number
  readonly #perMicro: number
  #level: number
  #atMicros: Micros = 0

  constructor({ amount, perMicros, burst }: AllowanceRefill) {
    this.#burst = burst
    this.#level = burst
    this.#perMicro = amount / perMicros
  }

  reserve(amount: number, nowMicros: Micros): Micros {
    this.#level = this.#levelAt(nowMicros) - amount
    return this.#level >= 0 ? nowMicros : nowMicros - this.#level / this.#perMicro
  }

  /** An amount above the burst needs a full bucket, or it would never be there. */
  take(amount: number, nowMicros: Micros): boolean {
    const level = this.#levelAt(nowMicros)
    const isThere = level + ROUNDING >= Math.min(amount, this.#burst)
    this.#level = isThere ? level - amount : level
    return isThere
  }

  #levelAt(nowMicros: Micros): number {
    const refilled = Math.max(0, nowMicros - this.#atMicros) * this.#perMicro
    this.#atMicros = Math.max(this.#atMicros, nowMicros)
    return Math.min(this.#burst, this.#level + refilled)
  }
}

/** A refill that is complete but for the rounding of its sums counts as complete. */
const ROUNDING = 1e-9

/** A fixed amount in each window of time, from time zero on; nothing carries over. */
export class WindowAllowance implements Allowance {
  readonly #amount: number
  readonly #windowMicros: Micros
  #window = 0
  #left: number

  constructor({ amount, perMicros }: Omit<AllowanceRefill, 'burst'>) {
    this.#amount = amount
    this.#left = amount
    this.#windowMicros = perMicros
  }

  reserve(amount: number, nowMicros: Micros): Micros {
    this.#reach(nowMicros)
    const missing = Math.max(0, amount - this.#left)
    const windows = Math.ceil(missing / this.#amount)
    this.#window += windows
    this.#left += windows * this.#amount - amount
    return Math.max(nowMicros, this.#window * this.#windowMicros)
  }

  take(amount: number, nowMicros: Micros): boolean {
    this.#reach(nowMicros)
    if (this.#left < Math.min(amount, this.#amount)) return false
    this.#left -= amount
    return true
  }

  #reach(nowMicros: Micros): void {
    const window = Math.floor(nowMicros / this.#windowMicros)
    if (window <= this.#window) return
    this.#window = window
    this.#left = this.#amount
  }
}
