/** The provider of the language model: lets calls through as its quotas allow. */
import type { Random } from '../../../../src/base/random.ts'
import type { Micros } from '../../../../src/base/units.ts'
import type { Allowance } from './allowance.ts'
import type { WallProfile } from '../../wall-profile.ts'
import type { QuotaProfile, WhenRefused } from './quota.ts'
import { quotaAllowance } from './quota.ts'
import type { TokensProfile } from './tokens.ts'
import { drawTokens, tokensAllowance } from './tokens.ts'

/** Each is missing where there is none. */
interface Quotas {
  quota?: QuotaProfile
  tokens?: TokensProfile
}

type CallAnswer =
  | { kind: 'passes'; atMicros: Micros }
  | { kind: 'again'; afterMicros: Micros }
  | { kind: 'fails' }

interface ProviderLimit {
  allowance: Allowance
  when: WhenRefused
  amountOf: (random: () => Random) => number
}

export class Provider {
  /** 0 without any quota. */
  readonly callsPerTask: number
  readonly #limits: readonly ProviderLimit[]
  readonly #fixed: WallProfile['fixed']

  constructor({ quota, tokens }: Quotas, fixed: WallProfile['fixed']) {
    this.#fixed = fixed
    // What refuses a call comes first: a refused call has not waited.
    this.#limits = [
      ...(quota === undefined
        ? []
        : [{ allowance: quotaAllowance(quota), when: quota.when, amountOf: () => 1 }]),
      ...(tokens === undefined
        ? []
        : [
            {
              allowance: tokensAllowance(tokens, fixed.minuteMicros),
              when: tokens.when,
              amountOf: (random: () => Random) => drawTokens(tokens, random().fork('tokens')),
            },
          ]),
    ].toSorted((a, b) => Number(a.when === 'wait') - Number(b.when === 'wait'))
    this.callsPerTask = this.#limits.length === 0 ? 0 : (quota?.perTask ?? 1)
  }

  /**
   * `random`: that of this call alone, made only where it is needed. `refusals`: how often it was
   * refused before.
   */
  call(random: () => Random, refusals: number, nowMicros: Micros): CallAnswer {
    let atMicros = nowMicros
    for (const { allowance, when, amountOf } of this.#limits) {
      const amount = amountOf(random)
      if (when === 'wait') {
        atMicros = Math.max(atMicros, allowance.reserve(amount, nowMicros))
      } else if (!allowance.take(amount, nowMicros)) {
        return when === 'fail' ? { kind: 'fails' } : this.#again(random(), refusals)
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
