/** Describes each part of what was learned: how well it fits, and which run would improve it. */
import { capital } from '../../../base/text.ts'
import { meanOf } from '../../../result/statistics/moments.ts'
import {
  formatDuration,
  formatMs,
  plural,
  formatCount,
  formatBytes,
  formatShare,
  threeDigits,
} from '../../../base/numbers.ts'
import { unreachable } from '../../../base/assert.ts'
import { MICROS_PER_MS } from '../../../base/units.ts'
import type { Goodness, TwinPart } from '../document.ts'
import type { Fit } from './fit/fit.ts'
import type { Fitted } from './fit/shares.ts'
import { FEWEST } from './fit/fit.ts'
import type { Asks, LearnedTask } from './learn/tasks.ts'
import type { LearnedCrew, RequestTimes } from './learn/learn.ts'
import type { StudiedLimit } from './learn/limits.ts'
import type { WrittenTwin } from './write/profile.ts'
import { idleOf, perMinuteText } from './write/profile.ts'
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

/** Identified, unless a run that would tell it is named (`tells`). */
function part(name: string, words: string, more: Partial<TwinPart> = {}): TwinPart {
  const { tells = null } = more
  return {
    kind: 'other',
    name,
    unit: null,
    at: null,
    words,
    fit: null,
    estimate: null,
    goodness: null,
    identified: tells === null,
    tells,
    ...more,
  }
}

function fittedPart(
  name: string,
  fit: Fit,
  about: { unit: 'ms' | 'bytes'; at: string | null; kind?: TwinPart['kind'] },
): TwinPart {
  const { unit } = about
  const words = `${shapeWords(fit.distribution, unit)}, from ${sampleWords(fit)}`
  return part(name, words, { ...about, goodness: goodnessOf(fit, unit) })
}

function taskParts({ name: task, fit, sample, tags }: LearnedTask, place: number): TwinPart[] {
  const name = `task ${task}`
  const about = { kind: 'task', unit: 'ms' } as const
  if (fit === null) {
    const words = `${plural(sample.length, 'execution')} completed it: too few for a distribution`
    const tells = `a run in which at least ${FEWEST} executions complete it`
    return [part(name, words, { ...about, tells })]
  }
  const tagged = tags.map(({ tag, fit: own }) => {
    const known = fittedPart(`${name}, tag ${tag}`, own, { ...about, at: null })
    const mixed = 'a profile knows no tags, so the twin mixes them as the runs did'
    return Object.assign(known, { words: `${known.words}; ${mixed}` })
  })
  return [fittedPart(name, fit, { ...about, at: `tasks.${place}.duration` }), ...tagged]
}

function overheadParts({ overhead }: LearnedCrew): TwinPart[] {
  if (overhead === null) return []
  return [fittedPart('time outside of tasks', overhead, { unit: 'ms', at: 'overhead' })]
}

function sampleWords({ n, between, censored }: Fit): string {
  const doubts = [
    between === 0 ? [] : `${between} known between two polls`,
    censored === 0 ? [] : `${censored} whose end was not seen`,
  ].flat()
  return `${plural(n, 'value')}${doubts.length === 0 ? '' : ` (${doubts.join(', ')})`}`
}

function shapeWords(distribution: Fitted, unit: 'ms' | 'bytes'): string {
  const text = (value: number): string =>
    unit === 'ms' ? formatDuration(value) : formatBytes(Math.round(value))
  switch (distribution.kind) {
    case 'constant':
      return `always ${text(distribution.value)}`
    case 'lognormal':
      return `lognormal, median ${text(distribution.median)}, p95 ${text(distribution.p95)}`
    case 'gamma':
      return `gamma, mean ${text(distribution.mean)}, cv ${threeDigits(distribution.cv)}`
    case 'quantiles':
      return `${distribution.points.length} quantiles of the sample`
    default:
      return unreachable(distribution)
  }
}

function goodnessOf(fit: Fit, unit: 'ms' | 'bytes'): Goodness {
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

const SOURCES = {
  ledger: 'starts and ends of the ledger',
  reported: 'the times that the crew reports and the order of acceptance',
  polls: 'ends between two polls and the order of acceptance',
} as const

function workersPart({ workers, shared, fillingPerMinute: rate }: LearnedCrew): TwinPart {
  if (shared.scaling !== null) return scalingPart(shared.scaling)
  const { low, high, value, waited, source } = workers
  const about = {
    kind: 'workers',
    unit: 'executions',
    at: 'capacity.workers',
    estimate: { value, low, high },
  } as const
  if (high === null) {
    const tells = rate === null ? 'more load' : `a run at ${threeDigits(rate)}/min would show it`
    return part('workers', `at least ${low}: the load never filled them`, { ...about, tells })
  }
  const range = low === high ? '' : ` (${low} to ${high})`
  const words = `${value}${range}, by ${SOURCES[source]}; ${plural(waited, 'execution')} waited`
  const tells = low === high ? null : 'more executions under load, or a crew that reports its times'
  return part('workers', words, { ...about, tells, identified: true })
}

function scalingPart({ from, to, upAfter, downAfter, added, goes }: LearnedScaling): TwinPart {
  const gone = goes
    ? `one fewer after ${formatDuration(downAfter)} while some are idle`
    : 'none was seen to go'
  const words =
    `${from} to ${plural(to, 'worker')}: one more after ${formatDuration(upAfter)} while executions ` +
    `wait (${plural(added, 'time')}), ${gone}`
  return part('workers', words, {
    kind: 'workers',
    unit: 'executions',
    at: 'capacity.workers',
    estimate: { value: to, low: from, high: to },
    tells: goes ? null : 'a run whose load falls and rises again',
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

function quotaPart(quota: LearnedQuota | null, { quota: waited, of }: Shared['waited']): TwinPart {
  const who = `${formatCount(waited)} of ${plural(of, 'task')} waited for it, by the ledger`
  const tells = 'more executions, at a rate at which they wait for the quota'
  if (quota === null) {
    const words =
      `${who}; no quota of calls explains that, as where calls use different numbers of tokens: ` +
      "the twin's tasks take as long"
    return part('quota', words, { tells })
  }
  const { callsPerMinute, perTask, burst, refill, when, misfit } = quota
  const how = [
    `${perMinuteText(callsPerMinute)}, ${plural(perTask, 'call')} in each task`,
    refill === 'window' ? 'by windows of a minute' : [],
    burst === 1 ? [] : `${burst} at once after a pause`,
    when === 'retry' ? 'refused calls try again' : [],
  ].flat()
  const words = `${how.join(', ')}; ${who}, and it explains ${explainedWords(misfit)} of the waits`
  return part('quota', words, { at: 'capacity.quota', tells: misfit <= GOOD ? null : tells })
}

function explainedWords(misfit: number): string {
  return formatShare(Number(Math.max(0, 1 - misfit).toFixed(3)))
}

function slowdownPart(
  slowdown: LearnedSlowdown | null,
  { slowed, of }: Shared['waited'],
): TwinPart {
  const name = 'shared processor'
  const who = `${formatCount(slowed)} of ${plural(of, 'task')} were slowed down, by the ledger`
  if (slowdown === null) {
    return part(name, `${who}: too few`, { unit: 'executions', tells: 'more load' })
  }
  const { shared, misfit } = slowdown
  const words =
    `${plural(shared, 'task')} at full speed at once; ${who}, and it explains ` +
    `${explainedWords(misfit)} of that`
  const tells = misfit <= GOOD ? null : 'more executions at the same rate'
  return part(name, words, { ...slowedDown(shared), tells })
}

function slowedDown(value: number): Pick<TwinPart, 'unit' | 'at' | 'estimate'> {
  const estimate = { value, low: value, high: value }
  return { unit: 'executions', at: 'capacity.slowdown', estimate }
}

function crowdingPart({ shared, longer, executions }: Crowding): TwinPart {
  const more = formatShare(Number((longer - 1).toFixed(2)))
  const words =
    `of ${plural(executions, 'execution')}, those beside many take ${more} longer than those ` +
    `beside few: the twin slows down more than ${shared} of them`
  const tells = 'crewload capacity; only a ledger distinguishes a quota from a processor'
  return part('what executions share', words, { ...slowedDown(shared), tells })
}

function queuePart({ queueLimit, workers }: LearnedCrew): TwinPart {
  const unit = 'executions'
  if (queueLimit === null) {
    const isFull = workers.high !== null
    const tells = isFull
      ? 'a load beyond what the workers can finish'
      : 'a load that fills the workers'
    return part('queue limit', 'no kickoff was turned away by a full queue', { unit, tells })
  }
  const { limit, low, high, status, refusals } = queueLimit
  const words = `${limit}; ${plural(refusals, 'kickoff')} were answered with ${status} while that many waited`
  const estimate = { value: limit, low, high }
  return part('queue limit', words, { unit, at: 'capacity.queueLimit', estimate })
}

function coldPart({ cold, runs }: LearnedCrew): TwinPart {
  if (cold === null) {
    const isHidden = runs.some(({ truth }) => truth === 'polls')
    const tells = isHidden ? 'a crew that reports how long executions ran' : null
    return part('cold start', 'none was seen', { unit: 'ms', tells })
  }
  const { delays, awakeAfter, asleepAfter } = cold
  const [value, low, high] = [meanOf(delays), Math.min(...delays), Math.max(...delays)].map(
    (each) => each / MICROS_PER_MS,
  ) as [number, number, number]
  const isKnown = asleepAfter !== null && awakeAfter !== null
  const pauses = isKnown
    ? `it sleeps after a pause between ${formatDuration(awakeAfter)} and ${formatDuration(asleepAfter)}`
    : `${formatDuration(idleOf(cold))} without work is an assumption`
  return part('cold start', `${formatMs(value)} on average over ${delays.length}; ${pauses}`, {
    unit: 'ms',
    at: 'capacity.coldStart',
    estimate: { value, low, high },
    tells: isKnown ? null : 'pauses of several lengths between kickoffs',
  })
}

function failureParts({ failures, tasks }: LearnedCrew): TwinPart[] {
  return failures.tasks.map(({ failed, reached, low, high, messages }, place) => {
    const several = `, with ${messages.length} messages; the twin has the most frequent one`
    const words = `${failed} of ${plural(reached, 'execution')}${messages.length <= 1 ? '' : several}`
    return part(`failures of ${tasks[place]!.name}`, words, {
      unit: 'share',
      at: failed === 0 ? null : `tasks.${place}.failure`,
      estimate: { value: failed / Math.max(1, reached), low, high },
      tells:
        failed > 0 ? null : `it is at most ${formatShare(high)}; more executions would show it`,
    })
  })
}

function stuckPart({ failures: { stuck } }: LearnedCrew): TwinPart {
  const { count, of, low, high } = stuck
  return part('stuck executions', `${count} of ${plural(of, 'execution')} never ended`, {
    unit: 'share',
    at: count === 0 ? null : 'stuck',
    estimate: { value: count / Math.max(1, of), low, high },
  })
}

function peopleParts({ asks, tasks, runs }: LearnedCrew): TwinPart[] {
  const known = asks.map((each) => askPart(each, tasks[each.place]!.name))
  const isHidden = runs.some(({ truth, asksPeople }) => asksPeople && truth !== 'ledger')
  if (!isHidden) return known
  const words =
    'the crew asks people, and only a ledger says when: the twin asks nobody, and its tasks ' +
    'take as long as task and answer together'
  const tells = 'asks in the profile, with how often people are asked and how long they take'
  return [...known, part('people', words, { tells })]
}

function askPart({ place, asked, reached, low, high, open, fit }: Asks, task: string): TwinPart {
  const name = `people asked about ${task}`
  const often = `${asked} of ${plural(reached, 'execution')}`
  const about = { unit: 'share', estimate: { value: asked / reached, low, high } } as const
  if (fit === null) {
    const words = `${often}; too few answers for a distribution, so the twin asks nobody`
    return part(name, words, { ...about, tells: `a run with at least ${FEWEST} answers` })
  }
  const unanswered = open === 0 ? '' : `; ${open} had no answer yet`
  const words =
    `${often}; answers took ${shapeWords(fit.distribution, 'ms')}${unanswered}. Whether a worker ` +
    'waits with the execution is not known: in the twin it serves others'
  return part(name, words, { ...about, at: `tasks.${place}.asks` })
}

function latencyPart(operation: MeasuredOperation, { fit, load }: RequestTimes): TwinPart {
  const name = `${operation} latency`
  if (fit === null) {
    const words = 'too few answers over a connection that was already open'
    return part(name, words, { unit: 'ms', tells: 'more requests, closer together' })
  }
  const growth =
    load === null
      ? ''
      : `; median ${formatDuration(load.few)} beside few requests, ${formatDuration(load.many)} beside many`
  const own = fittedPart(name, fit, { unit: 'ms', at: `http.latency.${operation}` })
  const words = `${own.words}, network included${growth}`
  if (load?.grows !== true) return { ...own, words }
  const tells =
    'the twin draws latency from all loads alike: a pool of its own (http.pool) would make it grow'
  return { ...own, words, identified: false, tells }
}

function outputPart({ output, tasks }: LearnedCrew): TwinPart {
  const name = 'output size'
  if (output === null) {
    return part(name, 'too few outputs', { unit: 'bytes', tells: 'more executions' })
  }
  const own = fittedPart(name, output, { unit: 'bytes', at: `tasks.${tasks.length - 1}.output` })
  const each = 'only final outputs are recorded, so every task has that size'
  return tasks.length === 1 ? own : { ...own, words: `${own.words}; ${each}` }
}

function limitParts({ limits, leftOut, unexplained }: LearnedCrew): TwinPart[] {
  const tells = 'crewload limits on the target'
  const all = [...limits, ...leftOut].map(({ studied }) => studied)
  return [
    ...limits.map(({ studied }, i) =>
      part(`limit on ${studied.operation}`, limitWords(studied), { at: `limits.rules.${i}` }),
    ),
    ...leftOut.map(({ studied, why }) => {
      const words = `${limitWords(studied)}; the twin omits it, because ${why}`
      return part(`limit on ${studied.operation}`, words, { tells })
    }),
    ...all.flatMap(({ operation, also }) =>
      also.map((further) =>
        part(`further limit on ${operation}`, furtherWords(further), { tells }),
      ),
    ),
    ...(unexplained === 0 ? [] : [part('limits', unexplainedWords(unexplained), { tells })]),
  ]
}

function unexplainedWords(requests: number): string {
  return `${plural(requests, 'request')} were answered with a 429 that no limit explains`
}

function limitWords({ kind, probability }: StudiedLimit): string {
  if (kind === 'unknown') return 'a limit of no known kind, by the study of limits'
  return `${kind}, probability ${threeDigits(probability)}, by the study of limits`
}

function furtherWords({ kind, basis }: StudiedLimit['also'][number]): string {
  return basis === 'promised'
    ? `${kind}, promised by headers alone; the twin omits it, because no request reached it`
    : `${kind}, by the study of limits; the twin omits it, because it has only one limit per ` +
        'operation'
}

function keepAlivePart({ keepAlive: { kept, closed, n } }: LearnedCrew): TwinPart {
  const unit = 'ms'
  if (n === 0) return part('keep-alive', 'no second request', { unit, tells: 'longer executions' })
  const [least, most] = [formatDuration(kept ?? 0), closed === null ? null : formatDuration(closed)]
  const after = most === least ? 'longer ones' : `${most} or more`
  const words =
    `connections were used again after pauses of up to ${least}` +
    (closed === null ? '' : `, and never after ${after}`) +
    '; this depends on client and server together, and is not part of a profile'
  const value = (kept ?? 0) / MICROS_PER_MS
  return part('keep-alive', words, {
    unit,
    estimate: { value, low: value, high: closed && closed / MICROS_PER_MS },
    tells: closed === null ? 'longer intervals between polls' : null,
  })
}

function errorParts({ errors }: LearnedCrew): TwinPart[] {
  return errors.map(({ operation, status, count, of, low, high }, i) =>
    part(`${status} on ${operation}`, `${count} of ${plural(of, 'request')}`, {
      unit: 'share',
      at: `faults.${i}`,
      estimate: { value: count / of, low, high },
    }),
  )
}

/** The comments above the numbers in the YAML of the profile, by their path. */
export function commentsOf(parts: readonly TwinPart[]): Map<string, string> {
  return new Map(
    parts.flatMap(({ at, words, identified, tells }) => {
      if (at === null) return []
      const doubt = identified || tells === null ? '' : ` Not identified: ${tells}.`
      return [[at, `${capital(words)}.${doubt}`] as const]
    }),
  )
}
