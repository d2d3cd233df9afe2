/** Describes each part of what was learned: how well it fits, and which run would improve it. */
import { meanOf } from '../../../result/statistics/moments.ts'
import { formatMs, plural } from '../../../result/metrics/format.ts'
import { unreachable } from '../../../base/assert.ts'
import type { Distribution } from '../../../base/distribution.ts'
import { formatBytes, formatShare, MICROS_PER_MS, threeDigits } from '../../../base/units.ts'
import type { Goodness, TwinPart, PartUnit } from '../document.ts'
import type { Fit, Quantile } from './fit/fit.ts'
import { FEWEST } from './fit/fit.ts'
import type { Asks } from './learn/asks.ts'
import type { LearnedCrew, RequestTimes } from './learn/learn.ts'
import type { FurtherTold, LimitTold } from './learn/limits.ts'
import type { LearnedTask, TagFit } from './learn/tasks.ts'
import type { WrittenTwin } from './write/profile.ts'
import { NOTHING, scalingPart, sharedParts } from './shared-parts.ts'
import { idleOf } from './write/profile.ts'
import type { MeasuredOperation } from '../../../crew/answer.ts'

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
  return (
    path
      .split('.')
      .reduce<unknown>(
        (value, key) => (value as Record<string, unknown> | undefined)?.[key],
        profile,
      ) ?? null
  )
}

function taskParts({ name, fit, sample, tags }: LearnedTask, place: number): TwinPart[] {
  const at = `tasks.${place}.duration`
  if (fit === null) {
    return [
      {
        ...NOTHING,
        name: `task ${name}`,
        unit: 'ms',
        words: `${plural(sample.length, 'execution')} completed it: too few for a distribution`,
        identified: false,
        tells: `a run in which at least ${FEWEST} executions complete it`,
      },
    ]
  }
  return [
    { ...NOTHING, ...fitted(fit, 'ms'), name: `task ${name}`, at },
    ...tags.map((tag) => tagPart(name, tag)),
  ]
}

function overheadParts({ overhead }: LearnedCrew): TwinPart[] {
  if (overhead === null) return []
  return [{ ...NOTHING, ...fitted(overhead, 'ms'), name: 'time outside of tasks', at: 'overhead' }]
}

function tagPart(name: string, { tag, fit }: TagFit): TwinPart {
  const part = { ...NOTHING, ...fitted(fit, 'ms'), name: `task ${name}, tag ${tag}` }
  const words = `${part.words}; a profile knows no tags, so the twin mixes them as the runs did`
  return { ...part, words }
}

function fitted(
  fit: Fit,
  unit: Extract<PartUnit, 'ms' | 'bytes'>,
): Pick<TwinPart, 'unit' | 'words' | 'goodness'> {
  return {
    unit,
    words: `${shapeWords(fit.distribution, unit)}, from ${sampleWords(fit)}`,
    goodness: goodnessOf(fit, unit),
  }
}

function sampleWords({ n, between, censored }: Fit): string {
  const doubts = [
    between === 0 ? [] : `${between} known between two polls`,
    censored === 0 ? [] : `${censored} whose end was not seen`,
  ].flat()
  return `${plural(n, 'value')}${doubts.length === 0 ? '' : ` (${doubts.join(', ')})`}`
}

function shapeWords(distribution: Distribution, unit: 'ms' | 'bytes'): string {
  const text = (value: number): string => quantityWords(value, unit)
  switch (distribution.kind) {
    case 'constant':
      return `always ${text(distribution.value)}`
    case 'lognormal':
      return `lognormal, median ${text(distribution.median)}, p95 ${text(distribution.p95)}`
    case 'gamma':
      return `gamma, mean ${text(distribution.mean)}, cv ${threeDigits(distribution.cv)}`
    case 'quantiles':
      return `${distribution.points.length} quantiles of the sample`
    case 'uniform':
      return `uniform, ${text(distribution.min)} to ${text(distribution.max)}`
    default:
      return unreachable(distribution)
  }
}

function quantityWords(value: number, unit: 'ms' | 'bytes'): string {
  return unit === 'ms' ? formatMs(value / MICROS_PER_MS) : formatBytes(Math.round(value))
}

function goodnessOf(fit: Fit, unit: 'ms' | 'bytes'): Goodness {
  const scale = unit === 'ms' ? 1 / MICROS_PER_MS : 1
  const scaled = (value: number | null): number | null => (value === null ? null : value * scale)
  const quantile = ({ value, low, high, fitted: own }: Quantile): Goodness['p50'] => ({
    value: value * scale,
    low: scaled(low),
    high: scaled(high),
    fitted: own * scale,
  })
  const { n, between, censored, heldOut, test, qq } = fit
  return {
    n,
    between,
    censored,
    p50: quantile(fit.p50),
    p95: quantile(fit.p95),
    heldOut: [...heldOut],
    test,
    qq: qq.map(({ share, observed, fitted: own }) => ({
      share,
      observed: observed * scale,
      fitted: own * scale,
    })),
  }
}

const SOURCES = {
  ledger: 'starts and ends of the ledger',
  reported: 'the times that the crew reports and the order of acceptance',
  polls: 'ends between two polls and the order of acceptance',
} as const

function workersPart({ workers, shared, fillingPerMinute: rate }: LearnedCrew): TwinPart {
  if (shared.scaling !== null) return scalingPart(shared.scaling)
  const { low, high, value, waited, source } = workers
  const part = { ...NOTHING, name: 'workers', unit: 'executions' as const, at: 'capacity.workers' }
  const estimate = { value, low, high }
  if (high === null) {
    const tells = rate === null ? 'more load' : `a run at ${threeDigits(rate)}/min would show it`
    return {
      ...part,
      estimate,
      words: `at least ${low}: the load never filled them`,
      identified: false,
      tells,
    }
  }
  const range = low === high ? '' : ` (${low} to ${high})`
  return {
    ...part,
    estimate,
    words: `${value}${range}, by ${SOURCES[source]}; ${plural(waited, 'execution')} waited`,
    tells: low === high ? null : 'more executions under load, or a crew that reports its times',
  }
}

function queuePart({ queueLimit, workers }: LearnedCrew): TwinPart {
  const part = { ...NOTHING, name: 'queue limit', unit: 'executions' as const }
  if (queueLimit === null) {
    return {
      ...part,
      words: 'no kickoff was turned away by a full queue',
      identified: false,
      tells:
        workers.high === null
          ? 'a load that fills the workers'
          : 'a load beyond what the workers can finish',
    }
  }
  const { limit, low, high, status, refusals } = queueLimit
  return {
    ...part,
    at: 'capacity.queueLimit',
    estimate: { value: limit, low, high },
    words:
      `${limit}; ${plural(refusals, 'kickoff')} were answered with ${status} while that many ` +
      'waited',
  }
}

function coldPart({ cold, runs }: LearnedCrew): TwinPart {
  const part = { ...NOTHING, name: 'cold start', unit: 'ms' as const }
  if (cold === null) {
    const isHidden = runs.some(({ truth }) => truth === 'polls')
    return {
      ...part,
      words: 'none was seen',
      identified: !isHidden,
      tells: isHidden ? 'a crew that reports how long executions ran' : null,
    }
  }
  const { delays, awakeAfter, asleepAfter } = cold
  const [low, high] = [Math.min(...delays), Math.max(...delays)].map((each) => each / MICROS_PER_MS)
  const mean = meanOf(delays) / MICROS_PER_MS
  const isKnown = asleepAfter !== null && awakeAfter !== null
  const idle = formatMs(idleOf(cold) / MICROS_PER_MS)
  const pauses = isKnown
    ? `it sleeps after a pause between ${formatMs(awakeAfter / MICROS_PER_MS)} and ` +
      formatMs(asleepAfter / MICROS_PER_MS)
    : `${idle} without work is an assumption`
  return {
    ...part,
    at: 'capacity.coldStart',
    estimate: { value: mean, low: low!, high: high! },
    words: `${formatMs(mean)} on average over ${delays.length}; ${pauses}`,
    identified: isKnown,
    tells: isKnown ? null : 'pauses of several lengths between kickoffs',
  }
}

function failureParts({ failures, tasks }: LearnedCrew): TwinPart[] {
  return failures.tasks.map(({ failed, reached, low, high, messages }, place) => ({
    ...NOTHING,
    name: `failures of ${tasks[place]!.name}`,
    unit: 'share',
    at: failed === 0 ? null : `tasks.${place}.failure`,
    estimate: { value: failed / Math.max(1, reached), low, high },
    words: `${failed} of ${plural(reached, 'execution')}${messageWords(messages)}`,
    identified: failed > 0,
    tells: failed > 0 ? null : `it is at most ${formatShare(high)}; more executions would show it`,
  }))
}

function messageWords(messages: readonly { message: string; count: number }[]): string {
  if (messages.length <= 1) return ''
  return `, with ${messages.length} messages; the twin has the most frequent one`
}

function stuckPart({ failures: { stuck } }: LearnedCrew): TwinPart {
  const { count, of, low, high } = stuck
  return {
    ...NOTHING,
    name: 'stuck executions',
    unit: 'share',
    at: count === 0 ? null : 'stuck',
    estimate: { value: count / Math.max(1, of), low, high },
    words: `${count} of ${plural(of, 'execution')} never ended`,
  }
}

function peopleParts(learned: LearnedCrew): TwinPart[] {
  const { asks, tasks, runs } = learned
  const known = asks.map((each) => askPart(each, tasks[each.place]!.name))
  const isHidden = runs.some(({ truth, asksPeople }) => asksPeople && truth !== 'ledger')
  if (!isHidden) return known
  const words =
    'the crew asks people, and only a ledger says when: the twin asks nobody, and its tasks ' +
    'take as long as task and answer together'
  const tells = 'asks in the profile, with how often people are asked and how long they take'
  return [...known, { ...NOTHING, name: 'people', words, identified: false, tells }]
}

function askPart({ place, asked, reached, low, high, open, fit }: Asks, task: string): TwinPart {
  const name = `people asked about ${task}`
  const often = `${asked} of ${plural(reached, 'execution')}`
  const estimate = { value: asked / reached, low, high }
  const unanswered = open === 0 ? '' : `; ${open} had no answer yet`
  if (fit === null) {
    const words = `${often}; too few answers for a distribution, so the twin asks nobody`
    const tells = `a run with at least ${FEWEST} answers`
    return { ...NOTHING, name, unit: 'share', estimate, words, identified: false, tells }
  }
  const took = shapeWords(fit.distribution, 'ms')
  const words =
    `${often}; answers took ${took}${unanswered}. Whether a worker waits with the execution is ` +
    'not known: in the twin it serves others'
  return { ...NOTHING, name, unit: 'share', estimate, words, at: `tasks.${place}.asks` }
}

function latencyPart(operation: MeasuredOperation, { fit, load }: RequestTimes): TwinPart {
  const part = { ...NOTHING, name: `${operation} latency`, unit: 'ms' as const }
  if (fit === null) {
    const words = 'too few answers over a connection that was already open'
    return { ...part, words, identified: false, tells: 'more requests, closer together' }
  }
  const grows = load?.grows === true
  const growth =
    load === null
      ? ''
      : `; median ${formatMs(load.few / MICROS_PER_MS)} beside few requests, ` +
        `${formatMs(load.many / MICROS_PER_MS)} beside many`
  const own = fitted(fit, 'ms')
  return {
    ...part,
    ...own,
    at: `http.latency.${operation}`,
    words: `${own.words}, network included${growth}`,
    identified: !grows,
    tells: grows
      ? 'the twin draws latency from all loads alike: a pool of its own (http.pool) would make ' +
        'it grow'
      : null,
  }
}

function outputPart({ output, tasks }: LearnedCrew): TwinPart {
  const part = { ...NOTHING, name: 'output size', unit: 'bytes' as const }
  if (output === null) {
    return { ...part, words: 'too few outputs', identified: false, tells: 'more executions' }
  }
  const own = fitted(output, 'bytes')
  return {
    ...part,
    ...own,
    at: `tasks.${tasks.length - 1}.output`,
    words:
      tasks.length === 1
        ? own.words
        : `${own.words}; only final outputs are recorded, so every task has that size`,
  }
}

/** The study that learns more about limits than the answers of a run show. */
const TELLS_LIMITS = 'crewload limits on the target'

function limitParts({ limits, leftOut, unexplained }: LearnedCrew): TwinPart[] {
  const unknown = { ...NOTHING, identified: false, tells: TELLS_LIMITS }
  const all = [...limits, ...leftOut].map(({ told }) => told)
  return [
    ...limits.map(({ told }, i): TwinPart => ({
      ...NOTHING,
      name: `limit on ${told.operation}`,
      at: `limits.rules.${i}`,
      words: limitWords(told),
    })),
    ...leftOut.map(({ told, why }) => ({
      ...unknown,
      name: `limit on ${told.operation}`,
      words: `${limitWords(told)}; the twin omits it, because ${why}`,
    })),
    ...all.flatMap(({ operation, also }) =>
      also.map((further) => ({
        ...unknown,
        name: `further limit on ${operation}`,
        words: furtherWords(further),
      })),
    ),
    ...(unexplained === 0
      ? []
      : [
          {
            ...unknown,
            name: 'limits',
            words:
              `${plural(unexplained, 'request')} were answered with a 429 that no limit ` +
              'explains',
          },
        ]),
  ]
}

function limitWords({ kind, probability }: LimitTold): string {
  if (kind === 'unknown') return 'a limit of no known kind, by the study of limits'
  return `${kind}, probability ${threeDigits(probability)}, by the study of limits`
}

function furtherWords({ kind, basis }: FurtherTold): string {
  return basis === 'promised'
    ? `${kind}, promised by headers alone; the twin omits it, because no request reached it`
    : `${kind}, by the study of limits; the twin omits it, because it has only one limit per ` +
        'operation'
}

function keepAlivePart({ keepAlive: { kept, closed, n } }: LearnedCrew): TwinPart {
  const part = { ...NOTHING, name: 'keep-alive', unit: 'ms' as const }
  if (n === 0) {
    return { ...part, words: 'no second request', identified: false, tells: 'longer executions' }
  }
  const [least, most] = [kept ?? 0, closed].map((each) => each && each / MICROS_PER_MS)
  const words =
    closed === null
      ? `connections were used again after pauses of up to ${formatMs(least!)}`
      : `connections were used again after pauses of up to ${formatMs(least!)}, and never after ` +
        (formatMs(most!) === formatMs(least!) ? 'longer ones' : `${formatMs(most!)} or more`)
  return {
    ...part,
    words: `${words}; this depends on client and server together, and is not part of a profile`,
    estimate: { value: least!, low: least!, high: most ?? null },
    identified: closed !== null,
    tells: closed === null ? 'longer intervals between polls' : null,
  }
}

function errorParts({ errors }: LearnedCrew): TwinPart[] {
  return errors.map(({ operation, status, count, of, low, high }, i) => ({
    ...NOTHING,
    name: `${status} on ${operation}`,
    unit: 'share',
    at: `faults.${i}`,
    estimate: { value: count / of, low, high },
    words: `${count} of ${plural(of, 'request')}`,
  }))
}

/** The comments above the numbers in the YAML of the profile, by their path. */
export function commentsOf(parts: readonly TwinPart[]): Map<string, string> {
  return new Map(
    parts.flatMap(({ at, words, identified, tells }) => {
      if (at === null) return []
      const doubt = identified || tells === null ? '' : ` Not identified: ${tells}.`
      return [[at, `${words.charAt(0).toUpperCase()}${words.slice(1)}.${doubt}`] as const]
    }),
  )
}
