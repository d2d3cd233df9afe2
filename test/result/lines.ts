/** Journals of made-up runs: seeded, consistent, and easy to spoil in one place. */
import type { LedgerRow } from '../../src/crew/ledger.ts'
import type {
  FinishedLine,
  JournalLine,
  RunLine,
} from '../../src/execution/record/journal-lines.ts'
import { isUnsent, TURNED_AWAY, unsentRecord } from '../../src/execution/machine.ts'
import type { ExecutionRecord, RequestColumns } from '../../src/execution/record/record.ts'
import { addRow, emptyColumns } from '../../src/execution/record/columns.ts'
import { PLAIN_REQUEST } from '../execution/requests.ts'
import { createRandom } from '../../src/base/random.ts'
import { createRecorder } from '../../src/result/counting/recorder.ts'
import type { ResultDocument } from '../../src/result/document.ts'
import { describePlan } from '../../src/scenario/plan-data.ts'
import type { PlanDocument } from '../../src/scenario/plan.schema.ts'
import { testPlan } from '../support/plan.ts'

export interface RunOptions {
  executions: number
  seed?: number
  instances?: number
  /** Between two polls. */
  pollMicros?: number
  plan?: Partial<PlanDocument>
  /** Changes each record before it is written. */
  spoil?: (record: ExecutionRecord) => void
}

const RUN_ID = 'run-1'
const ARRIVAL_GAP_MICROS = 100_000

/** Its arrivals end by their number, so that no rate and no span follow from it. */
const PLAN = describePlan(
  testPlan({
    name: 'steady',
    description: 'made up',
    arrivals: {
      kind: 'closed',
      clients: 10,
      forMicros: 3_600_000_000,
      iterations: 1_000,
      think: { kind: 'constant', value: 0 },
      rampUpMicros: 0,
    },
    validity: {
      latenessP99Micros: 5_000,
      latenessShare: 0,
      utilisation: 0.7,
      littleResidual: 0.05,
    },
  }),
)

export function runLine(instance = 0, instances = 1, plan: Partial<PlanDocument> = {}): RunLine {
  return {
    type: 'run',
    schema: 'crewload/journal/1',
    crewload: '0.1.0',
    runId: RUN_ID,
    scenario: 'steady',
    instance,
    instances,
    engine: 'node',
    network: null,
    place: { kind: 'deployment', target: 'http://127.0.0.1:1' },
    anchorUnixMs: 1_795_248_900_000,
    anchorErrorMicros: 0,
    seed: 42,
    speed: 1,
    planHash: 'abc',
    plan: { ...PLAN, ...plan },
  }
}

/** An execution that is accepted 3 ms after it was intended and completes after 1 to 3 s. */
export function executionRecord(index: number, options: Partial<RunOptions> = {}): ExecutionRecord {
  const { seed = 1, pollMicros = 500_000, instances = 1 } = options
  const random = createRandom(seed).fork('execution', index)
  const intendedMicros = index * ARRIVAL_GAP_MICROS
  const acceptedMicros = intendedMicros + 3_000
  const durationMicros = Math.round(1_000_000 + 2_000_000 * random.next())
  const polls = emptyColumns()
  let now = acceptedMicros
  let lastNotDoneSentMicros: number | null = null
  for (;;) {
    const due = now + pollMicros
    const service = 1_000 + random.int(2_000)
    request(polls, due - intendedMicros, random.int(300), service, 200, 0)
    const sent = due + polls.lateMicros.at(-1)! + polls.waitMicros.at(-1)!
    now = sent + service
    if (sent >= acceptedMicros + durationMicros) break
    lastNotDoneSentMicros = sent
  }
  const kickoff = emptyColumns()
  request(kickoff, 0, 100, 2_850, 200, 1)
  const arrival = { index, instance: index % instances, intendedMicros, warmUp: false }
  return {
    ...structuredClone(unsentRecord(arrival, TURNED_AWAY, 0)),
    kickoffId: `id-${index}`,
    dialect: 'interface',
    tags: { topic: index % 2 === 0 ? 'ai' : 'law' },
    outcome: 'completed',
    reason: null,
    sentMicros: intendedMicros + 150,
    acceptedMicros,
    endedMicros: now,
    lastNotDoneSentMicros,
    firstDoneReceivedMicros: now,
    kickoff,
    polls,
    wastedPolls: polls.answer.length - 1,
    reported: {
      executionTimeSeconds: durationMicros / 1e6,
      tasks: [
        { taskId: 'research', agent: 'Researcher', executionTimeSeconds: durationMicros / 2e6 },
      ],
    },
    output: { bytes: 100, hash: index.toString(16).padStart(8, '0') },
  }
}

function request(
  columns: RequestColumns,
  due: number,
  late: number,
  service: number,
  answer: number,
  fresh: 0 | 1,
): void {
  addRow(columns, {
    ...PLAIN_REQUEST,
    dueMicros: due,
    lateMicros: late,
    waitMicros: 50,
    serviceMicros: service,
    answer,
    fresh,
  })
}

/** The lines of one execution, in order. */
function executionLines(record: ExecutionRecord): JournalLine[] {
  const { index, instance, intendedMicros, acceptedMicros, kickoffId } = record
  const ended: JournalLine = { type: 'ended', record }
  if (isUnsent(record.outcome)) return [ended]
  const atMicros = intendedMicros + 100
  const started: JournalLine = { type: 'started', index, instance, intendedMicros, atMicros }
  if (acceptedMicros === null || kickoffId === null) return [started, ended]
  return [
    started,
    {
      type: 'accepted',
      index,
      instance,
      kickoffId,
      atMicros: acceptedMicros,
      kickoff: record.kickoff,
    },
    ended,
  ]
}

/**
 * The lines of all instances: `run` first, `finished` last, with counters that agree with the
 * records.
 */
export function journalLines(options: RunOptions): JournalLine[] {
  const { instances = 1 } = options
  return Array.from({ length: instances }, (_, instance) => instanceLines(instance, options)).flat()
}

export function instanceLines(instance: number, options: RunOptions): JournalLine[] {
  const { executions, instances = 1, plan, spoil } = options
  const records = Array.from({ length: executions }, (_, index) => executionRecord(index, options))
    .filter((record) => record.instance === instance)
    .map((record) => {
      spoil?.(record)
      return record
    })
  return [
    runLine(instance, instances, plan),
    ...records.flatMap(executionLines),
    finishedLine(instance, records),
  ]
}

function finishedLine(instance: number, records: readonly ExecutionRecord[]): FinishedLine {
  const accepted = records.filter(({ acceptedMicros }) => acceptedMicros !== null)
  return {
    type: 'finished',
    instance,
    atMicros: Math.max(0, ...records.map(({ endedMicros }) => endedMicros)),
    stopped: null,
    stopReason: null,
    engine: {
      arrivals: records.length,
      ended: records.length,
      inFlightIntegralMicros: accepted.reduce(
        (sum, { endedMicros, acceptedMicros }) => sum + endedMicros - acceptedMicros!,
        0,
      ),
      maxInFlight: 20,
      confirmations: 0,
    },
    host: {
      utilisationSustained: 0.2,
      utilisationMean: 0.1,
      connectionsOpened: 4,
      clockSteps: 0,
      journalErrors: 0,
      peakMemoryBytes: 80_000_000,
    },
  }
}

/** What a truthful ledger has for a record, on a clock that is 5 s ahead of the run's. */
export function ledgerRow(record: ExecutionRecord): LedgerRow {
  const acceptedMs = record.acceptedMicros! / 1_000 - 1 + LEDGER_AHEAD_MS
  const runningMs = (record.reported.executionTimeSeconds ?? 0) * 1_000
  return {
    kickoff_id: record.kickoffId!,
    ordinal: record.index,
    correlation: `${RUN_ID}/${record.index}`,
    accepted_ms: acceptedMs,
    started_ms: acceptedMs + 1,
    ended_ms: acceptedMs + 1 + runningMs,
    outcome: 'completed',
    tasks: [{ task_id: 'research', execution_time: runningMs / 1_000 }],
    output_hash: record.output?.hash ?? null,
  }
}

const LEDGER_AHEAD_MS = 5_000
export const LEDGER_CLOCK = {
  offsetMicros: -LEDGER_AHEAD_MS * 1_000,
  anchorUnixMs: null,
  errorMicros: 100,
  leastRoundTripMicros: 200,
  samples: 2,
}

/** What a truthful ledger has for so many executions. */
export function ledgerRows(executions: number): LedgerRow[] {
  return Array.from({ length: executions }, (_, index) => ledgerRow(executionRecord(index)))
}

export const CONTEXT = { command: null, node: null, unreadableLines: 0 }

/** What a run of these lines comes to, held against the rows of a ledger if there are any. */
export function documentOf(
  lines: readonly JournalLine[],
  rows: readonly LedgerRow[] = [],
  unreadableLines = 0,
): ResultDocument {
  const recorder = createRecorder({ claims: rows.length > 0 })
  for (const line of lines) recorder.record(line)
  const ledger = rows.length > 0 ? { rows, clock: LEDGER_CLOCK } : null
  const document = recorder.document({ ledger, ...CONTEXT, unreadableLines })
  recorder.destroy()
  return document
}

export function shuffle(lines: readonly JournalLine[]): JournalLine[] {
  const random = createRandom(5)
  return lines
    .map((line) => ({ line, key: random.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ line }) => line)
}
