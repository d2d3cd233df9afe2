/**
 * The provider of the language model: its quotas, which all executions share, let calls through or
 * not.
 */
import { z } from 'zod'
import { draw } from '../../../../src/base/distribution.ts'
import type { Random } from '../../../../src/base/random.ts'
import type { Micros } from '../../../../src/base/units.ts'
import { MICROS_PER_MINUTE, MICROS_PER_SECOND } from '../../../../src/base/units.ts'
import { count, distribution, oneOf, rate } from '../../schema/quantities.ts'

const when = oneOf(['wait', 'retry', 'fail'])
  .prefault('wait')
  .meta({
    description:
      'What a refused call does: wait (calls pass in the order of asking), retry, or fail with its ' +
      'task. Retries pause 1 s, 2 s, 4 s up to 30 s, randomly shortened by up to a half.',
  })

export const quota = z
  .strictObject({
    calls: rate.meta({ description: 'Calls that all executions together may make: 240/m.' }),
    refill: oneOf(['steady', 'window'])
      .prefault('steady')
      .meta({ description: 'Steadily, or all at once at the end of each time of the rate.' }),
    burst: count(1).prefault(1).meta({
      description: 'Calls that pass at once after a pause, for a steady refill.',
    }),
    perTask: count(1).prefault(1).meta({
      description: 'Calls of each task, spread evenly over its time.',
    }),
    when,
  })
  .meta({ description: 'Calls of a language model that all executions share.' })

export const tokens = z
  .strictObject({
    perMinute: count(1).meta({
      description: 'Tokens that all calls together may use; a minute of them is there at first.',
    }),
    perCall: distribution(count(0), 'a number of tokens').meta({
      description: 'Tokens of each call; a task makes as many as the quota says, else one.',
    }),
    when,
  })
  .meta({ description: 'Tokens of a language model that all executions share.' })

type QuotaProfile = z.output<typeof quota>
type TokensProfile = z.output<typeof tokens>

/** Times of the crew that no profile says, in wall time. */
export interface FixedTimes {
  /** Tokens of a language model are counted by the minute. */
  minuteMicros: Micros
  /** Pauses of calls that try again: the first, and the longest. */
  firstPauseMicros: Micros
  longestPauseMicros: Micros
}

export function fixedTimes(speed: number): FixedTimes {
  return {
    minuteMicros: MICROS_PER_MINUTE / speed,
    firstPauseMicros: MICROS_PER_SECOND / speed,
    longestPauseMicros: (30 * MICROS_PER_SECOND) / speed,
  }
}

type CallAnswer =
  | { kind: 'passes'; atMicros: Micros }
  | { kind: 'again'; afterMicros: Micros }
  | { kind: 'fails' }

interface ProviderLimit {
  allowance: Allowance
  when: z.output<typeof when>
  amountOf: (random: () => Random) => number
}

export class Provider {
  /** 0 without any quota. */
  readonly callsPerTask: number
  readonly #limits: readonly ProviderLimit[]
  readonly #fixed: FixedTimes

  /** Each quota is missing where there is none. */
  constructor(
    { quota: calls, tokens: used }: { quota?: QuotaProfile; tokens?: TokensProfile },
    fixed: FixedTimes,
  ) {
    this.#fixed = fixed
    // What refuses a call comes first: a refused call has not waited.
    this.#limits = [
      ...(calls === undefined ? [] : [limitOfCalls(calls)]),
      ...(used === undefined ? [] : [limitOfTokens(used, fixed.minuteMicros)]),
    ].toSorted((a, b) => Number(a.when === 'wait') - Number(b.when === 'wait'))
    this.callsPerTask = this.#limits.length === 0 ? 0 : (calls?.perTask ?? 1)
  }

  /**
   * `random`: that of this call alone, made only where it is needed. `refusals`: how often it was
   * refused before.
   */
  call(random: () => Random, refusals: number, nowMicros: Micros): CallAnswer {
    let atMicros = nowMicros
    for (const { allowance, when: then, amountOf } of this.#limits) {
      const amount = amountOf(random)
      if (then === 'wait') {
        atMicros = Math.max(atMicros, allowance.reserve(amount, nowMicros))
      } else if (!allowance.take(amount, nowMicros)) {
        return then === 'fail' ? { kind: 'fails' } : this.#again(random(), refusals)
      }
    }
    return { kind: 'passes', atMicros }
  }

  #again(random: Random, refusals: number): CallAnswer {
    const { firstPauseMicros, longestPauseMicros } = this.#fixed
    // Doubled after each refusal.
    const pause = Math.min(longestPauseMicros, firstPauseMicros * 2 ** Math.min(refusals, 30))
    const share = 1 - random.fork('pause', refusals).next() / 2
    return { kind: 'again', afterMicros: pause * share }
  }
}

function limitOfCalls({ calls, refill, burst, when: then }: QuotaProfile): ProviderLimit {
  const { count: amount, perMicros } = calls
  const allowance =
    refill === 'window'
      ? new WindowAllowance({ amount, perMicros })
      : new SteadyAllowance({ amount, perMicros, burst })
  return { allowance, when: then, amountOf: () => 1 }
}

function limitOfTokens(
  { perMinute, perCall, when: then }: TokensProfile,
  minuteMicros: Micros,
): ProviderLimit {
  return {
    allowance: new SteadyAllowance({
      amount: perMinute,
      perMicros: minuteMicros,
      burst: perMinute,
    }),
    when: then,
    amountOf: (random) => Math.max(0, Math.round(draw(perCall, random().fork('tokens')))),
  }
}

/**
 * What lets calls through: refilled steadily, or at each window of time. Calls ask in the order of
 * time.
 */
interface Allowance {
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
class SteadyAllowance implements Allowance {
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
class WindowAllowance implements Allowance {
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
