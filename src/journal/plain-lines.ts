/**
 * Recognises the lines that make up nearly all of a journal, exactly as they are written today,
 * several times as fast as the schema does. What it does not know is for the schema to judge, so it
 * may well say no, but never yes to what the schema refuses or would change.
 */
import { FAILURE_CLASSES } from '../crew/answer.ts'
import { BODY_FAULTS } from '../crew/observation.ts'
import type { AcceptedLine, EndedLine, StartedLine } from '../execution/record/journal-lines.ts'
import { OUTCOMES } from '../execution/record/record.ts'

type Fields = Readonly<Record<string, unknown>>

export function isPlainLine(value: unknown): value is StartedLine | AcceptedLine | EndedLine {
  if (!isObject(value)) return false
  switch (value['type']) {
    case 'started':
      return isStarted(value)
    case 'accepted':
      return isAccepted(value)
    case 'ended':
      return hasKeys(value, ENDED) && isRecord(value['record'])
    default:
      return false
  }
}

const STARTED = ['type', 'index', 'instance', 'intendedMicros', 'atMicros']
const ACCEPTED = ['type', 'index', 'instance', 'kickoffId', 'atMicros', 'kickoff']
const ENDED = ['type', 'record']
const COLUMNS = [
  'dueMicros',
  'lateMicros',
  'waitMicros',
  'serviceMicros',
  'answer',
  'fresh',
  'retry',
]
const CHANGE = ['atMicros', 'task', 'completed', 'total']
const REPORTED = ['executionTimeSeconds', 'tasks']
const TASK = ['taskId', 'agent', 'executionTimeSeconds']
const OUTPUT = ['bytes', 'hash']
const VIOLATION = ['rule', 'example']
/** Keys in the order of the schema, which is also that of what it returns. */
const RECORD = [
  'index',
  'instance',
  'kickoffId',
  'dialect',
  'tags',
  'warmUp',
  'outcome',
  'reason',
  'intendedMicros',
  'sentMicros',
  'acceptedMicros',
  'endedMicros',
  'lastNotDoneSentMicros',
  'firstDoneReceivedMicros',
  'kickoff',
  'polls',
  'wastedPolls',
  'changes',
  'reported',
  'output',
  'checks',
  'violations',
  'resumed',
]

const DIALECTS = new Set<unknown>(['interface', 'platform', 'mixed', null])
const KNOWN_OUTCOMES = new Set<unknown>(OUTCOMES)
const CLASSES = new Set<unknown>([...FAILURE_CLASSES, ...BODY_FAULTS])

function isStarted(line: Fields): boolean {
  return (
    hasKeys(line, STARTED) &&
    isWhole(line['index']) &&
    isWhole(line['instance']) &&
    isWhole(line['intendedMicros']) &&
    isWhole(line['atMicros'])
  )
}

function isAccepted(line: Fields): boolean {
  return (
    hasKeys(line, ACCEPTED) &&
    isWhole(line['index']) &&
    isWhole(line['instance']) &&
    typeof line['kickoffId'] === 'string' &&
    isWhole(line['atMicros']) &&
    isColumns(line['kickoff'])
  )
}

function isRecord(record: unknown): boolean {
  return (
    isObject(record) &&
    hasKeys(record, RECORD) &&
    isWhole(record['index']) &&
    isWhole(record['instance']) &&
    isTextOrNull(record['kickoffId']) &&
    DIALECTS.has(record['dialect']) &&
    isMapOf(record['tags'], isText) &&
    typeof record['warmUp'] === 'boolean' &&
    KNOWN_OUTCOMES.has(record['outcome']) &&
    isTextOrNull(record['reason']) &&
    hasTimes(record) &&
    isColumns(record['kickoff']) &&
    isColumns(record['polls']) &&
    isWhole(record['wastedPolls']) &&
    isListOf(record['changes'], isChange) &&
    isReported(record['reported']) &&
    (record['output'] === null || isOutput(record['output'])) &&
    isMapOf(record['checks'], isChecked) &&
    isListOf(record['violations'], isViolation) &&
    typeof record['resumed'] === 'boolean'
  )
}

function hasTimes(record: Fields): boolean {
  return (
    isWhole(record['intendedMicros']) &&
    isWholeOrNull(record['sentMicros']) &&
    isWholeOrNull(record['acceptedMicros']) &&
    isWhole(record['endedMicros']) &&
    isWholeOrNull(record['lastNotDoneSentMicros']) &&
    isWholeOrNull(record['firstDoneReceivedMicros'])
  )
}

function isColumns(columns: unknown): boolean {
  if (!isObject(columns) || !hasKeys(columns, COLUMNS)) return false
  const { answer } = columns
  if (!isListOf(answer, isAnswer)) return false
  const { length } = answer
  return (
    isWholes(columns['dueMicros'], length) &&
    isWholes(columns['lateMicros'], length) &&
    isWholes(columns['waitMicros'], length) &&
    isWholes(columns['serviceMicros'], length) &&
    isFlags(columns['fresh'], length) &&
    isFlags(columns['retry'], length)
  )
}

function isChange(change: unknown): boolean {
  return (
    isObject(change) &&
    hasKeys(change, CHANGE) &&
    isWhole(change['atMicros']) &&
    isTextOrNull(change['task']) &&
    isNumberOrNull(change['completed']) &&
    isNumberOrNull(change['total'])
  )
}

function isReported(reported: unknown): boolean {
  return (
    isObject(reported) &&
    hasKeys(reported, REPORTED) &&
    isNumberOrNull(reported['executionTimeSeconds']) &&
    isListOf(reported['tasks'], isTask)
  )
}

function isTask(task: unknown): boolean {
  return (
    isObject(task) &&
    hasKeys(task, TASK) &&
    isText(task['taskId']) &&
    isText(task['agent']) &&
    isNumberOrNull(task['executionTimeSeconds'])
  )
}

function isOutput(output: unknown): boolean {
  return (
    isObject(output) &&
    hasKeys(output, OUTPUT) &&
    isWhole(output['bytes']) &&
    isText(output['hash'])
  )
}

function isViolation(violation: unknown): boolean {
  return (
    isObject(violation) &&
    hasKeys(violation, VIOLATION) &&
    isText(violation['rule']) &&
    isText(violation['example'])
  )
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** These keys, in this order, and no others. */
function hasKeys(value: Fields, keys: readonly string[]): boolean {
  let i = 0
  for (const key in value) if (key !== keys[i++]) return false
  return i === keys.length
}

/** The schema leaves a key `__proto__` out. */
function isMapOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  if (!isObject(value)) return false
  for (const key in value) if (key === '__proto__' || !isOne(value[key])) return false
  return true
}

function isListOf(value: unknown, isOne: (one: unknown) => boolean): value is readonly unknown[] {
  if (!Array.isArray(value)) return false
  for (let i = 0; i < value.length; i++) if (!isOne(value[i])) return false
  return true
}

function isWholes(value: unknown, length: number): boolean {
  return isListOf(value, isWhole) && value.length === length
}

function isFlags(value: unknown, length: number): boolean {
  return isListOf(value, isFlag) && value.length === length
}

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value)
const isWholeOrNull = (value: unknown): boolean => value === null || isWhole(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isTextOrNull = (value: unknown): boolean => value === null || isText(value)
const isNumberOrNull = (value: unknown): boolean => value === null || Number.isFinite(value)
const isFlag = (value: unknown): boolean => value === 0 || value === 1
const isAnswer = (value: unknown): boolean => isWhole(value) || CLASSES.has(value)
const isChecked = (value: unknown): boolean => typeof value === 'boolean' || isText(value)
