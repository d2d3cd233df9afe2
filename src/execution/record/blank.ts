/** The record of an arrival before anything has happened, and without what happened. */
import type { ExecutionRecord } from './record.ts'
import { emptyColumns } from './request.ts'

/** All records share these until they are replaced: nobody writes to them. */
const NOTHING_ASKED = emptyColumns()
const NOTHING_REPORTED: ExecutionRecord['reported'] = { executionTimeSeconds: null, tasks: [] }
const NO_TAGS: ExecutionRecord['tags'] = {}
const NO_CHECKS: ExecutionRecord['checks'] = {}
const NO_VIOLATIONS: ExecutionRecord['violations'] = []
const NO_CHANGES: ExecutionRecord['changes'] = []

/** The record of an arrival that was not reached. */
export function blankRecord({
  index,
  instance,
  intendedMicros,
  warmUp,
}: Pick<ExecutionRecord, 'index' | 'instance' | 'intendedMicros' | 'warmUp'>): ExecutionRecord {
  return {
    index,
    instance,
    kickoffId: null,
    dialect: null,
    tags: NO_TAGS,
    warmUp,
    outcome: 'notReached',
    reason: null,
    intendedMicros,
    sentMicros: null,
    acceptedMicros: null,
    endedMicros: intendedMicros,
    lastNotDoneSentMicros: null,
    firstDoneReceivedMicros: null,
    kickoff: NOTHING_ASKED,
    polls: NOTHING_ASKED,
    wastedPolls: 0,
    changes: NO_CHANGES,
    reported: NOTHING_REPORTED,
    output: null,
    checks: NO_CHECKS,
    violations: NO_VIOLATIONS,
    resumed: false,
  }
}

/** Takes every part out of it that is more than a number or a short text. */
export function emptyRecord(record: ExecutionRecord): void {
  record.kickoff = NOTHING_ASKED
  record.polls = NOTHING_ASKED
  delete record.people
  delete record.resumes
  record.changes = NO_CHANGES
  record.reported = NOTHING_REPORTED
  record.output = null
  record.checks = NO_CHECKS
}
