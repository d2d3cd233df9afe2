/** A run that pushes metrics and traces to a collector, whatever that does. */
import { writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import type { RunNote } from '../../../src/execution/record/notes.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { FakeCrew } from 'crewload/fake-crew'
import { startFakeCrew } from 'crewload/fake-crew'
import type { RunOptions, RunOutcome } from 'crewload/run'
import { run } from 'crewload/run'
import { UserError } from '../../../src/base/mistakes.ts'
import { openTelemetry } from '../../../src/host/telemetry/open.ts'
import { findingOf } from '../../../src/result/sentence-tables.ts'
import { FINDINGS } from '../../../src/result/sentences/findings.ts'
import { TELEMETRY } from '../../../src/host/telemetry/metrics.ts'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import { areExperimentsRun } from '../../experiments.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { k6OrSkip } from '../../support/k6/k6.ts'
import { collector, totalOf } from '../../support/metrics/otlp.ts'
import { executionRecord, runLine } from '../../result/lines.ts'
import { bench } from '../../run/bench.ts'

const k6 = await k6OrSkip('the test of --otlp with k6')
let crew: FakeCrew

/** All that are here. */
const ENGINES: [string, NonNullable<RunOptions['engine']>][] = [
  ['node', 'node'],
  ...(k6 === null
    ? []
    : [['k6', { kind: 'k6', vus: 2, binary: k6.path }] as [string, RunOptions['engine'] & object]]),
]

beforeAll(async () => {
  crew = await startFakeCrew({ profile: 'fast', seed: 7 })
})

afterAll(async () => crew.stop())
afterEach(() => vi.unstubAllEnvs())

const ARRIVALS = 20
const SCENARIO = `import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'pushed',
  arrivals: { rate: '20/s', for: '1s' },
  inputs: { topic: 'bees', audience: 'children' },
  tags: ({ index }) => ({ third: String(index % 3) }),
  checks: { 'says something': ({ output }) => output !== '' },
  polling: { fixed: '60ms' },
  deadline: '20s',
  validity: { lateness: '10s', utilisation: 1 },
})
`

type Pushed = RunOutcome & { lines: JournalLine[]; tookMs: number }

async function pushed(options: RunOptions): Promise<Pushed> {
  await using place = await bench()
  const file = join(place.path, 'pushed.ts')
  await writeFile(file, SCENARIO)
  const begun = performance.now()
  const common = { target: crew.url, tokens: [crew.token] }
  const outcome = await place.run(file, { ...common, ...options })
  return { ...outcome, tookMs: performance.now() - begun }
}

type Heard = Pick<IncomingMessage, 'method' | 'url' | 'headers'>

/** Passes every request on to the fake crew, and remembers what it carried. */
async function listeningCrew(): Promise<{ url: string; heard: Heard[] } & AsyncDisposable> {
  const heard: Heard[] = []
  const server = createServer((incoming, answer) => {
    const { method, url, headers } = incoming
    heard.push({ method, url, headers })
    const onward = request(new URL(url!, crew.url), { method, headers }, (reply) => {
      answer.writeHead(reply.statusCode!, reply.headers)
      reply.pipe(answer)
    })
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const told = (note: RunNote): string[] =>
  note.code === 'telemetry-lost' ? [findingOf(FINDINGS, note.code, note).message] : []

const notesOf = (lines: readonly JournalLine[]): string[] =>
  lines.flatMap((line) =>
    line.type === 'incident' && line.incident.kind === 'note' ? told(line.incident.note) : [],
  )

const recordsOf = (lines: readonly JournalLine[]) =>
  lines.flatMap((line) => (line.type === 'ended' ? [line.record] : []))

describe.concurrent('metrics', () => {
  test.each(ENGINES)('of %s are at the end what the records say', async (_, engine) => {
    await using received = await collector()
    const { lines } = await pushed({ engine, otlp: received.url, set: { confirm: '0' } })
    const records = recordsOf(lines)
    expect(records).toHaveLength(ARRIVALS)
    const { points } = received
    expect(totalOf(points, 'crewload.outcomes', { outcome: 'completed' })).toBe(ARRIVALS)
    expect(totalOf(points, 'crewload.executions.started')).toBe(ARRIVALS)
    expect(totalOf(points, 'crewload.executions.in_flight')).toBe(0)
    expect(totalOf(points, 'crewload.execution.duration')).toBe(ARRIVALS)
    const seconds = records.reduce((sum, r) => sum + (r.endedMicros - r.intendedMicros) / 1e6, 0)
    const told = points.find(({ name }) => name === 'crewload.execution.duration')!
    expect(told.sum).toBeCloseTo(seconds, 3)
    const kickoffs = { 'url.template': '/kickoff', 'http.response.status_code': 200 }
    expect(totalOf(points, 'http.client.request.duration', kickoffs)).toBe(ARRIVALS)
    const polls = records.reduce((sum, r) => sum + r.polls.answer.length, 0)
    expect(totalOf(points, 'crewload.requests', { operation: 'status' })).toBe(polls)
    const template = { 'url.template': '/status/{kickoff_id}' }
    expect(totalOf(points, 'http.client.request.duration', template)).toBe(polls)
    expect(notesOf(lines).filter((note) => note.startsWith('OTLP'))).toEqual([])
  })

  test('have the names, units and bounds of the list, and come without traces', async () => {
    await using received = await collector()
    await using target = await listeningCrew()
    await pushed({ target: target.url, otlp: received.url, out: false })
    const names = new Set(received.points.map(({ name }) => name))
    const silent = new Set(['crewload.violations'])
    const listed = Object.keys(TELEMETRY).filter((name) => !silent.has(name))
    expect([...names].sort()).toEqual(listed.sort())
    for (const { name, unit, kind, bounds } of received.points) {
      const metric = TELEMETRY[name as keyof typeof TELEMETRY]
      expect(unit).toBe(metric.unit)
      expect(kind).toBe(metric.type === 'histogram' ? 'histogram' : 'sum')
      expect(bounds).toEqual(metric.type === 'histogram' ? metric.bounds : [])
    }
    expect(received.resource).toMatchObject({ 'service.name': 'crewload' })
    expect(received.spans).toEqual([])
    expect(target.heard.filter(({ headers }) => 'traceparent' in headers)).toEqual([])
  })
})

describe.concurrent('traces', () => {
  test('are one for each execution, with its kickoff and polls below it, and hold no token', async () => {
    await using received = await collector()
    const { lines } = await pushed({ otlp: received.url, otlpTraces: 1 })
    const records = recordsOf(lines)
    const roots = received.spans.filter(({ parentSpanId }) => parentSpanId === '')
    expect(roots).toHaveLength(ARRIVALS)
    expect(new Set(roots.map(({ traceId }) => traceId)).size).toBe(ARRIVALS)
    for (const root of roots) {
      const record = records.find(({ index }) => index === root.attributes['crewload.index'])!
      expect(root.attributes['crewload.outcome']).toBe(record.outcome)
      expect(root.attributes['crewload.tag.third']).toBe(record.tags['third'])
      expect(root.end - root.start).toBe(record.endedMicros - record.intendedMicros)
      const below = received.spans.filter(({ parentSpanId }) => parentSpanId === root.spanId)
      expect(below.every(({ traceId }) => traceId === root.traceId)).toBe(true)
      expect(below.map(({ name }) => name)).toEqual([
        'POST /kickoff',
        ...record.polls.answer.map(() => 'GET /status/{kickoff_id}'),
      ])
      expect(below.map(({ start, end }) => end - start)).toEqual([
        ...record.kickoff.serviceMicros,
        ...record.polls.serviceMicros,
      ])
      expect(below.every(({ start, end }) => start >= root.start && end <= root.end)).toBe(true)
    }
    expect(received.text).toContain('crewload.kickoff_id')
    expect(received.text).not.toContain(crew.token)
    const now = Date.now() * 1_000
    expect(Math.abs(now - roots[0]!.start)).toBeLessThan(120_000_000)
  })

  test('are a share of all', async () => {
    await using received = await collector()
    await pushed({ otlp: received.url, otlpTraces: 0.5, out: false })
    const traces = new Set(received.spans.map(({ traceId }) => traceId)).size
    expect(traces).toBeGreaterThan(0)
    expect(traces).toBeLessThan(ARRIVALS)
  })
})

describe.concurrent('the requests of a traced execution', () => {
  test.each(ENGINES)('under %s carry its trace, and the others none', async (_, engine) => {
    await using received = await collector()
    await using target = await listeningCrew()
    await pushed({ engine, target: target.url, otlp: received.url, otlpTraces: 0.5 })
    const roots = received.spans.filter(({ parentSpanId }) => parentSpanId === '')
    const parents = roots.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)
    expect(parents.length).toBeGreaterThan(0)
    expect(parents.length).toBeLessThan(ARRIVALS)
    const kickoffs = target.heard.filter(({ method }) => method === 'POST')
    expect(kickoffs).toHaveLength(ARRIVALS)
    expect(kickoffs.flatMap(parentOf).sort()).toEqual(parents.sort())
    // Every poll belongs to the trace of its kickoff.
    const traced = new Set(
      kickoffs.flatMap((each) => (parentOf(each).length > 0 ? [idOf(each)] : [])),
    )
    const polls = target.heard.filter(({ url }) => url?.startsWith('/status/'))
    expect(polls.length).toBeGreaterThan(ARRIVALS)
    for (const poll of polls) {
      expect(parentOf(poll)).toEqual(
        traced.has(idOf(poll))
          ? kickoffs.filter((each) => idOf(each) === idOf(poll)).flatMap(parentOf)
          : [],
      )
    }
  })

  test('carry what the user says instead, where a header says it', async () => {
    await using received = await collector()
    await using target = await listeningCrew()
    const own = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const headers = { traceparent: own }
    await pushed({ target: target.url, headers, otlp: received.url, otlpTraces: 1, out: false })
    const sent = target.heard.filter(({ url }) => /^\/(?:kickoff|status\/)/.test(url!))
    const told = new Set(sent.map((each) => each.headers['traceparent']))
    expect([...told]).toEqual([own])
  })
})

function parentOf({ headers }: Heard): string[] {
  return [headers['traceparent'] ?? []].flat()
}

function idOf({ headers }: Heard): string {
  return String(headers['x-correlation-id'])
}

function status(code: number): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(code, { 'content-type': 'text/plain' }).end('<b>::error:: no</b>')
  }
}

/** ExportMetricsPartialSuccess, and that of traces: field 1 is how many were rejected, a varint. */
function rejecting(count: number): (response: ServerResponse) => void {
  const varint = [(count & 0x7f) | 0x80, count >> 7]
  const partial = [0x08, ...varint, 0x12, 2, 0x6e, 0x6f]
  return (response) => response.end(Buffer.from([0x0a, partial.length, ...partial]))
}

test.concurrent('a collector that rejects some spans, and takes the rest, has lost those alone', async () => {
  await using received = await collector(rejecting(129))
  const exported = { target: received.url, runId: 'run-1', version: '9' }
  const telemetry = await openTelemetry(exported, { otlp: received.url, otlpTraces: 1 })
  telemetry!.saw(runLine())
  telemetry!.saw({ type: 'ended', record: executionRecord(0, { pollMicros: 5_000 }) })
  const lost = await telemetry!.close()
  expect(received.spans).toHaveLength(202)
  expect(lost.flatMap(told)).toContain(
    'OTLP: 129 of 202 spans were lost: it rejected them (partial success)',
  )
})

describe.concurrent('a collector that does not take it changes nothing, and what was lost is told', () => {
  const TROUBLES: [string, (response: ServerResponse) => void, RegExp][] = [
    ['refuses with 413', status(413), /it answered 413/],
    ['is limited with 429', status(429), /it kept answering 429, 502, 503 or 504/],
    ['never answers', () => {}, /no answer in time/],
    ['answers 200 with a page', status(200), /the answer is not one of OTLP/],
    ['rejects everything, with 200', rejecting(1_000), /it rejected them \(partial success\)/],
    [
      'drips its answer',
      (response) => {
        response.writeHead(200)
        const drip = setInterval(() => response.write('.'), 100)
        response.on('close', () => clearInterval(drip))
      },
      /./,
    ],
    [
      'closes the connection',
      (response) => void response.destroy(),
      /ECONNRESET|the request failed/,
    ],
  ]

  test.each(TROUBLES.filter((_, i) => areExperimentsRun || i % 2 === 0))(
    '%s',
    async (_, answering, reason) => {
      await using received = await collector(answering)
      const { document, lines, tookMs } = await pushed({ otlp: received.url, otlpTraces: 1 })
      expect(document.outcomes.completed).toBe(ARRIVALS)
      const [metrics, spans, ...others] = notesOf(lines).filter((note) => note.startsWith('OTLP'))
      expect(others).toEqual([])
      expect(metrics).toMatch(/^OTLP: \d+ of \d+ batches of metrics were lost: /)
      expect(spans).toMatch(/^OTLP: (\d+) of \1 spans were lost: /)
      expect(metrics).toMatch(reason)
      expect(`${metrics} ${spans}`).not.toContain('::error')
      // The load takes about three seconds.
      expect(tookMs).toBeLessThan(30_000)
      expect(JSON.stringify(document.findings)).toContain('batches of metrics were lost')
    },
  )

  test('nobody listens', async () => {
    const { url, [Symbol.asyncDispose]: close } = await collector()
    await close()
    const { document, lines } = await pushed({ otlp: url })
    expect(document.outcomes.completed).toBe(ARRIVALS)
    expect(notesOf(lines).join()).toMatch(/batches of metrics were lost: ECONNREFUSED/)
  })
})

test.concurrent('a Ctrl-C still sends what is known', async () => {
  await using received = await collector()
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'long.ts')
  await writeFile(file, SCENARIO.replace("for: '1s'", "for: '1m'"))
  const stopping = new AbortController()
  const place = { target: crew.url, tokens: [crew.token], out: false } as const
  setTimeout(() => stopping.abort(), 2_000)
  const { document } = await run(file, { ...place, otlp: received.url, signal: stopping.signal })
  const ended = totalOf(received.points, 'crewload.outcomes')
  expect(ended).toBe(Object.values(document.outcomes).reduce((sum, n) => sum + n, 0))
  expect(totalOf(received.points, 'crewload.executions.in_flight')).toBe(0)
})

/** Not beside others, who have the same variables. */
describe('by the environment', () => {
  test('metrics follow the variables of OpenTelemetry', async () => {
    await using received = await collector()
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', received.url)
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-tenant=north')
    vi.stubEnv('OTEL_SERVICE_NAME', 'nightly')
    vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=staging')
    vi.stubEnv('OTEL_METRIC_EXPORT_INTERVAL', '200')
    const aggregation = 'OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION'
    vi.stubEnv(aggregation, 'base2_exponential_bucket_histogram')
    await pushed({ otlp: true, out: false })
    expect(received.batches).toBeGreaterThan(3)
    for (const headers of received.headers) expect(headers['x-tenant']).toBe('north')
    expect(received.resource).toMatchObject({
      'service.name': 'nightly',
      'deployment.environment.name': 'staging',
    })
    const duration = received.points.find(({ name }) => name === 'crewload.execution.duration')
    expect(duration?.kind).toBe('exponential')
  })

  test('requests carry nothing where nothing is sent', async () => {
    await using received = await collector()
    await using target = await listeningCrew()
    vi.stubEnv('OTEL_SDK_DISABLED', 'true')
    const { lines } = await pushed({ target: target.url, otlp: received.url, otlpTraces: 1 })
    expect(target.heard.filter(({ headers }) => 'traceparent' in headers)).toEqual([])
    expect([received.spans, received.batches]).toEqual([[], 0])
    expect(recordsOf(lines)).toHaveLength(ARRIVALS)
  })
})

test.each([
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json'],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json'],
])('is refused before anything is sent where %s asks for %s', async (source, found) => {
  vi.stubEnv(source, found)
  const place = { target: crew.url, tokens: [crew.token], out: false } as const
  const problem = 'crewload sends only http/protobuf: unset it, or set it to http/protobuf'
  const mistake = new UserError({ source, problem, found: `"${found}"` })
  await expect(run('smoke', { ...place, otlp: true })).rejects.toThrow(mistake)
})

test('no share is a mistake of who calls it from code as well', async () => {
  const asked = { target: crew.url, out: false, otlp: true, otlpTraces: 2 } as const
  await expect(run('smoke', asked)).rejects.toThrow('--otlp-traces: expected a share from 0 to 1')
})
