/**
 * A collector for tests: it listens on loopback, and reads what it receives by the field numbers of
 * the published OTLP protocol (opentelemetry-proto 1.x).
 */
import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Of a message its fields, by their numbers; what is a number has eight bytes. */
type Fields = ReadonlyMap<number, readonly Buffer[]>

/** The message is whole, as the exporters of OpenTelemetry encode it. */
function fieldsOf(bytes: Buffer): Fields {
  const fields = new Map<number, Buffer[]>()
  let at = 0
  const take = (length: number): Buffer => bytes.subarray(at, (at += length))
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const ofWireType: Readonly<Record<number, () => Buffer>> = {
    0: () => Buffer.from(BigUint64Array.of(varint()).buffer),
    1: () => take(8),
    2: () => take(Number(varint())),
    5: () => take(4),
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), ofWireType[tag & 7]!()])
  }
  return fields
}

/** All messages behind these numbers, each below the one before. */
function messagesIn(message: Fields, ...path: readonly number[]): Fields[] {
  return path.reduce(
    (messages, number) => messages.flatMap((each) => (each.get(number) ?? []).map(fieldsOf)),
    [message],
  )
}

function textIn(message: Fields, number: number): string {
  return message.get(number)?.[0]?.toString('utf8') ?? ''
}

function hexIn(message: Fields, number: number): string {
  return message.get(number)?.[0]?.toString('hex') ?? ''
}

function wholeIn(message: Fields, number: number): number | undefined {
  const bytes = message.get(number)?.[0]
  return bytes === undefined ? undefined : Number(bytes.readBigInt64LE())
}

function doubleIn(message: Fields, number: number): number | undefined {
  return message.get(number)?.[0]?.readDoubleLE()
}

type Attributes = Record<string, string | number | boolean>

function attributesOf(message: Fields | undefined, number: number): Attributes {
  const pairs = (message?.get(number) ?? []).map(fieldsOf)
  return Object.fromEntries(
    pairs.map((pair) => {
      const [value = new Map<number, Buffer[]>()] = messagesIn(pair, 2)
      const number = wholeIn(value, 3) ?? doubleIn(value, 4)
      const isTrue = value.has(2) ? wholeIn(value, 2) === 1 : undefined
      return [textIn(pair, 1), number ?? isTrue ?? textIn(value, 1)]
    }),
  )
}

export interface Point {
  name: string
  unit: string
  kind: 'sum' | 'histogram' | 'exponential'
  attributes: Attributes
  /** The value of a sum; the count of a histogram. */
  value: number
  sum: number
  bounds: number[]
}

interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId: string
  name: string
  /** The start, in Unix microseconds. */
  start: number
  end: number
  attributes: Attributes
  status: string
}

export interface Collector extends AsyncDisposable {
  url: string
  /** The headers of each request, in order of arrival. */
  headers: IncomingHttpHeaders[]
  resource: Attributes
  /** The points of the last batch of metrics. */
  points: Point[]
  batches: number
  spans: ReceivedSpan[]
  /** All bytes that were received, as text, to check what must not be in them. */
  text: string
}

/** Answers each request, unless `answer` does it itself. */
export type Answering = (response: ServerResponse, path: string) => void

const ANSWERS: Answering = (response) => {
  response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
}

export async function collector(answering: Answering = ANSWERS): Promise<Collector> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      received.headers.push(incoming.headers)
      take(received, incoming.url ?? '', Buffer.concat(chunks))
      answering(response, incoming.url ?? '')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const received: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers: [],
    resource: {},
    points: [],
    batches: 0,
    spans: [],
    text: '',
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return received
}

function take(received: Collector, path: string, body: Buffer): void {
  received.text += body.toString('latin1')
  const request = fieldsOf(body)
  if (path.endsWith('/v1/metrics')) {
    received.batches++
    received.resource = attributesOf(messagesIn(request, 1, 1)[0], 1)
    received.points = messagesIn(request, 1, 2, 2).flatMap(pointsOf)
  } else if (path.endsWith('/v1/traces')) {
    received.spans.push(...messagesIn(request, 1, 2, 2).map(spanOf))
  } else throw new Error(`no such path: ${path}`)
}

/** The numbers of the fields of each kind of data, and of its points. */
const KINDS = {
  sum: { data: 7, attributes: 7 },
  histogram: { data: 9, attributes: 9 },
  exponential: { data: 10, attributes: 1 },
} as const

function pointsOf(metric: Fields): Point[] {
  return (['sum', 'histogram', 'exponential'] as const).flatMap((kind) =>
    messagesIn(metric, KINDS[kind].data, 1).map((point) => ({
      name: textIn(metric, 1),
      unit: textIn(metric, 3),
      kind,
      attributes: attributesOf(point, KINDS[kind].attributes),
      value: kind === 'sum' ? (wholeIn(point, 6) ?? doubleIn(point, 4)!) : wholeIn(point, 4)!,
      sum: (kind === 'sum' ? undefined : doubleIn(point, 5)) ?? 0,
      bounds: kind === 'histogram' ? doublesIn(point, 7) : [],
    })),
  )
}

function doublesIn(message: Fields, number: number): number[] {
  const [packed = Buffer.alloc(0)] = message.get(number) ?? []
  return Array.from({ length: packed.length / 8 }, (_, i) => packed.readDoubleLE(8 * i))
}

/** Of a time that is told in nanoseconds. */
function microsIn(message: Fields, number: number): number {
  return Number(message.get(number)![0]!.readBigUInt64LE() / 1_000n)
}

function spanOf(span: Fields): ReceivedSpan {
  const [status] = messagesIn(span, 15)
  return {
    traceId: hexIn(span, 1),
    spanId: hexIn(span, 2),
    parentSpanId: hexIn(span, 4),
    name: textIn(span, 5),
    start: microsIn(span, 7),
    end: microsIn(span, 8),
    attributes: attributesOf(span, 9),
    status: status === undefined ? '' : textIn(status, 2),
  }
}

export function totalOf(
  points: readonly Point[],
  name: string,
  attributes: Attributes = {},
): number {
  return points
    .filter((point) => point.name === name)
    .filter((point) => Object.entries(attributes).every(([k, v]) => point.attributes[k] === v))
    .reduce((sum, { value }) => sum + value, 0)
}
