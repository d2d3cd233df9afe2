/** Whether the safe rate is safe: a steady client tries it, and may meet a second limit. */
import type { Random } from '../../../../base/random.ts'
import type { Weighed } from './belief.ts'
import type { Grouped } from './evidence/group.ts'
import type { Conclusion, Evidence, Experiment, InferenceOptions } from './interface.ts'
import { experiment } from './plan/experiment.ts'
import { watchPlan } from './plan/ramp.ts'
import { sustainPlan } from './plan/sustain.ts'
import { secondLimit } from './several.ts'
import { forgottenAfterMs } from './steady-client.ts'

/** A second limit is used up so often: from one return to the next refusal, all of it is. */
const CYCLES = 2

/** A larger limit is not used up once more. */
const MOST_AGAIN = 200

const UNEXPLAINED =
  'A steady client was refused below the limit that was found: a second limit of no known ' +
  'kind may apply, or another client uses the same one.'

interface Found {
  /** Settled, with a safe rate. */
  conclusion: Conclusion
  /** The explanation that it rests on. */
  known: Weighed
  /** Requests that were sent before the check. */
  before: number
}

export class SafeRateCheck {
  readonly #found: Found
  readonly #groups: (evidence: Evidence) => Grouped
  readonly #options: Required<InferenceOptions>
  readonly #random: Random
  #cycles = 0

  /** `groups`: what the conclusion rests on, of all evidence. */
  constructor(
    found: Found,
    groups: (evidence: Evidence) => Grouped,
    options: Required<InferenceOptions>,
    random: Random,
  ) {
    this.#found = found
    this.#groups = groups
    this.#options = options
    this.#random = random
  }

  /** Null where neither the requests nor the time that are left allow a check. */
  first(nowMs: number): Experiment | null {
    const { conclusion, before } = this.#found
    return this.#steady(nowMs + forgottenAfterMs(conclusion.finding), nowMs, before)
  }

  /** What follows the check so far: another experiment, or what is concluded from it. */
  next(evidence: Evidence, nowMs: number): Experiment | Conclusion {
    const { conclusion } = this.#found
    const kept = this.soFar(evidence)
    if (kept !== null) return kept
    const since = { ...conclusion, requests: evidence.length }
    const grouped = this.#groups(evidence)
    // What was sent before the refusal was heard of may have come after it.
    const isBack = grouped.groups.at(-1)!.refused === 0
    if (!isBack && evidence.length < this.#options.maxRequests) {
      const plan = watchPlan(grouped, nowMs)
      const isShort = plan.startMs - nowMs <= this.#options.maxPauseMs
      if (isShort) return experiment(plan, nowMs, 'Find when requests are let in again.')
    }
    const again = isBack && this.#cycles < CYCLES
    const step = again ? this.#steady(nowMs, nowMs, evidence.length) : null
    return step ?? this.#withSecond(since, grouped)
  }

  /** What was settled before, where no refusal speaks against it since; else null. */
  soFar(evidence: Evidence): Conclusion | null {
    const { conclusion, before } = this.#found
    const isRefused = evidence.slice(before).some(({ answer }) => answer === 'refused')
    return isRefused ? null : { ...conclusion, requests: evidence.length }
  }

  #steady(startMs: number, nowMs: number, requests: number): Experiment | null {
    const plan = sustainPlan(this.#found.conclusion.finding.safePerSecond!, startMs, {
      mostMs: this.#options.sustainMs,
      requestsLeft: this.#options.maxRequests - this.#keeps - requests,
    })
    if (plan === null) return null
    this.#cycles++
    return experiment(plan, nowMs, 'Check that the safe rate meets no second limit.')
  }

  /** To use the limit up once more afterwards, where it is not large. */
  get #keeps(): number {
    const { capacity, limit } = this.#found.conclusion.finding
    const uses = (capacity ?? limit)?.high ?? 0
    return this.#options.sustainKeeps + (uses <= MOST_AGAIN ? uses : 0)
  }

  #withSecond(since: Conclusion, grouped: Grouped): Conclusion {
    const second = secondLimit(this.#found.known, grouped, this.#random.fork('second'))
    if (second === 'none') return since
    if (second === null) return { ...since, outcome: 'cannot-tell', reasons: [UNEXPLAINED] }
    return { ...since, also: [{ finding: second, basis: 'measured' }] }
  }
}
