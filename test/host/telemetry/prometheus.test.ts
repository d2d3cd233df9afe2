/** The endpoint answers scrapes in the text format, and nothing else. */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { prometheusName, TELEMETRY_METRICS } from '../../../src/host/telemetry/metrics.ts'
import { openTelemetry } from '../../../src/host/telemetry/open.ts'
import type { Telemetry } from '../../../src/host/telemetry/open.ts'
import { emptyColumns } from '../../../src/execution/record/columns.ts'
import { executionRecord } from '../../result/lines.ts'
import { parseExposition, sumOf } from '../../support/metrics/exposition.ts'

interface Endpoint extends AsyncDisposable {
  url: string
  telemetry: Telemetry
}

async function open(): Promise<Endpoint> {
  const exported = { target: 'http://127.0.0.1:1', runId: 'run-1', version: '9' }
  let url = ''
  const onNote = (note: string): void => void (url = note.split(' ').at(-1)!)
  const telemetry = await openTelemetry(exported, { prometheus: true, onNote })
  return {
    url,
    telemetry: telemetry!,
    [Symbol.asyncDispose]: async () => void (await telemetry!.close()),
  }
}

test('a scrape has every metric of the list, with its type and help', async () => {
  await using endpoint = await open()
  const answer = await fetch(endpoint.url)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const families = parseExposition(await answer.text())
  expect([...families.keys()].sort()).toEqual(
    TELEMETRY_METRICS.map(([name, metric]) => prometheusName(name, metric)).sort(),
  )
  for (const [name, metric] of TELEMETRY_METRICS) {
    const { type, help } = metric
    expect(families.get(prometheusName(name, metric))).toMatchObject({ type, help })
  }
})

test('samples are summed, times in seconds', async () => {
  await using endpoint = await open()
  const labels = { outcome: 'completed' }
  const accepted = {
    type: 'accepted',
    index: 0,
    instance: 0,
    kickoffId: 'id',
    atMicros: 5,
  } as const
  endpoint.telemetry.saw({ ...accepted, kickoff: emptyColumns() })
  for (const micros of [40_000_000, 50_000_000, 4_000_000_000]) {
    const record = { ...executionRecord(0), intendedMicros: 0, endedMicros: micros }
    endpoint.telemetry.saw({ type: 'ended', record })
  }
  const families = parseExposition(await (await fetch(endpoint.url)).text())
  const own = 'crewload_execution_duration_seconds'
  expect(sumOf(families, `${own}_sum`)).toBeCloseTo(4_090, 6)
  expect(sumOf(families, `${own}_bucket`, { le: '45' })).toBe(1)
  expect(sumOf(families, `${own}_bucket`, { le: '3600' })).toBe(2)
  expect(sumOf(families, `${own}_bucket`, { le: '+Inf' })).toBe(3)
  expect(sumOf(families, 'crewload_outcomes_total', labels)).toBe(3)
  expect(sumOf(families, 'crewload_executions_in_flight')).toBe(0)
})

test('other paths and methods are refused', async () => {
  await using endpoint = await open()
  expect((await fetch(new URL('/', endpoint.url))).status).toBe(404)
  expect((await fetch(endpoint.url, { method: 'POST', body: 'x' })).status).toBe(405)
  expect((await fetch(endpoint.url, { method: 'HEAD' })).status).toBe(200)
})

test('it closes while somebody holds a connection open', async () => {
  const endpoint = await open()
  const { port } = new URL(endpoint.url)
  const { connect } = await import('node:net')
  const idle = connect(Number(port), '127.0.0.1')
  await new Promise((resolve) => idle.once('connect', resolve))
  idle.on('error', () => {})
  await expect(endpoint.telemetry.close()).resolves.toEqual([])
  const free = createServer().listen(Number(port), '127.0.0.1')
  await new Promise((resolve) => free.once('listening', resolve))
  expect((free.address() as AddressInfo).port).toBe(Number(port))
  free.close()
})

test.each([
  ['evil.example', 421],
  ['127.0.0.1.evil.example:80', 421],
  ['', 421],
  ['localhost:1', 200],
  ['127.0.0.1', 200],
])('asked for as "%s" it answers %d', async (host, status) => {
  await using endpoint = await open()
  const { port } = new URL(endpoint.url)
  const socket = connect(Number(port), '127.0.0.1')
  let told = ''
  socket.on('data', (part) => (told += part.toString()))
  socket.write(`GET /metrics HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
  await once(socket, 'close')
  expect(told).toContain(`HTTP/1.1 ${status} `)
})
