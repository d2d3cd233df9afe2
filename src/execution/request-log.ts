/**
 * The requests of an execution in flight, a few bytes each: the record has a column per field, and
 * fourteen arrays for each of a hundred thousand executions would take most of their memory.
 */
import { ByteArena, ByteList } from '../base/collections/byte-arena.ts'
import type { ByteReader } from '../base/collections/byte-arena.ts'
import type { Micros } from '../base/units.ts'
import type { RequestColumns, RequestRecord } from './record/record.ts'
import { emptyColumns } from './record/columns.ts'
import { requestFieldsOf, TIMELINE } from './record/request-fields.ts'

/** The end of a request: its status code, or the error class. */
export type RequestAnswer = RequestRecord['answer']

/**
 * The memory that the request logs of all executions share: their bytes, and one number for each
 * answer.
 */
export class RequestMemory {
  readonly arena = new ByteArena()
  readonly #answers: RequestAnswer[] = []
  readonly #numbers = new Map<RequestAnswer, number>()

  numberOf(answer: RequestAnswer): number {
    const known = this.#numbers.get(answer)
    if (known !== undefined) return known
    this.#numbers.set(answer, this.#answers.length)
    return this.#answers.push(answer) - 1
  }

  answerOf(number: number): RequestAnswer {
    return this.#answers[number]!
  }
}

/**
 * The low bits of a row's first byte: two facts of its times, then one for each flag of a request.
 * The high bits hold its answer.
 */
const SAME_PAUSE = 1
const UNSENT = 2
const FLAGS = requestFieldsOf('flag')
const FLAG = 4
const ANSWER = FLAG << FLAGS.length
/** The number of the answer does not fit: it follows. */
const ANSWER_FOLLOWS = Math.floor(255 / ANSWER)

/** What ends a row of the log beside its flags. */
const FURTHER_TIMES = requestFieldsOf('micros').filter((name) => !TIMELINE.has(name))

/**
 * Each row is a byte for its answer and flags, then the pause since the end of the row before
 * (unless it is as long as the pause before that), late, wait and service (unless it was never
 * sent), and any further times: about seven bytes for a poll at a fixed interval.
 */
export class RequestLog {
  /** The number of requests. */
  count = 0
  /** The answer of the last request; undefined before the first. */
  last: RequestAnswer | undefined = undefined
  readonly #memory: RequestMemory
  readonly #bytes: ByteList
  /** When the last request ended, counted as `dueMicros` is. */
  #endMicros: Micros = 0
  #pauseMicros: Micros = 0

  constructor(memory: RequestMemory) {
    this.#memory = memory
    this.#bytes = new ByteList(memory.arena)
  }

  add(row: RequestRecord): void {
    const bytes = this.#bytes
    const { dueMicros, lateMicros, waitMicros, serviceMicros, answer } = row
    const pauseMicros = dueMicros - this.#endMicros
    const number = this.#memory.numberOf(answer)
    const isSame = pauseMicros === this.#pauseMicros
    let head = (isSame ? SAME_PAUSE : 0) + (serviceMicros === -1 ? UNSENT : 0)
    for (let i = 0; i < FLAGS.length; i++) head += row[FLAGS[i]!] * (FLAG << i)
    bytes.pushByte(head + Math.min(number, ANSWER_FOLLOWS) * ANSWER)
    if (number >= ANSWER_FOLLOWS) bytes.push(number)
    if (!isSame) bytes.push(pauseMicros)
    bytes.push(lateMicros)
    bytes.push(waitMicros)
    if (serviceMicros !== -1) bytes.push(serviceMicros)
    for (let i = 0; i < FURTHER_TIMES.length; i++) bytes.push(row[FURTHER_TIMES[i]!])
    this.count++
    this.last = answer
    this.#pauseMicros = pauseMicros
    this.#endMicros = endOf(dueMicros, lateMicros, waitMicros, serviceMicros)
  }

  /** The first `first` requests, and the others. */
  columns(first: number): [RequestColumns, RequestColumns] {
    // Indexed loops below, because k6's engine creates an object for each step of a `for ... of`.
    const columns: [RequestColumns, RequestColumns] = [emptyColumns(), emptyColumns()]
    const reader = this.#bytes.reader()
    let endMicros = 0
    let pauseMicros = 0
    for (let i = 0; i < this.count; i++) {
      const into = columns[i < first ? 0 : 1]
      const head = reader.byte()
      into.answer.push(answerFrom(head, reader, this.#memory))
      if ((head & SAME_PAUSE) === 0) pauseMicros = reader.integer()
      const dueMicros = endMicros + pauseMicros
      const lateMicros = reader.integer()
      const waitMicros = reader.integer()
      const serviceMicros = (head & UNSENT) === 0 ? reader.integer() : -1
      into.dueMicros.push(dueMicros)
      into.lateMicros.push(lateMicros)
      into.waitMicros.push(waitMicros)
      into.serviceMicros.push(serviceMicros)
      for (let bit = 0; bit < FLAGS.length; bit++) {
        into[FLAGS[bit]!].push((head & (FLAG << bit)) === 0 ? 0 : 1)
      }
      for (let time = 0; time < FURTHER_TIMES.length; time++) {
        into[FURTHER_TIMES[time]!].push(reader.integer())
      }
      endMicros = endOf(dueMicros, lateMicros, waitMicros, serviceMicros)
    }
    return columns
  }

  /** Gives the bytes back; nothing can be read afterwards. */
  release(): void {
    this.#bytes.release()
  }
}

function answerFrom(head: number, reader: ByteReader, memory: RequestMemory): RequestAnswer {
  const number = Math.floor(head / ANSWER)
  return memory.answerOf(number < ANSWER_FOLLOWS ? number : reader.integer())
}

function endOf(due: Micros, late: Micros, wait: Micros, service: Micros): Micros {
  return due + late + wait + Math.max(0, service)
}
