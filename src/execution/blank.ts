/** The record of an arrival before anything has happened, and without what happened. */
import { EXECUTION_FIELDS } from './record/execution-fields.ts'
import type { ExecutionRecord } from './record/record.ts'

const NAMES = Object.keys(EXECUTION_FIELDS) as (keyof ExecutionRecord)[]

/** Without what is missing then. */
const BLANK = Object.fromEntries(
  Object.entries(EXECUTION_FIELDS).flatMap(([name, field]) =>
    'blank' in field ? [[name, field.blank]] : [],
  ),
) as unknown as ExecutionRecord

/** The record of an arrival that was not reached. */
export function blankRecord({
  index,
  instance,
  intendedMicros,
  warmUp,
}: Pick<ExecutionRecord, 'index' | 'instance' | 'intendedMicros' | 'warmUp'>): ExecutionRecord {
  return { ...BLANK, index, instance, warmUp, intendedMicros, endedMicros: intendedMicros }
}

/** Takes every part out of it that is more than a number or a text. */
export function emptyRecord(record: ExecutionRecord): void {
  const parts: Partial<Record<string, unknown>> = record
  for (const name of NAMES) {
    if (typeof parts[name] !== 'object') continue
    if (name in BLANK) parts[name] = BLANK[name]
    else delete parts[name]
  }
}
