/** The tokens that executions use: drawn for each task, reported to clients as usage_metrics. */
import { z } from 'zod'
import { draw } from '../../../../src/base/distribution.ts'
import type { Random } from '../../../../src/base/random.ts'
import { count, distribution, oneOf, share, text } from '../../schema/quantities.ts'

const tokenCount = distribution(count(0), 'a number of tokens')

export const taskTokens = z
  .strictObject({
    input: tokenCount.meta({ description: 'Tokens that its calls send to a model.' }),
    output: tokenCount.meta({ description: 'Tokens that a model answers.' }),
    cached: share.prefault(0).meta({ description: 'The part of the input that was cached.' }),
  })
  .meta({
    description:
      'Tokens that the task uses, which answers report as usage_metrics. A task that fails has ' +
      'used its input.',
  })

export const usage = z
  .strictObject({
    model: text('the name of a model')
      .exactOptional()
      .meta({ description: 'The model that is reported beside the tokens. Default: none.' }),
    chance: share.prefault(1).meta({
      description: 'Probability that an execution reports what it used.',
    }),
    shows: oneOf(['completed', 'ended', 'always'])
      .prefault('completed')
      .meta({
        description:
          'Which answers report it: about completed executions, also about failed ones, or all, ' +
          'with what was used so far.',
      }),
  })
  .meta({ description: 'How answers report the tokens of the tasks.' })

/** As `usage_metrics` has it: counts, and perhaps the name of the model. */
export type UsageMetrics = Readonly<Record<string, number | string>>

interface MeteredProfile {
  tasks: readonly { tokens?: z.output<typeof taskTokens> }[]
  usage?: z.output<typeof usage>
}

/** How far an execution is. */
interface WorkDone {
  phase: string
  completedTasks: number
}

export class UsageMeter {
  readonly #profile: MeteredProfile
  readonly #ofExecution: (ordinal: number) => Random
  readonly #isMetered: boolean

  constructor(profile: MeteredProfile, ofExecution: (ordinal: number) => Random) {
    this.#profile = profile
    this.#ofExecution = ofExecution
    this.#isMetered = profile.tasks.some(({ tokens }) => tokens !== undefined)
  }

  /** What it has used by now, reported or not; undefined if no task of the profile says tokens. */
  used(ordinal: number, { phase, completedTasks }: WorkDone): UsageMetrics | undefined {
    if (!this.#isMetered) return undefined
    const sum = { input: 0, output: 0, cached: 0 }
    const begun = phase === 'failed' ? completedTasks + 1 : completedTasks
    for (const [task, { tokens }] of this.#profile.tasks.slice(0, begun).entries()) {
      if (tokens === undefined) continue
      const random = this.#ofExecution(ordinal).fork('tokens', task)
      const input = whole(draw(tokens.input, random))
      sum.input += input
      sum.cached += Math.round(input * tokens.cached)
      if (task < completedTasks) sum.output += whole(draw(tokens.output, random))
    }
    const { model } = this.#profile.usage ?? {}
    return {
      total_tokens: sum.input + sum.output,
      prompt_tokens: sum.input,
      cached_prompt_tokens: sum.cached,
      completion_tokens: sum.output,
      ...(model === undefined ? {} : { model }),
    }
  }

  /** What an answer about it reports; undefined for nothing. */
  reported(ordinal: number, reach: WorkDone): UsageMetrics | undefined {
    const { shows = 'completed', chance = 1 } = this.#profile.usage ?? {}
    const isShown =
      shows === 'always' ||
      reach.phase === 'completed' ||
      (shows === 'ended' && reach.phase === 'failed')
    if (!this.#isMetered || !isShown) return undefined
    if (this.#ofExecution(ordinal).fork('usage', 0).next() >= chance) return undefined
    return this.used(ordinal, reach)
  }
}

function whole(tokens: number): number {
  return Math.max(0, Math.round(tokens))
}
