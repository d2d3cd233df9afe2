/** The profile of a twin, as an author would write it, with a comment on each number. */
import { unreachable } from '../../../../base/assert.ts'
import { durationText } from '../../../../base/units.ts'
import { threeDigits, toDecimals, toDigits } from '../../../../base/numbers.ts'
import type { LearnedCrew } from '../learn/learn.ts'
import type { ServerErrors } from '../learn/requests.ts'
import type { LearnedQuota } from '../learn/shared/quota.ts'
import type { LearnedScaling } from '../learn/shared/scaling.ts'
import type { Asks, LearnedTask } from '../learn/tasks.ts'
import { perMinuteText } from '../../sentences/parts.ts'
import type { Fitted } from '../fit/shares.ts'

/** A profile as its schema reads it; what is undefined is not written. */
export type WrittenTwin = Readonly<Record<string, unknown>>

export function twinProfile(learned: LearnedCrew, description: string): WrittenTwin {
  const { tasks, overhead, failures, limits, runs, errors } = learned
  const { stuck } = failures
  const dialect = runs.map((run) => run.dialect).find((each) => each !== null)
  return {
    description,
    dialect: dialect === 'interface' ? undefined : dialect,
    paths: runs.map((run) => run.paths).find((each) => each !== undefined),
    tasks: tasks.map((task, place) => taskOf(learned, task, place)),
    overhead: overhead === null ? undefined : timeOf(overhead.distribution),
    stuck: stuck.count === 0 ? undefined : shareText(stuck.count / stuck.of),
    capacity: capacityOf(learned),
    http: {
      latency: {
        kickoff: timeOf(learned.kickoff.fit?.distribution),
        status: timeOf(learned.status.fit?.distribution),
      },
    },
    limits: limits.length === 0 ? undefined : { rules: limits.map(({ rule }) => rule) },
    faults: errors.length === 0 ? undefined : errors.map(faultOf),
  }
}

function taskOf(learned: LearnedCrew, { name, fit }: LearnedTask, place: number): WrittenTwin {
  const { output, asks, failures, runs } = learned
  const { failed, reached, messages } = failures.tasks[place]!
  const agent = runs.map(({ agents }) => agents[place] ?? null).find((each) => each !== null)
  const failure = {
    chance: shareText(failed / reached),
    message: messages[0]?.message || undefined,
  }
  return {
    id: name,
    agent: agent ?? 'unknown',
    duration: timeOf(fit?.distribution),
    failure: failed === 0 ? undefined : failure,
    output: output === null ? undefined : written(output.distribution, Math.round),
    asks: askOf(asks.find((each) => each.place === place)),
  }
}

function askOf(asks: Asks | undefined): WrittenTwin | undefined {
  if (asks === undefined || asks.fit === null) return undefined
  const { asked, reached, fit } = asks
  const chance = asked === reached ? undefined : shareText(asked / reached)
  return { chance, for: timeOf(fit.distribution) }
}

function capacityOf({ workers, shared, queueLimit, cold }: LearnedCrew): WrittenTwin {
  const { scaling, slowdown, crowding } = shared
  const together = (slowdown ?? crowding)?.shared
  return {
    workers: scaling === null ? workers.value : scaledWorkers(scaling),
    quota: shared.quota === null ? undefined : quotaOf(shared.quota),
    slowdown: together === undefined ? undefined : { shared: together },
    queueLimit: queueLimit?.limit,
    overLimit: queueLimit === null ? undefined : { status: queueLimit.status },
    coldStart:
      cold === null ? undefined : { delay: delayOf(cold.delays), idle: microsText(idleOf(cold)) },
  }
}

function scaledWorkers({ from, to, upAfter, downAfter }: LearnedScaling): WrittenTwin {
  return { from, to, upAfter: microsText(upAfter), downAfter: microsText(downAfter) }
}

function quotaOf({ callsPerMinute, perTask, refill, burst, when }: LearnedQuota): WrittenTwin {
  return {
    calls: perMinuteText(callsPerMinute),
    perTask,
    refill: refill === 'steady' ? undefined : refill,
    burst: burst === 1 ? undefined : burst,
    when: when === 'wait' ? undefined : when,
  }
}

function faultOf({ operation, status, count, of }: ServerErrors): WrittenTwin {
  return {
    name: `${operation} ${status}`,
    status: { code: status },
    operations: [operation],
    chance: shareText(count / of),
  }
}

/** `60/m`; a rate below one a minute per hour. */
function delayOf(delays: readonly number[]): unknown {
  const [min, max] = [Math.min(...delays), Math.max(...delays)].map(microsText)
  return min === max ? min : { uniform: { min, max } }
}

/**
 * Returns an idle time between the longest after which the crew stayed awake and the shortest after
 * which it slept.
 */
export function idleOf({ awakeAfter, asleepAfter }: NonNullable<LearnedCrew['cold']>): number {
  if (asleepAfter === null) return 2 * (awakeAfter ?? 300_000_000)
  return awakeAfter === null ? asleepAfter : Math.min(asleepAfter, (awakeAfter + asleepAfter) / 2)
}

function timeOf(distribution: Fitted | undefined): unknown {
  return distribution === undefined ? 0 : written(distribution, microsText)
}

function written(distribution: Fitted, text: (value: number) => string | number): unknown {
  switch (distribution.kind) {
    case 'lognormal': {
      const [median, p95] = [text(distribution.median), text(distribution.p95)]
      return median === p95 ? median : { lognormal: { median, p95 } }
    }
    case 'gamma': {
      const { mean, cv } = distribution
      return { gamma: { mean: text(mean), cv: toDigits(cv, 4) } }
    }
    case 'quantiles': {
      const points = distribution.points.map(({ q, value }) => [percent(q), text(value)])
      return { quantiles: Object.fromEntries(points) as unknown }
    }
    case 'constant':
      return text(distribution.value)
    default:
      return unreachable(distribution)
  }
}

function percent(q: number): string {
  return `${toDecimals(100 * q, 2)}%`
}

/** Formats a duration with five digits, so that similar values stay distinct. */
function microsText(micros: number): string {
  return durationText(Math.round(toDigits(Math.max(0, micros), 5)))
}

function shareText(share: number): string {
  return `${threeDigits(100 * share)}%`
}
