/**
 * Parses arrivals as an author writes them into the plan's rate segments, closed clients or what to
 * replay; times are still those of the author.
 */
import { z } from 'zod'
import type { Distribution } from '../../base/distribution.ts'
import type { Micros } from '../../base/units.ts'
import type { ArrivalProcess } from '../arrivals/processes.ts'
import { PROCESS_WORDS } from '../arrivals/processes.schema.ts'
import type { RecordingFormat } from '../options.ts'
import type { RateSegment } from '../plan.ts'
import {
  duration,
  integer,
  number,
  oneOf,
  positiveDuration,
  rate,
  text,
  reject,
  choice,
  section,
} from '../quantities.ts'

const MAX_STEPS = 1_000
const MAX_CLIENTS = 100_000
const MAX_ITERATIONS = 1_000_000_000
const LONGEST_CLOSED_RUN_MICROS = 86_400_000_000

const process: z.ZodType<ArrivalProcess> = choice(
  Object.fromEntries(
    Object.entries(PROCESS_WORDS).flatMap(([kind, { schema }]) =>
      schema === null ? [] : [[kind, schema]],
    ),
  ),
  oneOf(namesAlone()).transform((kind) => ({ kind }) as ArrivalProcess),
)

/** The names of the processes without a schema, which have no parameters. */
function namesAlone(): string[] {
  return Object.entries(PROCESS_WORDS).flatMap(([kind, { schema }]) =>
    schema === null ? [kind] : [],
  )
}

const common = { warmUp: duration().default(0) }
const open = { ...common, process: process.optional() }

const constant = section({ rate: rate(), for: positiveDuration(), ...open }).transform((value) =>
  openArrivals([{ from: value.rate, to: value.rate, forMicros: value.for }], value),
)

const ramp = section({
  ramp: section({ from: rate(), to: rate() }),
  for: positiveDuration(),
  ...open,
}).transform((value) => openArrivals([{ ...value.ramp, forMicros: value.for }], value))

const steps = section({
  steps: z
    .array(section({ rate: rate(), for: positiveDuration() }), {
      error: 'expected a list of steps',
    })
    .min(1, { error: 'expected at least one step' })
    .max(MAX_STEPS, { error: `expected at most ${MAX_STEPS} steps` }),
  ...open,
}).transform((value) =>
  openArrivals(
    value.steps.map((step) => ({ from: step.rate, to: step.rate, forMicros: step.for })),
    value,
  ),
)

const spike = section({
  spike: section({ base: rate(), peak: rate(), after: duration(), for: positiveDuration() }),
  for: positiveDuration(),
  ...open,
}).transform((value, context) => {
  const { base, peak, after, for: lasts } = value.spike
  const rest = value.for - after - lasts
  if (rest < 0) {
    return reject(
      context,
      undefined,
      'the spike ends after the whole: make `for` longer than `after` and `spike.for`',
    )
  }
  const segments = [
    { from: base, to: base, forMicros: after },
    { from: peak, to: peak, forMicros: lasts },
    { from: base, to: base, forMicros: rest },
  ]
  return openArrivals(
    segments.filter(({ forMicros }) => forMicros > 0),
    value,
  )
})

const thinkTime = choice(
  {
    uniform: section({ uniform: section({ min: duration(), max: duration() }) }),
    exponential: section({ exponential: section({ mean: positiveDuration() }) }),
    lognormal: section({
      lognormal: section({
        median: positiveDuration(),
        p95: positiveDuration(),
        cap: positiveDuration().optional(),
      }),
    }),
  },
  duration(),
).transform((value, context): Distribution => {
  if (typeof value === 'number') return { kind: 'constant', value }
  if ('exponential' in value) return { kind: 'gamma', mean: value.exponential.mean, cv: 1 }
  if ('uniform' in value) {
    const { min, max } = value.uniform
    return min <= max
      ? { kind: 'uniform', min, max }
      : reject(context, undefined, 'expected min <= max')
  }
  const { median, p95, cap } = value.lognormal
  if (p95 < median) return reject(context, undefined, 'expected median <= p95')
  return { kind: 'lognormal', median, p95, ...(cap === undefined ? {} : { cap }) }
})

const closedEnd = {
  for: positiveDuration().optional(),
  iterations: integer(1, MAX_ITERATIONS).optional(),
  ...common,
}

const closed = section({
  clients: integer(1, MAX_CLIENTS),
  think: thinkTime.optional(),
  rampUp: duration().default(0),
  ...closedEnd,
}).transform(closedArrivals)

const backlog = section({ backlog: integer(1, MAX_CLIENTS), ...closedEnd }).transform(
  ({ backlog: clients, ...value }, context) =>
    closedArrivals({ ...value, clients, rampUp: 0 }, context),
)

interface ParsedClosed {
  clients: number
  for?: Micros | undefined
  iterations?: number | undefined
  think?: Distribution | undefined
  rampUp: Micros
  warmUp: Micros
}

function closedArrivals(value: ParsedClosed, context: z.RefinementCtx) {
  if (value.for === undefined && value.iterations === undefined) {
    return reject(context, undefined, 'expected `for`, `iterations` or both')
  }
  return {
    kind: 'closed' as const,
    clients: value.clients,
    forMicros: value.for ?? LONGEST_CLOSED_RUN_MICROS,
    iterations: value.iterations ?? null,
    think: value.think ?? { kind: 'constant' as const, value: 0 },
    rampUpMicros: value.rampUp,
    warmUpMicros: value.warmUp,
  }
}

const columns = z.record(z.string(), text('the name of a column'), {
  error: 'expected an object with the names of columns',
})

const replay = section({
  replay: text('the path of a run folder, a CSV file, JSON lines or an access log'),
  format: oneOf(['journal', 'csv', 'json-lines', 'access-log']).optional(),
  time: text('the name of a column').optional(),
  inputs: columns.optional(),
  where: z
    .record(z.string(), text('the text of a column'), {
      error: 'expected an object with the texts of columns',
    })
    .optional(),
  speed: number(0.001, 1_000).default(1),
  scale: number(0.001, 1_000).default(1),
  maxGap: positiveDuration().optional(),
  ...common,
}).transform((value, context) => {
  const format = value.format ?? formatOf(value.replay)
  const ofRecordings = (['time', 'inputs', 'where'] as const).find(
    (key) => value[key] !== undefined,
  )
  if (format === 'journal' && ofRecordings !== undefined) {
    return reject(
      context,
      undefined,
      `\`${ofRecordings}\` needs a recording with columns: a name that ends in .csv, .jsonl or .log, or \`format\``,
    )
  }
  const { time = 'time', inputs = {}, where = {} } = value
  const kickoffs = { method: 'POST', path: '/kickoff' }
  const isPlainLog = format === 'access-log' && value.where === undefined
  return {
    kind: 'replay' as const,
    path: value.replay,
    /** Null for the journal of a run. */
    recording:
      format === 'journal' ? null : { format, time, inputs, where: isPlainLog ? kickoffs : where },
    changes: {
      speed: value.speed,
      scale: value.scale,
      maxGapMicros: value.maxGap ?? Infinity,
    },
    warmUpMicros: value.warmUp,
  }
})

function formatOf(path: string): RecordingFormat {
  const ending = /\.(csv|jsonl|log)(\.gz)?$/i.exec(path)?.[1]?.toLowerCase()
  if (ending === 'csv') return 'csv'
  if (ending === 'jsonl') return 'json-lines'
  return ending === 'log' ? 'access-log' : 'journal'
}

export const arrivals = choice({
  rate: constant,
  ramp,
  steps,
  spike,
  clients: closed,
  backlog,
  replay,
})

/** How arrivals are read from a file that crewload did not write. */
export type RecordingSource = NonNullable<Extract<ParsedArrivals, { kind: 'replay' }>['recording']>

export type ParsedArrivals = z.output<typeof arrivals>

function openArrivals(
  segments: readonly RateSegment[],
  options: { process?: ArrivalProcess | undefined; warmUp: Micros },
) {
  return {
    kind: 'open' as const,
    segments,
    process: options.process ?? { kind: 'uniform' as const },
    warmUpMicros: options.warmUp,
  }
}
