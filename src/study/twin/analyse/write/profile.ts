/** The profile of a twin, as an author would write it, with a comment on each number. */
import { unreachable } from '../../../../base/assert.ts'
import type { Distribution } from '../../../../base/distribution.ts'
import { durationText, threeDigits } from '../../../../base/units.ts'
import type { LearnedCrew } from '../learn/learn.ts'
import type { LearnedTask } from '../learn/tasks.ts'

/** A profile as its schema reads it. */
export type WrittenTwin = Readonly<Record<string, unknown>>

export function profileOf(learned: LearnedCrew, description: string): WrittenTwin {
  const { tasks, overhead, failures, limits, runs } = learned
  const dialect = runs.map((run) => run.dialect).find((each) => each !== null) ?? 'interface'
  const paths = runs.map((run) => run.paths).find((each) => each !== undefined)
  const { stuck } = failures
  return {
    description,
    ...(dialect === 'interface' ? {} : { dialect }),
    ...(paths === undefined ? {} : { paths }),
    tasks: tasks.map((task, place) => taskOf(learned, task, place)),
    ...(overhead === null ? {} : { overhead: timeOf(overhead.distribution) }),
    ...(stuck.count === 0 ? {} : { stuck: shareText(stuck.count / stuck.of) }),
    capacity: capacityOf(learned),
    http: {
      latency: {
        kickoff: timeOf(learned.kickoff.fit?.distribution),
        status: timeOf(learned.status.fit?.distribution),
      },
    },
    ...(limits.length === 0 ? {} : { limits: { rules: limits.map(({ rule }) => rule) } }),
    ...faultsOf(learned),
  }
}

function taskOf(learned: LearnedCrew, { name, fit }: LearnedTask, place: number): WrittenTwin {
  const { failed, reached, messages } = learned.failures.tasks[place]!
  const { output } = learned
  return {
    id: name,
    agent: agentAt(learned, place) ?? 'unknown',
    duration: timeOf(fit?.distribution),
    ...(failed === 0
      ? {}
      : {
          failure: {
            chance: shareText(failed / reached),
            ...(messages[0]?.message ? { message: messages[0].message } : {}),
          },
        }),
    ...(output === null ? {} : { output: sizeOf(output.distribution) }),
    ...asksAt(learned, place),
  }
}

function asksAt({ asks }: LearnedCrew, place: number): WrittenTwin {
  const own = asks.find((each) => each.place === place)
  if (own === undefined || own.fit === null) return {}
  const chance = own.asked === own.reached ? {} : { chance: shareText(own.asked / own.reached) }
  return { asks: { ...chance, for: timeOf(own.fit.distribution) } }
}

function agentAt({ runs }: LearnedCrew, place: number): string | null {
  return runs.map(({ agents }) => agents[place] ?? null).find((name) => name !== null) ?? null
}

function capacityOf({ workers, shared, queueLimit, cold }: LearnedCrew): WrittenTwin {
  return {
    workers: workersOf(shared.scaling) ?? workers.value,
    ...sharedOf(shared),
    ...(queueLimit === null
      ? {}
      : { queueLimit: queueLimit.limit, overLimit: { status: queueLimit.status } }),
    ...(cold === null
      ? {}
      : { coldStart: { delay: delayOf(cold.delays), idle: microsText(idleOf(cold)) } }),
  }
}

function workersOf(scaling: LearnedCrew['shared']['scaling']): WrittenTwin | null {
  if (scaling === null) return null
  const { from, to, upAfter, downAfter } = scaling
  return { from, to, upAfter: microsText(upAfter), downAfter: microsText(downAfter) }
}

function sharedOf({ quota, slowdown, crowding }: LearnedCrew['shared']): WrittenTwin {
  const shared = (slowdown ?? crowding)?.shared
  return {
    ...(quota !== null && {
      quota: {
        calls: perMinuteText(quota.callsPerMinute),
        perTask: quota.perTask,
        ...(quota.refill === 'steady' ? {} : { refill: quota.refill }),
        ...(quota.burst === 1 ? {} : { burst: quota.burst }),
        ...(quota.when === 'wait' ? {} : { when: quota.when }),
      },
    }),
    ...(shared !== undefined && { slowdown: { shared } }),
  }
}

/** `60/m`; a rate below one a minute per hour. */
export function perMinuteText(perMinute: number): string {
  return perMinute >= 1
    ? `${Number(perMinute.toPrecision(4))}/m`
    : `${Number((60 * perMinute).toPrecision(4))}/h`
}

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

function faultsOf({ errors }: LearnedCrew): WrittenTwin {
  const faults: WrittenTwin[] = errors.map(({ operation, status, count, of }) => ({
    name: `${operation} ${status}`,
    status: { code: status },
    operations: [operation],
    chance: shareText(count / of),
  }))
  return faults.length === 0 ? {} : { faults }
}

function timeOf(distribution: Distribution | undefined): unknown {
  return distribution === undefined ? 0 : written(distribution, microsText)
}

function sizeOf(distribution: Distribution): unknown {
  return written(distribution, (bytes) => Math.round(bytes))
}

function written(distribution: Distribution, text: (value: number) => string | number): unknown {
  switch (distribution.kind) {
    case 'lognormal': {
      const [median, p95] = [text(distribution.median), text(distribution.p95)]
      return median === p95 ? median : { lognormal: { median, p95 } }
    }
    case 'gamma':
      return {
        gamma: { mean: text(distribution.mean), cv: Number(distribution.cv.toPrecision(4)) },
      }
    case 'quantiles':
      return {
        quantiles: Object.fromEntries(
          distribution.points.map(({ q, value }) => [percent(q), text(value)]),
        ),
      }
    case 'uniform':
      return { uniform: { min: text(distribution.min), max: text(distribution.max) } }
    case 'constant':
      return text(distribution.value)
    default:
      return unreachable(distribution)
  }
}

function percent(q: number): string {
  return `${Number((100 * q).toFixed(2))}%`
}

/** Formats a duration with five digits, so that similar values stay distinct. */
function microsText(micros: number): string {
  return durationText(Math.round(Number(Math.max(0, micros).toPrecision(5))))
}

function shareText(share: number): string {
  return `${threeDigits(100 * share)}%`
}
