/** Checks the shape of a fake crew's answers: another service in its place may answer anything. */
import type { FaultMark, FaultSpells, LedgerClock, LedgerRow } from '../../crew/ledger.ts'

/** About three hundred years in milliseconds: no clock of a crew can be beyond it. */
const MOST_MS = 1e13

/** The fields as received: of any type, or missing. */
type Fields<Shape> = { [Key in keyof Shape]?: unknown }

const OUTCOMES: ReadonlySet<unknown> = new Set<LedgerRow['outcome']>([
  'running',
  'completed',
  'failed',
  'stuck',
  'lost',
])
const OPERATIONS: ReadonlySet<unknown> = new Set<FaultMark['operation']>([
  'inputs',
  'kickoff',
  'status',
])

/** A clock has these three fields; no other service returns them under this address. */
export function isClock(value: unknown): value is LedgerClock {
  const { now_ms, anchor_unix_ms, speed } = fieldsOf(value) as Fields<LedgerClock>
  return isTime(now_ms) && isTime(anchor_unix_ms) && Number.isFinite(speed) && Number(speed) > 0
}

export function isLedgerRow(value: unknown): value is LedgerRow {
  const row = fieldsOf(value) as Fields<LedgerRow>
  return (
    isString(row.kickoff_id) &&
    Number.isSafeInteger(row.ordinal) &&
    isOrNull(row.correlation, isString) &&
    isTime(row.accepted_ms) &&
    isOrNull(row.started_ms, isTime) &&
    isOrNull(row.ended_ms, isTime) &&
    OUTCOMES.has(row.outcome) &&
    isListOf(row.tasks, isTask) &&
    isOrNull(row.output_hash, isString) &&
    (row.faults === undefined || isListOf(row.faults, isFaultMark))
  )
}

export function isFaultMark(value: unknown): value is FaultMark {
  const mark = fieldsOf(value) as Fields<FaultMark>
  return (
    isString(mark.fault) &&
    OPERATIONS.has(mark.operation) &&
    isTime(mark.at_ms) &&
    isOrNull(mark.correlation, isString) &&
    isOrNull(mark.kickoff_id, isString)
  )
}

export function isFaultSpells(value: unknown): value is FaultSpells {
  const { fault, kind, always, spells } = fieldsOf(value) as Fields<FaultSpells>
  return (
    isString(fault) && isString(kind) && typeof always === 'boolean' && isListOf(spells, isSpell)
  )
}

function isSpell(value: unknown): boolean {
  const { from_ms, to_ms } = fieldsOf(value) as Fields<FaultSpells['spells'][number]>
  return isTime(from_ms) && isOrNull(to_ms, isTime)
}

function isTask(value: unknown): boolean {
  const { task_id, execution_time } = fieldsOf(value) as Fields<LedgerRow['tasks'][number]>
  return isString(task_id) && Number.isFinite(execution_time)
}

/** The fields of an object; none for anything else. */
function fieldsOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) < MOST_MS
}

function isOrNull(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === null || is(value)
}

function isListOf(value: unknown, is: (value: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is)
}
