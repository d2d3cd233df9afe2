/**
 * Turns the author's scenario into the plan: overrides, one check of everything, defaults, and the
 * time-lapse.
 */
import { isObject } from '../../crew/json.ts'
import { demandNone, UserError, nearestName } from '../../base/mistakes.ts'
import type { ArrivalPlan, HttpPlan, Plan, RetryPolicy, Threshold, WebhooksPlan } from '../plan.ts'
import type { ScenarioFiles } from './overrides.ts'
import { toMistakes } from './mistakes.ts'
import { applyOverrides } from './overrides.ts'
import { scenario as schema } from './scenario.ts'
import { unreachable } from '../../base/assert.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { formatDuration } from '../../base/numbers.ts'
import { isRows, isSame, createInputSource } from '../author/inputs.ts'
import type { InputMaterial } from '../inputs.ts'
import type { RecordedArrivals } from '../arrivals/replay.ts'
import { replayed } from '../arrivals/replay.ts'
import { parseMetric } from '../thresholds/metrics.ts'
import type { ParsedArrivals } from './arrivals.ts'
import type { ParsedScenario } from './scenario.ts'
import type { Distribution } from '../../base/distribution.ts'
import { scale } from '../../base/distribution.ts'
import { reportEnds } from '../../crew/push.ts'
import { createRandom } from '../../base/random.ts'
import type { Micros, Rate } from '../../base/units.ts'
import { timedPolicy } from '../polling/index.ts'
import { atSpeed } from '../thresholds/thresholds.ts'

export type { ScenarioFiles } from './overrides.ts'
export { namedFiles } from './overrides.ts'
export type { RecordingSource } from './arrivals.ts'

const MAX_SPEED = 1_000_000

export interface PlanOptions {
  /** The source of the scenario for messages: its path or name. */
  source: string
  /** Overrides the scenario's own seed. */
  seed?: number | undefined
  /**
   * Time-lapse, over 0; default 1. Divides every time except those of HTTP and of the generator.
   */
  speed?: number | undefined
  /** Overrides by path, as given by `--set`. */
  set?: Readonly<Record<string, string>> | undefined
  files?: ScenarioFiles
}

/**
 * Checks a scenario and fills in every default. Throws one UserError with all mistakes, each with
 * its path, what was found and what is allowed. Pure: the same arguments give the same plan, except
 * for the functions in it.
 */
export function planScenario(scenario: unknown, options: PlanOptions): Plan {
  const { source, speed = 1, set = {}, files = {} } = options
  if (!(speed > 0 && speed <= MAX_SPEED)) {
    const problem = `expected a number over 0, at most ${MAX_SPEED}`
    throw new UserError({ source: '--speed', problem, found: String(speed) })
  }
  const author = withInputs(applyOverrides(scenario, set))
  const checked = schema.safeParse(author)
  if (!checked.success) throw new UserError(toMistakes(checked.error.issues, author, source))
  const seed = options.seed ?? checked.data.seed
  const replay = replayOf(checked.data.arrivals, files, seed)
  const mistakes = checkAcross(checked.data, { ...files, replay }, source)
  demandNone(mistakes)
  return toPlan(checked.data, { seed, speed, files: { ...files, replay } })
}

/** Recorded inputs may be all that the crew needs. */
function withInputs(author: unknown): unknown {
  if (!isObject(author) || author['inputs'] !== undefined) return author
  const { arrivals } = author
  return isObject(arrivals) && arrivals['inputs'] !== undefined ? { ...author, inputs: {} } : author
}

const NO_ARRIVALS: RecordedArrivals = { offsetsMicros: [] }

/** The recorded arrivals, as they are replayed. */
function replayOf(
  arrivals: ParsedArrivals,
  { replay = NO_ARRIVALS }: ScenarioFiles,
  seed: number,
): RecordedArrivals {
  if (arrivals.kind !== 'replay') return replay
  return replayed(replay, arrivals.changes, createRandom(seed))
}

/** Mistakes that a single option cannot show: between options, and in the files they name. */
function checkAcross(scenario: ParsedScenario, files: ScenarioFiles, source: string): Mistake[] {
  const unplaced = [
    ...arrivalMistakes(scenario.arrivals, files),
    ...inputMistakes(scenario, files),
    ...checkNameMistakes(scenario),
  ]
  return unplaced.map((mistake) => Object.assign(mistake, { source }))
}

type Unplaced = Omit<Mistake, 'source'>

function arrivalMistakes(arrivals: ParsedArrivals, files: ScenarioFiles): Unplaced[] {
  const lastsMicros = lengthMicros(arrivals, files)
  const mistakes: Unplaced[] = []
  if (arrivals.kind === 'open' && arrivals.segments.every(isSilent)) {
    mistakes.push({ path: 'arrivals', problem: 'every rate is 0: nothing would ever be sent' })
  }
  if (arrivals.kind === 'replay' && files.replay?.offsetsMicros.length === 0) {
    const { scale: kept } = arrivals.changes
    const problem =
      kept < 1
        ? `no arrivals are left at a scale of ${kept}`
        : 'no arrivals could be read from this journal'
    mistakes.push({ path: 'arrivals.replay', problem, found: JSON.stringify(arrivals.path) })
  }
  if (arrivals.warmUpMicros > 0 && arrivals.warmUpMicros >= lastsMicros) {
    const problem = `expected less than the length of the arrivals, ${formatDuration(lastsMicros)}`
    mistakes.push({
      path: 'arrivals.warmUp',
      problem,
      found: formatDuration(arrivals.warmUpMicros),
    })
  }
  return mistakes
}

function lengthMicros(arrivals: ParsedArrivals, files: ScenarioFiles): number {
  switch (arrivals.kind) {
    case 'open':
      return arrivals.segments.reduce((sum, { forMicros }) => sum + forMicros, 0)
    case 'closed':
      return arrivals.forMicros
    case 'replay':
      return files.replay?.offsetsMicros.at(-1) ?? Infinity
    default:
      return unreachable(arrivals)
  }
}

function isSilent({ from, to }: { from: { count: number }; to: { count: number } }): boolean {
  return from.count === 0 && to.count === 0
}

function inputMistakes(
  { inputs }: ParsedScenario,
  { rows = [], replay }: ScenarioFiles,
): Unplaced[] {
  if (replay?.inputs !== undefined && !isSame(inputs)) {
    const problem =
      'expected an object, the same for every arrival: `arrivals.inputs` adds the recorded ones'
    return [{ path: 'inputs', problem }]
  }
  if (isRows(inputs) && rows.length === 0) {
    const found = JSON.stringify(inputs.rows)
    return [{ path: 'inputs.rows', problem: 'no rows could be read from this file', found }]
  }
  return []
}

/** A threshold on `checks.<name>` needs a check of that name. */
function checkNameMistakes({ thresholds, checks }: ParsedScenario): Unplaced[] {
  const names = checks.map(({ name }) => name)
  return thresholds.flatMap(({ metric }) => {
    const reference = parseMetric(metric)
    if (reference?.kind !== 'check' || names.includes(reference.name)) return []
    const nearest = nearestName(reference.name, names)
    const problem = names.length === 0 ? 'the scenario has no checks' : 'no check of this name'
    const hint = nearest === undefined ? {} : { nearest: `checks.${nearest}` }
    return [{ path: `thresholds.${metric}`, problem, ...hint }]
  })
}

function toPlan(
  parsed: ParsedScenario,
  { seed, speed, files }: { seed: number; speed: number; files: ScenarioFiles },
): Plan {
  const lapse = timeLapse(speed)
  const { arrivals, admission } = parsed
  const { replay } = files
  return {
    name: parsed.name,
    description: parsed.description,
    seed,
    speed,
    arrivals: arrivalPlan(arrivals, lapse, replay?.offsetsMicros ?? []),
    warmUpMicros: lapse.time(arrivals.warmUpMicros),
    admission: {
      maxInFlight: admission.maxInFlight ?? null,
      whenFull: admission.whenFull,
    },
    maxDropped: admission.maxDropped,
    polling: timedPolicy(parsed.polling, lapse.time),
    honourRetryAfter: parsed.honourRetryAfter,
    retry: retryPolicy(parsed.retry, lapse),
    deadlineMicros: lapse.time(parsed.deadline),
    notFoundGraceMicros: lapse.time(parsed.notFoundGrace),
    human: parsed.human !== false,
    ...peoplePlan(parsed.human, lapse),
    confirmShare: parsed.confirm,
    drainMicros: lapse.time(Math.min(parsed.drain, parsed.deadline)),
    http: httpPlan(parsed),
    ...(parsed.paths === undefined ? {} : { paths: parsed.paths }),
    ...(parsed.webhooks === undefined ? {} : { webhooks: webhooksPlan(parsed.webhooks, lapse) }),
    ...(parsed.prices === undefined ? {} : { prices: parsed.prices }),
    circuit: parsed.circuit,
    budget: parsed.budget,
    inputs: createInputSource(
      {
        ...givenInputs(parsed, files),
        ...(parsed.kickoff === undefined ? {} : { kickoff: parsed.kickoff }),
        tags: parsed.tags,
      },
      createRandom(seed),
    ),
    checks: parsed.checks,
    thresholds: promised(parsed).map((threshold) => atSpeed(threshold, speed)),
    undecided: 'inconclusive',
    validity: parsed.validity,
  }
}

/** Recorded inputs are the rows of their file, one for each arrival, beside the scenario's own. */
function givenInputs(
  { inputs, arrivals }: ParsedScenario,
  { rows = [], replay }: ScenarioFiles,
): Pick<InputMaterial, 'inputs' | 'rows'> {
  if (arrivals.kind !== 'replay' || replay?.inputs === undefined) return { inputs, rows }
  return {
    inputs: { rows: arrivals.path },
    // As entries, because one of the inputs may itself be named `inputs`.
    rows: replay.inputs.map((own) => ({ inputs: Object.assign({}, inputs, own) })),
  }
}

interface TimeLapse {
  time: (micros: Micros) => Micros
  rate: (rate: Rate) => Rate
  distribution: (distribution: Distribution) => Distribution
}

/**
 * A time other than 0 remains at least a microsecond: a policy with an interval of zero would loop
 * without end.
 */
function timeLapse(speed: number): TimeLapse {
  return {
    time: (micros) => (micros === 0 ? 0 : Math.max(1, Math.round(micros / speed))),
    rate: ({ count, perMicros }) => ({ count: count * speed, perMicros }),
    distribution: (distribution) => (speed === 1 ? distribution : scale(distribution, 1 / speed)),
  }
}

function arrivalPlan(
  arrivals: ParsedArrivals,
  lapse: TimeLapse,
  offsetsMicros: readonly Micros[],
): ArrivalPlan {
  switch (arrivals.kind) {
    case 'open': {
      const segments = arrivals.segments.map(({ from, to, forMicros }) => ({
        from: lapse.rate(from),
        to: lapse.rate(to),
        forMicros: lapse.time(forMicros),
      }))
      return { kind: 'open', segments, process: arrivals.process }
    }
    case 'closed':
      return {
        kind: 'closed',
        clients: arrivals.clients,
        forMicros: lapse.time(arrivals.forMicros),
        iterations: arrivals.iterations,
        think: lapse.distribution(arrivals.think),
        rampUpMicros: lapse.time(arrivals.rampUpMicros),
      }
    case 'replay':
      return { kind: 'replay', offsetsMicros: offsetsMicros.map((offset) => lapse.time(offset)) }
    default:
      return unreachable(arrivals)
  }
}

function retryPolicy(policy: RetryPolicy, { time }: TimeLapse): RetryPolicy {
  const { backoff, budget } = policy
  return {
    ...policy,
    backoff: {
      ...backoff,
      initialMicros: time(backoff.initialMicros),
      maxMicros: time(backoff.maxMicros),
    },
    budget: { ...budget, windowMicros: time(budget.windowMicros) },
  }
}

function peoplePlan(
  human: ParsedScenario['human'],
  { time }: TimeLapse,
): { people?: NonNullable<Plan['people']> } {
  if (typeof human === 'boolean') return {}
  const { answer, after, task = null, form = null } = human
  return { people: { answers: answer, afterMicros: time(after), task, form } }
}

/** Nothing is promised of pushes where none was asked to report an end. */
function promised({ thresholds, webhooks }: ParsedScenario): readonly Threshold[] {
  if (webhooks !== undefined && reportEnds(webhooks.send)) return thresholds
  return thresholds.filter(
    ({ metric, source }) => metric !== 'pushes.missed' || source !== 'default',
  )
}

function webhooksPlan(
  { listen, publicUrl, send, wait }: NonNullable<ParsedScenario['webhooks']>,
  { time }: TimeLapse,
): WebhooksPlan {
  return { ...listen, publicUrl: publicUrl ?? null, hooks: send, waitMicros: time(wait) }
}

/** HTTP times are real: the time-lapse does not shorten the network's times. */
function httpPlan({ timeouts, connections, headers }: ParsedScenario): HttpPlan {
  return {
    connectTimeoutMicros: timeouts.connect,
    requestTimeoutMicros: timeouts.request,
    firstCallTimeoutMicros: timeouts.firstCall,
    maxBodyBytes: connections.maxBody,
    maxConnections: connections.max,
    preOpenConnections: Math.min(connections.preOpen, connections.max),
    keepAliveMicros: connections.keepAlive,
    headers,
  }
}
