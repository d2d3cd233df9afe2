/**
 * Arrivals recorded elsewhere: the times and inputs in a CSV file, JSON lines or an access log. The
 * file is streamed; every line that cannot be used is a mistake.
 */
import { isObject } from '../../crew/json.ts'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { unreachable } from '../../base/assert.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND, parseDuration } from '../../base/units.ts'
import type { RecordedArrivals } from '../../scenario/arrivals/replay.ts'
import type { InputRecord } from '../../scenario/inputs.ts'
import type { RecordingSource } from '../../scenario/schema/index.ts'
import { openExisting, unreadable } from '../../journal/file/regular.ts'

/** Mistakes that are listed one by one. */
const MOST_LISTED = 20
const MOST_BYTES = 1_000_000

/** One line of a recording: its columns by name, or what is wrong with it. */
type RecordedLine = { line: number } & ({ row: Record<string, unknown> } | { problem: string })

interface TimedArrival extends RecordedTime {
  inputs: InputRecord
}

interface RecordedTime {
  /** From any zero. */
  atMicros: Micros
  kind: TimeKind
}

/** What a time counts from, in words. */
const KINDS = {
  offset: 'an offset',
  dated: 'a point in time',
  local: 'a local time without a zone',
  zoned: 'a time in a zone other than UTC',
}
type TimeKind = keyof typeof KINDS

/** Differences between times of these kinds mean nothing. */
const CLASHES: Readonly<Record<TimeKind, readonly TimeKind[]>> = {
  offset: ['dated', 'local', 'zoned'],
  dated: ['offset'],
  local: ['offset', 'zoned'],
  zoned: ['offset', 'local'],
}

/** Throws UserError with every mistake, of the first lines that have one. */
export async function readRecording(
  path: string,
  recording: RecordingSource,
): Promise<RecordedArrivals> {
  const arrivals: TimedArrival[] = []
  const mistakes: Mistake[] = []
  /** The line of the first time of each kind. */
  const kinds = new Map<TimeKind, number>()
  let [lines, bad] = [0, 0]
  for await (const read of recordedLines(path, recording)) {
    lines++
    const found = 'row' in read ? arrivalIn(read.row, recording) : read.problem
    if (found === null) continue
    const arrival = typeof found === 'string' ? found : (clash(found, kinds) ?? found)
    if (typeof arrival !== 'string') {
      if (!kinds.has(arrival.kind)) kinds.set(arrival.kind, read.line)
      arrivals.push(arrival)
      continue
    }
    bad++
    if (bad > MOST_LISTED) continue
    mistakes.push({ source: path, line: read.line, problem: arrival })
  }
  if (bad > MOST_LISTED) {
    const problem = `${bad - MOST_LISTED} more lines cannot be used`
    mistakes.push({ source: path, problem })
  }
  if (bad === 0 && arrivals.length === 0) {
    const wanted = Object.entries(recording.where).map(([name, value]) => `${name} ${value}`)
    const where = wanted.length === 0 ? '' : ` with ${wanted.join(' and ')}`
    mistakes.push({ source: path, problem: `has no arrival${where} in ${lines} lines` })
  }
  if (mistakes.length > 0) throw new UserError(mistakes)
  return inOrder(arrivals, Object.keys(recording.inputs).length > 0)
}

/** Null if the time can be compared with all before. */
function clash({ kind }: RecordedTime, kinds: ReadonlyMap<TimeKind, number>): string | null {
  const other = CLASHES[kind].find((each) => kinds.has(each))
  if (other === undefined) return null
  const [own, before] = [KINDS[kind], KINDS[other]]
  return `its time is ${own}, but line ${kinds.get(other)} has ${before}: write both alike`
}

function inOrder(arrivals: TimedArrival[], hasInputs: boolean): RecordedArrivals {
  arrivals.sort((a, b) => a.atMicros - b.atMicros)
  const firstMicros = arrivals[0]!.atMicros
  return {
    offsetsMicros: spread(arrivals.map(({ atMicros }) => atMicros)).map((at) =>
      Math.round(at - firstMicros),
    ),
    ...(hasInputs ? { inputs: arrivals.map(({ inputs }) => inputs) } : {}),
  }
}

/** A recording in whole seconds does not say when within one: those of a second divide it. */
function spread(times: readonly Micros[]): readonly Micros[] {
  if (!times.every((at) => at % MICROS_PER_SECOND === 0)) return times
  const counts = new Map<Micros, number>()
  for (const at of times) counts.set(at, (counts.get(at) ?? 0) + 1)
  let before = 0
  return times.map((at, i) => {
    before = times[i - 1] === at ? before + 1 : 0
    return at + (before * MICROS_PER_SECOND) / counts.get(at)!
  })
}

/** Null for a line that is no arrival; text says what is wrong with it. */
function arrivalIn(
  row: Readonly<Record<string, unknown>>,
  { time, inputs: wanted, where, format }: RecordingSource,
): TimedArrival | string | null {
  if (Object.entries(where).some(([name, value]) => String(at(row, name)) !== value)) return null
  const found = at(row, time)
  if (found === undefined) return `has no ${JSON.stringify(time)}`
  const recorded = timeOf(found)
  if (recorded === null) {
    const shown = JSON.stringify(found).slice(0, 60)
    return `${time} ${shown} is no time: expected ISO 8601, seconds or milliseconds since 1970, or a duration`
  }
  const inputs: Record<string, unknown> = {}
  for (const [name, column] of Object.entries(wanted)) {
    const value = at(row, column)
    if (value === undefined) return `has no ${JSON.stringify(column)}`
    if (format === 'access-log' && isOfQueryToo(row, column)) {
      return `has ${JSON.stringify(column)} in its query too: name that "query.${column}", or the log's own "log.${column}"`
    }
    if (JSON.stringify(value).includes('\uFFFD')) return 'is not UTF-8: save it as UTF-8'
    inputs[name] = value
  }
  return { ...recorded, inputs }
}

/** A column, or what `a.b` names within one. */
function at(row: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(row, name)) return row[name]
  return name
    .split('.')
    .reduce<unknown>(
      (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      row,
    )
}

const ISO = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d:?\d\d)?$/
const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec'
const LOG_TIME = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))? ([+-]\d{4})$/

/** Null for what is no time. Without a zone it is taken as UTC: only differences matter. */
function timeOf(value: unknown): RecordedTime | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const text = String(value).trim()
  const number = text === '' ? Number.NaN : Number(text)
  if (Number.isFinite(number)) {
    const kind = number < LEAST_DATE_SECONDS ? 'offset' : 'dated'
    return number < 0 ? null : { atMicros: number * unitOf(number), kind }
  }
  const iso = ISO.exec(text)
  if (iso !== null) return instant(iso[1]!, iso[2]!, iso[3], iso[4])
  const log = LOG_TIME.exec(text)
  if (log === null) {
    const atMicros = parseDuration(text)
    return atMicros === undefined ? null : { atMicros, kind: 'offset' }
  }
  const month = String(MONTHS.indexOf(log[2]!) / 3 + 1).padStart(2, '0')
  return instant(`${log[3]!}-${month}-${log[1]!}`, log[4]!, log[5], log[6])
}

function instant(day: string, time: string, fraction = '0', zone?: string): RecordedTime | null {
  const colon = (zone ?? 'Z').replace(/^(...)(\d\d)$/, '$1:$2')
  const unixMs = Date.parse(`${day}T${time}${colon}`)
  if (Number.isNaN(unixMs) || !isOfCalendar(day)) return null
  const isUtc = /^(?:Z|[+-]00:00)$/.test(colon)
  return {
    atMicros: unixMs * MICROS_PER_MS + Number(`0.${fraction}`) * MICROS_PER_SECOND,
    kind: zone === undefined ? 'local' : isUtc ? 'dated' : 'zoned',
  }
}

/** `Date` takes the 30th of February for the 2nd of March. */
function isOfCalendar(day: string): boolean {
  return new Date(`${day}T00:00Z`).toISOString().startsWith(day)
}

/** In 1973: smaller numbers do not count from 1970. */
const LEAST_DATE_SECONDS = 1e8

/** Seconds, or milli-, micro- or nanoseconds since 1970, by the size of the number. */
function unitOf(number: number): number {
  if (number < 1e11) return MICROS_PER_SECOND
  if (number < 1e14) return MICROS_PER_MS
  return number < 1e17 ? 1 : 1e-3
}

function recordedLines(path: string, recording: RecordingSource): AsyncIterable<RecordedLine> {
  const { format } = recording
  switch (format) {
    case 'csv':
      return csvLines(path, [...new Set([recording.time, ...columnsOf(recording)])])
    case 'json-lines':
      return textLines(path, jsonRow)
    case 'access-log':
      return textLines(path, accessRow)
    default:
      return unreachable(format)
  }
}

function columnsOf({ inputs, where }: RecordingSource): string[] {
  return [...Object.values(inputs), ...Object.keys(where)]
}

async function bytesOf(path: string): Promise<Readable> {
  const file = (await openExisting(path)).createReadStream()
  if (!path.endsWith('.gz')) return file
  return pipeline(file, createGunzip(), () => {})
}

async function* textLines(
  path: string,
  rowOf: (text: string) => Record<string, unknown> | string,
): AsyncGenerator<RecordedLine> {
  const input = await bytesOf(path)
  let line = 0
  try {
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      line++
      if (text.trim() === '') continue
      const row = rowOf(line === 1 ? text.replace(/^\uFEFF/, '') : text)
      yield typeof row === 'string' ? { line, problem: row } : { line, row }
    }
  } catch (error) {
    throw unreadable(path, error)
  }
}

function jsonRow(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : 'expected a JSON object'
  } catch {
    return 'is no JSON'
  }
}

/** Common and combined log format, with anything before and after it. */
const ACCESS = /^([^[]+)\[([^\]]+)\] "((?:[^"\\]|\\.)*)" (\d{3}|-)/

/** Whether the log has this column, and the query a parameter of the same name. */
function isOfQueryToo(row: Readonly<Record<string, unknown>>, column: string): boolean {
  const inQuery = row[`query.${column}`]
  return inQuery !== undefined && LOG_COLUMNS.has(column) && row[column] !== inQuery
}

const LOG_COLUMNS: ReadonlySet<string> = new Set(['address', 'time', 'method', 'path', 'status'])

/**
 * `time`, `address`, `method`, `path` and `status`, also as `log.NAME`, and the parameters of the
 * query, also as `query.NAME`.
 */
function accessRow(text: string): Record<string, unknown> | string {
  const found = ACCESS.exec(text)
  if (found === null)
    return 'is no line of an access log: expected ADDRESS - - [TIME] "REQUEST" STATUS'
  const [, before = '', time, request = '', status] = found
  const [method, target = ''] = request.split(' ')
  const url = URL.canParse(target, 'http://log') ? new URL(target, 'http://log') : null
  const query = [...(url?.searchParams ?? [])]
  const path = url?.pathname ?? target
  const own = Object.entries({ address: before.split(' ')[0], time, method, path, status })
  return Object.fromEntries([
    ...query,
    ...query.map(([name, value]) => [`query.${name}`, value]),
    ...own,
    ...own.map(([name, value]) => [`log.${name}`, value]),
  ])
}

async function* csvLines(path: string, needed: readonly string[]): AsyncGenerator<RecordedLine> {
  const { parse } = await import('csv-parse')
  const bad: RecordedLine[] = []
  const parser = parse({
    bom: true,
    trim: true,
    skip_empty_lines: true,
    info: true,
    max_record_size: MOST_BYTES,
    skip_records_with_error: true,
    on_skip: (error) => {
      const { lines: line = 0 } = error as { lines?: number }
      bad.push({ line, problem: error?.message ?? 'is no record' })
      return undefined
    },
    columns: (names: string[]) => {
      const missing = needed.filter((name) => !names.includes(name))
      const mistakes = headerMistakes(names, path)
      for (const name of mistakes.length === 0 ? missing : []) {
        const problem = `no column has the name ${JSON.stringify(name)}; its columns: ${names.join(', ')}`
        mistakes.push({ source: path, line: 1, problem })
      }
      if (mistakes.length > 0) throw new UserError(mistakes)
      return names
    },
  })
  pipeline(await bytesOf(path), parser, () => {})
  try {
    for await (const { info, record } of parser as AsyncIterable<CsvRecord>) {
      yield* bad.splice(0)
      yield { line: info.lines, row: record }
    }
    yield* bad
  } catch (error) {
    throw unreadable(path, error)
  }
}

interface CsvRecord {
  info: { lines: number }
  record: Record<string, unknown>
}

/** Separators of spreadsheets where a comma divides decimals. */
const OTHER_SEPARATORS = [';', '\t', '|']

/** Of the first line of a CSV file, which names its columns. */
export function headerMistakes(names: readonly string[], source: string): Mistake[] {
  const mistake = (problem: string, found?: string): Mistake => ({
    source,
    line: 1,
    problem,
    ...(found === undefined ? {} : { found: JSON.stringify(found) }),
  })
  const [only = ''] = names
  const other = OTHER_SEPARATORS.find((separator) => only.includes(separator))
  if (names.length === 1 && other !== undefined) {
    return [mistake(`expected "," between columns, not ${JSON.stringify(other)}`, only)]
  }
  return names.flatMap((name, i) => {
    if (name === '') return [mistake(`column ${i + 1} has no name`)]
    return names.indexOf(name) === i ? [] : [mistake('two columns have this name', name)]
  })
}
