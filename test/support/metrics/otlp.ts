/**
 * A collector for tests: it listens on loopback, decodes what it receives by the field numbers of
 * the published OTLP protocol (opentelemetry-proto 1.x), and refuses every field that is not there.
 */
import { once } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Kind =
  | 'string'
  | 'bytes'
  | 'varint'
  | 'signed'
  | 'double'
  | 'fixed64'
  | 'sfixed64'
  | 'fixed32'
  | 'doubles'
  | 'fixed64s'
type Field = [name: string, kind: Kind | (() => Shape), many?: 'many']
type Shape = Readonly<Record<number, Field>>

const VALUE: Shape = {
  1: ['string', 'string'],
  2: ['bool', 'varint'],
  3: ['int', 'signed'],
  4: ['double', 'double'],
}
const KEY_VALUE: Shape = { 1: ['key', 'string'], 2: ['value', () => VALUE] }
const ATTRIBUTES = (): Shape => KEY_VALUE
const RESOURCE: Shape = { 1: ['attributes', ATTRIBUTES, 'many'], 2: ['dropped', 'varint'] }
const SCOPE: Shape = { 1: ['name', 'string'], 2: ['version', 'string'], 4: ['dropped', 'varint'] }

const NUMBER_POINT: Shape = {
  2: ['start', 'fixed64'],
  3: ['time', 'fixed64'],
  4: ['double', 'double'],
  6: ['int', 'sfixed64'],
  7: ['attributes', ATTRIBUTES, 'many'],
  8: ['flags', 'varint'],
}
const HISTOGRAM_POINT: Shape = {
  2: ['start', 'fixed64'],
  3: ['time', 'fixed64'],
  4: ['count', 'fixed64'],
  5: ['sum', 'double'],
  6: ['counts', 'fixed64s'],
  7: ['bounds', 'doubles'],
  9: ['attributes', ATTRIBUTES, 'many'],
  10: ['flags', 'varint'],
  11: ['min', 'double'],
  12: ['max', 'double'],
}
const BUCKETS: Shape = { 1: ['offset', 'varint'], 2: ['counts', 'bytes'] }
const EXPONENTIAL_POINT: Shape = {
  1: ['attributes', ATTRIBUTES, 'many'],
  2: ['start', 'fixed64'],
  3: ['time', 'fixed64'],
  4: ['count', 'fixed64'],
  5: ['sum', 'double'],
  6: ['scale', 'varint'],
  7: ['zero', 'fixed64'],
  8: ['positive', () => BUCKETS],
  9: ['negative', () => BUCKETS],
  10: ['flags', 'varint'],
  12: ['min', 'double'],
  13: ['max', 'double'],
}
const sumOf = (point: Shape): Shape => ({
  1: ['points', () => point, 'many'],
  2: ['temporality', 'varint'],
  3: ['monotonic', 'varint'],
})
const METRIC: Shape = {
  1: ['name', 'string'],
  2: ['description', 'string'],
  3: ['unit', 'string'],
  5: ['gauge', () => sumOf(NUMBER_POINT)],
  7: ['sum', () => sumOf(NUMBER_POINT)],
  9: ['histogram', () => sumOf(HISTOGRAM_POINT)],
  10: ['exponential', () => sumOf(EXPONENTIAL_POINT)],
}
const STATUS: Shape = { 2: ['message', 'string'], 3: ['code', 'varint'] }
const SPAN: Shape = {
  1: ['traceId', 'bytes'],
  2: ['spanId', 'bytes'],
  3: ['traceState', 'string'],
  4: ['parentSpanId', 'bytes'],
  5: ['name', 'string'],
  6: ['kind', 'varint'],
  7: ['start', 'fixed64'],
  8: ['end', 'fixed64'],
  9: ['attributes', ATTRIBUTES, 'many'],
  10: ['dropped', 'varint'],
  12: ['droppedEvents', 'varint'],
  14: ['droppedLinks', 'varint'],
  15: ['status', () => STATUS],
  16: ['flags', 'fixed32'],
}
const scoped = (what: string, shape: Shape): Shape => ({
  1: ['scope', () => SCOPE],
  2: [what, () => shape, 'many'],
  3: ['schemaUrl', 'string'],
})
const request = (what: string, shape: Shape): Shape => ({
  1: [
    'resources',
    () => ({
      1: ['resource', () => RESOURCE],
      2: ['scopes', () => scoped(what, shape), 'many'],
      3: ['schemaUrl', 'string'],
    }),
    'many',
  ],
})
const METRICS_REQUEST = request('metrics', METRIC)
const TRACES_REQUEST = request('spans', SPAN)

/* oxlint-disable typescript/no-explicit-any -- what a message holds depends on its shape */
type Message = Record<string, any>

/** Throws for a field that the shape does not have, and for a message that is cut. */
function decode(bytes: Buffer, shape: Shape): Message {
  const message: Message = {}
  for (const field of Object.values(shape)) if (field[2] === 'many') message[field[0]] = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const chunk = (): Buffer => {
    const length = Number(varint())
    if (at + length > bytes.length) throw new Error('the message is cut')
    return bytes.subarray(at, (at += length))
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const field = shape[tag >> 3]
    if (field === undefined) throw new Error(`field ${tag >> 3} is not in the protocol`)
    const [name, kind, many] = field
    const value = valueOf(kind, tag & 7, {
      varint,
      chunk,
      fixed: (n) => bytes.subarray(at, (at += n)),
    })
    if (many === 'many') message[name].push(value)
    else message[name] = value
  }
  return message
}

interface Wire {
  varint(): bigint
  chunk(): Buffer
  fixed(bytes: number): Buffer
}

function valueOf(kind: Field[1], wireType: number, wire: Wire): unknown {
  const expected = { varint: 0, signed: 0, double: 1, fixed64: 1, sfixed64: 1, fixed32: 5 }
  const wanted = typeof kind === 'string' && kind in expected ? expected[kind as 'varint'] : 2
  if (wireType !== wanted) throw new Error(`wire type ${wireType} instead of ${wanted}`)
  switch (kind) {
    case 'varint':
      return Number(wire.varint())
    case 'signed':
      return Number(BigInt.asIntN(64, wire.varint()))
    case 'double':
      return wire.fixed(8).readDoubleLE()
    case 'fixed64':
      return wire.fixed(8).readBigUInt64LE()
    case 'sfixed64':
      return Number(wire.fixed(8).readBigInt64LE())
    case 'fixed32':
      return wire.fixed(4).readUInt32LE()
    case 'string':
      return wire.chunk().toString('utf8')
    case 'bytes':
      return wire.chunk().toString('hex')
    case 'doubles':
      return eights(wire.chunk()).map((each) => each.readDoubleLE())
    case 'fixed64s':
      return eights(wire.chunk()).map((each) => Number(each.readBigUInt64LE()))
    default:
      return decode(wire.chunk(), kind())
  }
}

function eights(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / 8 }, (_, i) => bytes.subarray(i * 8, i * 8 + 8))
}

type Attributes = Record<string, string | number | boolean>

function attributesOf(list: readonly Message[]): Attributes {
  return Object.fromEntries(
    list.map(({ key, value = {} }) => [
      key,
      value.string ??
        value.int ??
        value.double ??
        (value.bool === undefined ? '' : value.bool === 1),
    ]),
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
  if (path.endsWith('/v1/metrics')) {
    received.batches++
    const [own] = decode(body, METRICS_REQUEST)['resources'] as Message[]
    received.resource = attributesOf(own!['resource'].attributes)
    received.points = own!['scopes'].flatMap(({ metrics }: Message) => metrics.flatMap(pointsOf))
  } else if (path.endsWith('/v1/traces')) {
    for (const { scopes } of decode(body, TRACES_REQUEST)['resources'] as Message[]) {
      received.spans.push(...scopes.flatMap(({ spans }: Message) => spans.map(spanOf)))
    }
  } else throw new Error(`no such path: ${path}`)
}

function pointsOf({ name, unit, ...data }: Message): Point[] {
  const kind = (['sum', 'histogram', 'exponential'] as const).find((each) => each in data)!
  return data[kind].points.map((point: Message) => ({
    name,
    unit,
    kind,
    attributes: attributesOf(point['attributes']),
    value: kind === 'sum' ? (point['double'] ?? point['int']) : Number(point['count']),
    sum: point['sum'] ?? 0,
    bounds: point['bounds'] ?? [],
  }))
}

function spanOf({
  traceId,
  spanId,
  parentSpanId,
  name,
  start,
  end,
  attributes,
  status,
}: Message): ReceivedSpan {
  return {
    traceId,
    spanId,
    parentSpanId: parentSpanId ?? '',
    name,
    start: Number(start / 1_000n),
    end: Number(end / 1_000n),
    attributes: attributesOf(attributes),
    status: status?.message ?? '',
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
