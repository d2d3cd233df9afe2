/**
 * Reads the lines that make up nearly all of a journal straight from their bytes, where they are
 * exactly as they are written today; any other line is null, for `JSON.parse` and the schema. What
 * it reads is what those would have made of it.
 */
import { FAILURE_CLASSES } from '../crew/answer.ts'
import { BODY_FAULTS } from '../crew/observation.ts'
import type { AcceptedLine, EndedLine, StartedLine } from '../execution/record/journal-lines.ts'
import type { ErrorClass, ExecutionRecord, RequestColumns } from '../execution/record/record.ts'
import { OUTCOMES } from '../execution/record/record.ts'
import type { Expected } from './byte-cursor.ts'
import { ByteCursor, expected } from './byte-cursor.ts'

type WrittenLine = StartedLine | AcceptedLine | EndedLine

const ENDED = expected('{"type":"ended","record":{"index":')
/** The position of the first letter of the type. */
const TYPE_AT = '{"type":"'.length
const STARTED = expected('{"type":"started","index":')
const ACCEPTED = expected('{"type":"accepted","index":')

const key = (name: string): Expected => expected(`,"${name}":`)
const firstKey = (name: string): Expected => expected(`{"${name}":`)

const INSTANCE = key('instance')
const KICKOFF_ID = key('kickoffId')
const DIALECT = key('dialect')
const TAGS = key('tags')
const WARM_UP = key('warmUp')
const OUTCOME = key('outcome')
const REASON = key('reason')
const INTENDED = key('intendedMicros')
const AT = key('atMicros')
const SENT = key('sentMicros')
const ACCEPTED_MICROS = key('acceptedMicros')
const ENDED_MICROS = key('endedMicros')
const LAST_NOT_DONE = key('lastNotDoneSentMicros')
const FIRST_DONE = key('firstDoneReceivedMicros')
const KICKOFF = key('kickoff')
const POLLS = key('polls')
const WASTED_POLLS = key('wastedPolls')
const CHANGES = key('changes')
const REPORTED = key('reported')
const OUTPUT = key('output')
const CHECKS = key('checks')
const VIOLATIONS = key('violations')
const RESUMED = key('resumed')
const DUE = firstKey('dueMicros')
const LATE = key('lateMicros')
const WAIT = key('waitMicros')
const SERVICE = key('serviceMicros')
const ANSWER = key('answer')
const FRESH = key('fresh')
const RETRY = key('retry')
const CHANGE_AT = firstKey('atMicros')
const TASK = key('task')
const COMPLETED = key('completed')
const TOTAL = key('total')
const REPORTED_TIME = firstKey('executionTimeSeconds')
const TASKS = key('tasks')
const TASK_ID = firstKey('taskId')
const AGENT = key('agent')
const TASK_TIME = key('executionTimeSeconds')
const BYTES = firstKey('bytes')
const HASH = key('hash')
const RULE = firstKey('rule')
const EXAMPLE = key('example')

const KNOWN_OUTCOMES: ReadonlySet<unknown> = new Set(OUTCOMES)
const DIALECTS: ReadonlySet<unknown> = new Set(['interface', 'platform', 'mixed', null])
const CLASSES: ReadonlySet<unknown> = new Set([...FAILURE_CLASSES, ...BODY_FAULTS])

const LETTER_S = 0x73
const LETTER_A = 0x61

export class WrittenLines {
  readonly #cursor = new ByteCursor()

  /** The line from `from` to `to`, where a line feed or the end of the bytes is. */
  read(bytes: Buffer, from: number, to: number): WrittenLine | null {
    const cursor = this.#cursor
    cursor.begin(bytes, from)
    const line = lineAt(cursor, bytes[from + TYPE_AT])
    return cursor.lost || cursor.at !== to ? null : line
  }
}

function lineAt(cursor: ByteCursor, letter: number | undefined): WrittenLine | null {
  if (letter === LETTER_S) return startedAt(cursor)
  if (letter === LETTER_A) return acceptedAt(cursor)
  cursor.skip(ENDED)
  if (cursor.lost) return null
  const record = recordAt(cursor)
  cursor.close()
  return { type: 'ended', record }
}

/** What is behind this key; so are those below. */
function wholeAt(cursor: ByteCursor, name: Expected): number {
  cursor.skip(name)
  return cursor.whole()
}

function wholeOrNullAt(cursor: ByteCursor, name: Expected): number | null {
  cursor.skip(name)
  return cursor.wholeOrNull()
}

function startedAt(cursor: ByteCursor): StartedLine {
  const line: StartedLine = {
    type: 'started',
    index: wholeAt(cursor, STARTED),
    instance: wholeAt(cursor, INSTANCE),
    intendedMicros: wholeAt(cursor, INTENDED),
    atMicros: wholeAt(cursor, AT),
  }
  cursor.close()
  return line
}

function acceptedAt(cursor: ByteCursor): AcceptedLine | null {
  const index = wholeAt(cursor, ACCEPTED)
  const instance = wholeAt(cursor, INSTANCE)
  cursor.skip(KICKOFF_ID)
  if (cursor.lost) return null
  const line: AcceptedLine = {
    type: 'accepted',
    index,
    instance,
    kickoffId: cursor.text(),
    atMicros: wholeAt(cursor, AT),
    kickoff: columnsAt(cursor, KICKOFF),
  }
  cursor.close()
  return line
}

/** Behind the key of its index. */
function recordAt(cursor: ByteCursor): ExecutionRecord {
  const record: ExecutionRecord = {
    index: cursor.whole(),
    instance: wholeAt(cursor, INSTANCE),
    kickoffId: textOrNullAt(cursor, KICKOFF_ID),
    dialect: dialectAt(cursor),
    tags: tagsAt(cursor),
    warmUp: isTrueAt(cursor, WARM_UP),
    outcome: outcomeAt(cursor),
    reason: textOrNullAt(cursor, REASON),
    intendedMicros: wholeAt(cursor, INTENDED),
    sentMicros: wholeOrNullAt(cursor, SENT),
    acceptedMicros: wholeOrNullAt(cursor, ACCEPTED_MICROS),
    endedMicros: wholeAt(cursor, ENDED_MICROS),
    lastNotDoneSentMicros: wholeOrNullAt(cursor, LAST_NOT_DONE),
    firstDoneReceivedMicros: wholeOrNullAt(cursor, FIRST_DONE),
    kickoff: columnsAt(cursor, KICKOFF),
    polls: columnsAt(cursor, POLLS),
    wastedPolls: wholeAt(cursor, WASTED_POLLS),
    changes: listAt(cursor, CHANGES, changeAt),
    reported: reportedAt(cursor),
    output: outputAt(cursor),
    checks: checksAt(cursor),
    violations: listAt(cursor, VIOLATIONS, violationAt),
    resumed: isTrueAt(cursor, RESUMED),
  }
  cursor.close()
  return record
}

function columnsAt(cursor: ByteCursor, name: Expected): RequestColumns {
  cursor.skip(name)
  const dueMicros = wholesAt(cursor, DUE)
  const columns: RequestColumns = {
    dueMicros,
    lateMicros: wholesAt(cursor, LATE),
    waitMicros: wholesAt(cursor, WAIT),
    serviceMicros: wholesAt(cursor, SERVICE),
    answer: listAt(cursor, ANSWER, answerAt),
    fresh: flagsAt(cursor, FRESH),
    retry: flagsAt(cursor, RETRY),
  }
  cursor.close()
  const { length } = dueMicros
  const { lateMicros, waitMicros, serviceMicros, answer, fresh, retry } = columns
  if (lateMicros.length !== length || waitMicros.length !== length) cursor.lost = true
  if (serviceMicros.length !== length || answer.length !== length) cursor.lost = true
  if (fresh.length !== length || retry.length !== length) cursor.lost = true
  return columns
}

function listAt<T>(cursor: ByteCursor, name: Expected, one: (cursor: ByteCursor) => T): T[] {
  cursor.skip(name)
  return cursor.list(one)
}

function wholesAt(cursor: ByteCursor, name: Expected): number[] {
  cursor.skip(name)
  return cursor.wholes()
}

function flagsAt(cursor: ByteCursor, name: Expected): (0 | 1)[] {
  cursor.skip(name)
  return cursor.flags()
}

function isTrueAt(cursor: ByteCursor, name: Expected): boolean {
  cursor.skip(name)
  return cursor.isTrue()
}

function textOrNullAt(cursor: ByteCursor, name: Expected): string | null {
  cursor.skip(name)
  return cursor.textOrNull()
}

function answerAt(cursor: ByteCursor): number | ErrorClass {
  if (!cursor.isText) return cursor.whole()
  return known(cursor, CLASSES, cursor.sharedText()) as ErrorClass
}

function dialectAt(cursor: ByteCursor): ExecutionRecord['dialect'] {
  cursor.skip(DIALECT)
  return known(cursor, DIALECTS, cursor.sharedTextOrNull()) as ExecutionRecord['dialect']
}

function outcomeAt(cursor: ByteCursor): ExecutionRecord['outcome'] {
  cursor.skip(OUTCOME)
  return known(cursor, KNOWN_OUTCOMES, cursor.sharedText()) as ExecutionRecord['outcome']
}

/** Any other is for the schema to judge. */
function known(
  cursor: ByteCursor,
  texts: ReadonlySet<unknown>,
  found: string | null,
): string | null {
  if (!texts.has(found)) cursor.lost = true
  return found
}

function tagsAt(cursor: ByteCursor): Record<string, string> {
  cursor.skip(TAGS)
  return cursor.mapOf(sharedTextAt)
}

function checksAt(cursor: ByteCursor): Record<string, boolean | string> {
  cursor.skip(CHECKS)
  return cursor.mapOf(checkAt)
}

function sharedTextAt(cursor: ByteCursor): string {
  return cursor.sharedText()
}

function checkAt(cursor: ByteCursor): boolean | string {
  return cursor.isText ? cursor.text() : cursor.isTrue()
}

function changeAt(cursor: ByteCursor): ExecutionRecord['changes'][number] {
  const atMicros = wholeAt(cursor, CHANGE_AT)
  cursor.skip(TASK)
  const task = cursor.sharedTextOrNull()
  const completed = numberOrNullAt(cursor, COMPLETED)
  const total = numberOrNullAt(cursor, TOTAL)
  cursor.close()
  return { atMicros, task, completed, total }
}

function numberOrNullAt(cursor: ByteCursor, name: Expected): number | null {
  cursor.skip(name)
  return cursor.numberOrNull()
}

function reportedAt(cursor: ByteCursor): ExecutionRecord['reported'] {
  cursor.skip(REPORTED)
  const executionTimeSeconds = numberOrNullAt(cursor, REPORTED_TIME)
  const tasks = listAt(cursor, TASKS, taskAt)
  cursor.close()
  return { executionTimeSeconds, tasks }
}

function taskAt(cursor: ByteCursor): ExecutionRecord['reported']['tasks'][number] {
  cursor.skip(TASK_ID)
  const taskId = cursor.sharedText()
  cursor.skip(AGENT)
  const agent = cursor.sharedText()
  const executionTimeSeconds = numberOrNullAt(cursor, TASK_TIME)
  cursor.close()
  return { taskId, agent, executionTimeSeconds }
}

function outputAt(cursor: ByteCursor): ExecutionRecord['output'] {
  cursor.skip(OUTPUT)
  if (cursor.wasNull()) return null
  const bytes = wholeAt(cursor, BYTES)
  cursor.skip(HASH)
  const hash = cursor.text()
  cursor.close()
  return { bytes, hash }
}

function violationAt(cursor: ByteCursor): ExecutionRecord['violations'][number] {
  cursor.skip(RULE)
  const rule = cursor.sharedText()
  cursor.skip(EXAMPLE)
  const example = cursor.text()
  cursor.close()
  return { rule, example }
}
