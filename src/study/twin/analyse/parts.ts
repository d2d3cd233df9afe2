/** Describes each part of what was learned: how well it fits, and which run would improve it. */
import { toDecimals } from '../../../base/numbers.ts'
import { capital } from '../../../base/text.ts'
import { unreachable } from '../../../base/assert.ts'
import { meanOf } from '../../../result/statistics/moments.ts'
import { MICROS_PER_MS, optionalMs } from '../../../base/units.ts'
import type { Goodness, TwinPart } from '../document.ts'
import type { LearnedDistribution } from '../sentences/parts.ts'
import { namedPart } from '../sentences/parts.ts'
import type { Fit } from './fit/fit.ts'
import type { Fitted } from './fit/shares.ts'
import { FEWEST } from './fit/fit.ts'
import type { Asks, LearnedTask } from './learn/tasks.ts'
import type { LearnedCrew, RequestTimes } from './learn/learn.ts'
import type { WrittenTwin } from './write/profile.ts'
import { idleOf } from './write/profile.ts'
import type { MeasuredOperation } from '../../../crew/answer.ts'
import type { Crowding } from './learn/shared/crowding.ts'
import type { LearnedQuota } from './learn/shared/quota.ts'
import { GOOD } from './learn/shared/quota.ts'
import type { LearnedScaling } from './learn/shared/scaling.ts'
import type { LearnedSlowdown, Shared } from './learn/shared/shared.ts'

export function partsOf(learned: LearnedCrew, profile: WrittenTwin): TwinPart[] {
  const parts = [
    ...learned.tasks.flatMap((task, place) => taskParts(task, place)),
    ...overheadParts(learned),
    workersPart(learned),
    ...sharedParts(learned),
    queuePart(learned),
    coldPart(learned),
    ...failureParts(learned),
    stuckPart(learned),
    ...peopleParts(learned),
    latencyPart('kickoff', learned.kickoff),
    latencyPart('status', learned.status),
    outputPart(learned),
    ...limitParts(learned),
    keepAlivePart(learned),
    ...errorParts(learned),
  ]
  return parts.map((part) =>
    Object.assign(part, { fit: part.at === null ? null : valueAt(profile, part.at) }),
  )
}

function valueAt(profile: WrittenTwin, path: string): unknown {
  const keys = path.split('.')
  return (
    keys.reduce<unknown>((value, key) => (value as WrittenTwin | undefined)?.[key], profile) ?? null
  )
}

type NamedPart = Pick<TwinPart, 'name' | 'learned'>

/** Identified, unless a run that would show it is named. */
function part(named: NamedPart, more: Partial<TwinPart> = {}): TwinPart {
  return {
    kind: 'other',
    unit: null,
    at: null,
    fit: null,
    estimate: null,
    goodness: null,
    identified: named.learned.remedy === '',
    ...named,
    ...more,
  }
}

type FitUnit = 'ms' | 'bytes'

function inUnit(value: number, unit: FitUnit): number {
  return unit === 'ms' ? value / MICROS_PER_MS : value
}

function fittedFacts({ distribution, n, between, censored }: Fit, unit: FitUnit) {
  return { distribution: shapeOf(distribution, unit), values: n, between, censored }
}

function shapeOf(shape: Fitted, unit: FitUnit): LearnedDistribution {
  switch (shape.kind) {
    case 'constant':
      return { kind: 'constant', value: inUnit(shape.value, unit) }
    case 'lognormal': {
      const [median, p95] = [inUnit(shape.median, unit), inUnit(shape.p95, unit)]
      return { kind: 'lognormal', median, p95 }
    }
    case 'gamma':
      return { kind: 'gamma', mean: inUnit(shape.mean, unit), cv: shape.cv }
    case 'quantiles':
      return { kind: 'quantiles', quantiles: shape.points.length }
    default:
      return unreachable(shape)
  }
}

function fittedPart(
  named: NamedPart,
  fit: Fit,
  about: { unit: FitUnit; at: string | null; kind?: TwinPart['kind'] },
): TwinPart {
  return part(named, { ...about, goodness: goodnessOf(fit, about.unit) })
}

function taskParts({ name: task, fit, sample, tags }: LearnedTask, place: number): TwinPart[] {
  const about = { kind: 'task', unit: 'ms' } as const
  if (fit === null) {
    const few = { task, executions: sample.length, needed: FEWEST }
    return [part(namedPart('task-few', few), about)]
  }
  const whole = namedPart('task', { task, ...fittedFacts(fit, 'ms') })
  return [
    fittedPart(whole, fit, { ...about, at: `tasks.${place}.duration` }),
    ...tags.map(({ tag, fit: own }) => {
      const named = namedPart('task-of-tag', { task, tag, ...fittedFacts(own, 'ms') })
      return fittedPart(named, own, { ...about, at: null })
    }),
  ]
}

function overheadParts({ overhead }: LearnedCrew): TwinPart[] {
  if (overhead === null) return []
  const named = namedPart('overhead', fittedFacts(overhead, 'ms'))
  return [fittedPart(named, overhead, { unit: 'ms', at: 'overhead' })]
}

function goodnessOf(fit: Fit, unit: FitUnit): Goodness {
  const { distribution: _distribution, family: _family, ...known } = fit
  const scale = unit === 'ms' ? 1 / MICROS_PER_MS : 1
  const scaled = (value: number | null): number | null => (value === null ? null : value * scale)
  const quantile = ({ value, low, high, fitted }: Goodness['p50']): Goodness['p50'] => {
    return { value: value * scale, low: scaled(low), high: scaled(high), fitted: fitted * scale }
  }
  const qq = fit.qq.map(({ share, observed, fitted }) => {
    return { share, observed: observed * scale, fitted: fitted * scale }
  })
  return { ...known, p50: quantile(fit.p50), p95: quantile(fit.p95), qq }
}

function workersPart({ workers, shared, fillingPerMinute }: LearnedCrew): TwinPart {
  if (shared.scaling !== null) return scalingPart(shared.scaling)
  const { low, high, value, waited, source } = workers
  const estimate = { value, low, high }
  const about = { kind: 'workers', unit: 'executions', at: 'capacity.workers', estimate } as const
  if (high === null) return part(namedPart('workers-not-full', { low, fillingPerMinute }), about)
  const named = namedPart('workers', { workers: value, low, high, waited, by: source })
  return part(named, { ...about, identified: true })
}

function scalingPart({ from, to, upAfter, downAfter, added, goes }: LearnedScaling): TwinPart {
  const upAfterMs = upAfter / MICROS_PER_MS
  const downAfterMs = goes ? downAfter / MICROS_PER_MS : null
  return part(namedPart('workers-scale', { from, to, upAfterMs, downAfterMs, added }), {
    kind: 'workers',
    unit: 'executions',
    at: 'capacity.workers',
    estimate: { value: to, low: from, high: to },
  })
}

function sharedParts({ shared }: LearnedCrew): TwinPart[] {
  const { quota, slowdown, crowding, waited } = shared
  return [
    waited.quota === 0 ? [] : quotaPart(quota, waited),
    waited.slowed === 0 ? [] : slowdownPart(slowdown, waited),
    crowding === null ? [] : crowdingPart(crowding),
  ].flat()
}

function quotaPart(quota: LearnedQuota | null, waits: Shared['waited']): TwinPart {
  const facts = { waited: waits.quota, tasks: waits.of }
  if (quota === null) return part(namedPart('quota-unknown', facts))
  const explained = explainedBy(quota)
  return part(namedPart('quota', { ...quota, ...facts, ...explained }), { at: 'capacity.quota' })
}

function explainedBy({ misfit }: { misfit: number }): { explained: number; fits: boolean } {
  return { explained: toDecimals(Math.max(0, 1 - misfit), 3), fits: misfit <= GOOD }
}

function slowdownPart(slowdown: LearnedSlowdown | null, waits: Shared['waited']): TwinPart {
  const facts = { slowed: waits.slowed, tasks: waits.of }
  if (slowdown === null) return part(namedPart('slowdown-few', facts), { unit: 'executions' })
  const fullSpeed = slowdown.shared
  const named = namedPart('slowdown', { fullSpeed, ...facts, ...explainedBy(slowdown) })
  return part(named, slowedDown(fullSpeed))
}

function slowedDown(value: number): Pick<TwinPart, 'unit' | 'at' | 'estimate'> {
  const estimate = { value, low: value, high: value }
  return { unit: 'executions', at: 'capacity.slowdown', estimate }
}

function crowdingPart({ shared, longer, executions }: Crowding): TwinPart {
  const facts = { executions, fullSpeed: shared, longer: toDecimals(longer - 1, 2) }
  return part(namedPart('crowding', facts), slowedDown(shared))
}

function queuePart({ queueLimit, workers }: LearnedCrew): TwinPart {
  const unit = 'executions'
  if (queueLimit === null) {
    return part(namedPart('queue-never-full', { hasWaited: workers.high !== null }), { unit })
  }
  const { limit, low, high, status, refusals } = queueLimit
  const estimate = { value: limit, low, high }
  const named = namedPart('queue', { limit, status, refusals })
  return part(named, { unit, at: 'capacity.queueLimit', estimate })
}

function coldPart({ cold, runs }: LearnedCrew): TwinPart {
  const unit = 'ms'
  if (cold === null) {
    const isHidden = runs.some(({ truth }) => truth === 'polls')
    return part(namedPart('cold-start-unseen', { isHidden }), { unit })
  }
  const { delays, awakeAfter, asleepAfter } = cold
  const [value, low, high] = [meanOf(delays), Math.min(...delays), Math.max(...delays)].map(
    (each) => each / MICROS_PER_MS,
  ) as [number, number, number]
  const named = namedPart('cold-start', {
    meanMs: value,
    starts: delays.length,
    awakeAfterMs: optionalMs(awakeAfter),
    asleepAfterMs: optionalMs(asleepAfter),
    idleMs: idleOf(cold) / MICROS_PER_MS,
  })
  return part(named, { unit, at: 'capacity.coldStart', estimate: { value, low, high } })
}

function failureParts({ failures, tasks }: LearnedCrew): TwinPart[] {
  return failures.tasks.map(({ failed, reached, low, high, messages }, place) => {
    const facts = { failed, reached, messages: messages.length, most: high }
    return part(namedPart('failures', { task: tasks[place]!.name, ...facts }), {
      unit: 'share',
      at: failed === 0 ? null : `tasks.${place}.failure`,
      estimate: { value: failed / Math.max(1, reached), low, high },
    })
  })
}

function stuckPart({ failures: { stuck } }: LearnedCrew): TwinPart {
  const { count, of, low, high } = stuck
  return part(namedPart('stuck', { stuck: count, executions: of }), {
    unit: 'share',
    at: count === 0 ? null : 'stuck',
    estimate: { value: count / Math.max(1, of), low, high },
  })
}

function peopleParts({ asks, tasks, runs }: LearnedCrew): TwinPart[] {
  const known = asks.map((each) => askPart(each, tasks[each.place]!.name))
  const isHidden = runs.some(({ truth, asksPeople }) => asksPeople && truth !== 'ledger')
  return isHidden ? [...known, part(namedPart('asks-hidden', {}))] : known
}

function askPart({ place, asked, reached, low, high, open, fit }: Asks, task: string): TwinPart {
  const about = { unit: 'share', estimate: { value: asked / reached, low, high } } as const
  const facts = { task, asked, reached }
  if (fit === null) return part(namedPart('asks-few', { ...facts, needed: FEWEST }), about)
  const distribution = shapeOf(fit.distribution, 'ms')
  const named = namedPart('asks', { ...facts, open, distribution })
  return part(named, { ...about, at: `tasks.${place}.asks` })
}

function latencyPart(operation: MeasuredOperation, { fit, load }: RequestTimes): TwinPart {
  const unit = 'ms'
  if (fit === null) return part(namedPart('latency-few', { operation }), { unit })
  const medians = load && {
    fewMs: load.few / MICROS_PER_MS,
    manyMs: load.many / MICROS_PER_MS,
    grows: load.grows,
  }
  const named = namedPart('latency', { operation, ...fittedFacts(fit, unit), load: medians })
  return fittedPart(named, fit, { unit, at: `http.latency.${operation}` })
}

function outputPart({ output, tasks: { length } }: LearnedCrew): TwinPart {
  const unit = 'bytes'
  if (output === null) return part(namedPart('output-few', {}), { unit })
  const named = namedPart('output', { ...fittedFacts(output, unit), tasks: length })
  return fittedPart(named, output, { unit, at: `tasks.${length - 1}.output` })
}

function limitParts({ limits, leftOut, unexplained }: LearnedCrew): TwinPart[] {
  const all = [...limits, ...leftOut].map(({ studied }) => studied)
  return [
    ...limits.map(({ studied }, i) =>
      part(namedPart('limit', studied), { at: `limits.rules.${i}` }),
    ),
    ...leftOut.map(({ studied, why }) => part(namedPart('limit-left-out', { ...studied, why }))),
    ...all.flatMap(({ operation, also }) =>
      also.map((further) => part(namedPart('limit-further', { operation, ...further }))),
    ),
    ...(unexplained === 0
      ? []
      : [part(namedPart('limits-unexplained', { requests: unexplained }))]),
  ]
}

function keepAlivePart({ keepAlive: { kept, closed, n } }: LearnedCrew): TwinPart {
  const unit = 'ms'
  if (n === 0) return part(namedPart('keep-alive-unseen', {}), { unit })
  const [keptMs, closedMs] = [(kept ?? 0) / MICROS_PER_MS, optionalMs(closed)]
  const estimate = { value: keptMs, low: keptMs, high: closedMs }
  return part(namedPart('keep-alive', { keptMs, closedMs }), { unit, estimate })
}

function errorParts({ errors }: LearnedCrew): TwinPart[] {
  return errors.map(({ operation, status, count, of, low, high }, i) =>
    part(namedPart('errors', { operation, status, failed: count, requests: of }), {
      unit: 'share',
      at: `faults.${i}`,
      estimate: { value: count / of, low, high },
    }),
  )
}

/** The comments above the numbers in the YAML of the profile, by their path. */
export function commentsOf(parts: readonly TwinPart[]): Map<string, string> {
  return new Map(
    parts.flatMap(({ at, identified, learned: { message, remedy } }) => {
      if (at === null) return []
      const doubt = identified || remedy === '' ? '' : ` Not identified: ${remedy}.`
      return [[at, `${capital(message)}.${doubt}`] as const]
    }),
  )
}
