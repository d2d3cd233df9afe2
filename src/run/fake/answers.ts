/** Checks the shape of a fake crew's answers: another service in its place may answer anything. */
import type { Asked, FaultMark, FaultSpells, LedgerRow } from '../../crew/ledger.ts'
import { isLedgerTime } from '../../crew/fake/clock.ts'

/** The fields as received: of any type, or missing. */
type UnreadFields<Shape> = { [Key in keyof Shape]?: unknown }

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

export function isLedgerRow(value: unknown): value is LedgerRow {
  const row = fieldsOf(value) as UnreadFields<LedgerRow>
  return (
    isString(row.kickoff_id) &&
    Number.isSafeInteger(row.ordinal) &&
    isOrNull(row.correlation, isString) &&
    isLedgerTime(row.accepted_ms) &&
    isOrNull(row.started_ms, isLedgerTime) &&
    isOrNull(row.ended_ms, isLedgerTime) &&
    OUTCOMES.has(row.outcome) &&
    isListOf(row.tasks, isTask) &&
    isOrNull(row.output_hash, isString) &&
    (row.asked === undefined || isListOf(row.asked, isAsked)) &&
    (row.faults === undefined || isListOf(row.faults, isFaultMark))
  )
}

export function isFaultMark(value: unknown): value is FaultMark {
  const mark = fieldsOf(value) as UnreadFields<FaultMark>
  return (
    isString(mark.fault) &&
    OPERATIONS.has(mark.operation) &&
    isLedgerTime(mark.at_ms) &&
    isOrNull(mark.correlation, isString) &&
    isOrNull(mark.kickoff_id, isString)
  )
}

export function isFaultSpells(value: unknown): value is FaultSpells {
  const { fault, kind, always, spells } = fieldsOf(value) as UnreadFields<FaultSpells>
  return (
    isString(fault) && isString(kind) && typeof always === 'boolean' && isListOf(spells, isSpell)
  )
}

function isSpell(value: unknown): boolean {
  const { from_ms, to_ms } = fieldsOf(value) as UnreadFields<FaultSpells['spells'][number]>
  return isLedgerTime(from_ms) && isOrNull(to_ms, isLedgerTime)
}

function isAsked(value: unknown): boolean {
  const { task_id, from_ms, to_ms } = fieldsOf(value) as UnreadFields<Asked>
  return isString(task_id) && isLedgerTime(from_ms) && isOrNull(to_ms, isLedgerTime)
}

function isTask(value: unknown): boolean {
  const { task_id, execution_time } = fieldsOf(value) as UnreadFields<LedgerRow['tasks'][number]>
  return isString(task_id) && Number.isFinite(execution_time)
}

/** The fields of an object; none for anything else. */
function fieldsOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isOrNull(value: unknown, is: (value: unknown) => boolean): boolean {
  return value === null || is(value)
}

function isListOf(value: unknown, is: (value: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is)
}
