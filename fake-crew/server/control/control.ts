/**
 * The control endpoints beside the interface, under `/__fake__/`: ledger, refusals, clock, profile,
 * faults, reset, metrics.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LedgerRow } from '../../../src/crew/ledger.ts'
import { TEST_HEADER } from '../../model/records/tests.ts'
import type { AddedScript } from '../../model/script-set.ts'
import { METRICS_TYPE } from '../../model/records/metrics.ts'
import { parseFaults } from '../../profiles.ts'
import { tellBug } from '../bugs.ts'
import type { RequestFilter } from '../../model/records/journal.ts'
import type { LiveModel } from '../live-model.ts'
import { otherMethods } from '../other-methods.ts'
import { isIP } from 'node:net'
import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '../../../src/base/loopback.ts'
import { bearerToken } from '../../model/call.ts'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { UserError } from '../../../src/base/mistakes.ts'

export interface ControlOptions {
  live: LiveModel
  /** The rows of the ledger up to now; null if there is none. */
  ledger: (() => Iterable<LedgerRow>) | null
  /** The base URL behind a proxy: its executions may cost money. Null for a crew. */
  forwardsTo: string | null
  /**
   * The token that every caller must present; null restricts the control to programs on this
   * machine.
   */
  adminToken: string | null
}

/**
 * Maximum bytes of a profile; the crew's own limit, which that profile sets, does not apply here.
 */
const BODY_LIMIT = 64 * 1024

const NO_LEDGER = 'A proxy has no ledger: only its target knows what happens to executions'

export function addControl(app: FastifyInstance, options: ControlOptions): void {
  const { live, ledger, forwardsTo, adminToken } = options
  const role = forwardsTo === null ? {} : { forwards_to: forwardsTo }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_, text, done) =>
    done(null, text),
  )
  app.addHook('onRequest', async (request, reply) => {
    live.controls.add(request.raw.socket)
    const refusal = accessRefusal(request, adminToken)
    if (refusal !== null) await refuse(refusal, reply)
  })
  app.setErrorHandler<FastifyError | UserError>(async (error, _, reply) => {
    if (error instanceof UserError) {
      const { message, mistakes } = error
      return reply.code(422).send({ error: 'Validation Error', message, details: { mistakes } })
    }
    const { statusCode = 500, name, message } = error
    if (statusCode === 500) tellBug(error)
    return reply.code(statusCode).send({ error: name, message })
  })
  const closeMethods = otherMethods(app)
  app.get('/ledger', async (request, reply) =>
    ledger === null
      ? reply.code(404).send({ error: 'Not Found', message: NO_LEDGER })
      : reply.type(NDJSON_TYPE).send(ndjson(ofTest(ledger(), testOf(request)))),
  )
  app.get('/refusals', async (_, reply) =>
    reply.type(NDJSON_TYPE).send(ndjson(live.model.refusals.all())),
  )
  app.get('/requests', async (request, reply) => {
    const test = testOf(request)
    const scope = test === null ? {} : { test }
    const rows = live.requests({ ...scope, ...(request.query as RequestFilter) })
    return reply
      .type(NDJSON_TYPE)
      .header('x-requests-dropped', live.model.journal?.dropped ?? 0)
      .send(ndjson(rows))
  })
  app.get('/clock', async () => ({ ...live.ledgerClock(), ...role }))
  app.post('/clock/advance', async (request, reply) => {
    await live.advance(textOf(request).trim())
    return reply.send(live.ledgerClock())
  })
  app.get('/profile', async () => live.written)
  app.put('/profile', async (request, reply) => {
    live.replaceProfile(textOf(request))
    return reply.send(live.written)
  })
  addFaultControl(app, live)
  addScriptControl(app, live)
  app.post('/reset', async (request, reply) => {
    const test = testOf(request)
    if (test === null) live.reset()
    else live.forgetTest(test)
    return reply.code(204).send()
  })
  app.get('/metrics', async (_, reply) =>
    reply.type(METRICS_TYPE).send(live.model.metrics(live.nowMicros())),
  )
  closeMethods()
}

async function refuse({ status, message }: AccessRefusal, reply: FastifyReply): Promise<void> {
  reply.code(status)
  if (status === 401) reply.header('www-authenticate', 'Bearer')
  await reply.send({ error: status === 401 ? 'Unauthorized' : 'Forbidden', message })
}

/** What was written in YAML, or in JSON, which is also YAML; an invalid text changes nothing. */
function textOf({ body }: FastifyRequest): string {
  return (body as string | undefined) ?? ''
}

/**
 * Decides who may use the control: holders of the admin token or, without one, programs on this
 * machine, but no web page in its browser.
 */
interface Caller {
  /** The peer's address. */
  ip: string
  headers: IncomingHttpHeaders
}

/** Why a caller is refused. */
interface AccessRefusal {
  status: 401 | 403
  message: string
}

const NEEDS_TOKEN: AccessRefusal = { status: 401, message: 'The control requires the admin token' }
const NOT_FROM_HERE: AccessRefusal = {
  status: 401,
  message: 'Without the admin token, the control of a fake crew is open on loopback only',
}
const FROM_A_PAGE: AccessRefusal = {
  status: 403,
  message: 'Without an admin token, the control is closed to web pages',
}
const BY_NAME: AccessRefusal = {
  status: 403,
  message:
    'Without an admin token, the control accepts only an IP address or localhost ' +
    'as Host. Another name may belong to a web page',
}

/**
 * Null for a permitted caller. If a token is set, only the token counts: behind a proxy on this
 * machine, every caller has a loopback address. Without a token, a page in a browser on this
 * machine could send requests too: such a request has an `Origin` or says in `Sec-Fetch-Site` where
 * it comes from, and after DNS rebinding its `Host` is the page's name.
 */
function accessRefusal({ ip, headers }: Caller, adminToken: string | null): AccessRefusal | null {
  if (adminToken !== null) {
    return bearerToken(headers.authorization) === adminToken ? null : NEEDS_TOKEN
  }
  if (!isLoopback(ip)) return NOT_FROM_HERE
  if (isFromPage(headers)) return FROM_A_PAGE
  return isAddress(headers.host ?? '') ? null : BY_NAME
}

/** A URL that a user types or follows is a navigation, whose answer no page can read. */
function isFromPage(headers: IncomingHttpHeaders): boolean {
  if (headers.origin !== undefined) return true
  const site = headers['sec-fetch-site'] ?? 'none'
  return site !== 'none' && site !== 'same-origin' && headers['sec-fetch-mode'] !== 'navigate'
}

/** The host of a `Host` header without its port: an IP address, or localhost. */
function isAddress(host: string): boolean {
  const name = host.replace(/:\d*$/, '')
  const bare = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
  return isIP(bare) !== 0 || isLoopback(bare.toLowerCase())
}

/**
 * `/__fake__/faults`: which faults are on, which answers they changed, and adding and clearing them
 * while the crew runs.
 */
function addFaultControl(app: FastifyInstance, live: LiveModel): void {
  app.get('/faults', async ({ headers }) => ({
    faults: live.model.faults.list(testOf({ headers })),
  }))
  app.get('/faults/marks', async (_, reply) =>
    reply.type(NDJSON_TYPE).send(ndjson(live.model.faults.marks.all())),
  )
  app.get('/faults/spells', async (_, reply) =>
    reply.type(NDJSON_TYPE).send(ndjson(live.faultSpells())),
  )
  app.post('/faults', async (request, reply) => {
    const faults = live.addFaults(parseFaults(textOf(request), 'faults'), testOf(request))
    return reply.code(201).send({ faults })
  })
  app.delete('/faults', async (request, reply) => {
    live.clearFaults(undefined, testOf(request))
    return reply.code(204).send()
  })
  app.delete<ByName>('/faults/:name', async (request, reply) => {
    const { name } = request.params
    return cleared(live.clearFaults(name, testOf(request)), 'fault', name, reply)
  })
}

interface ByName {
  Params: { name: string }
}

async function cleared(count: number, what: string, name: string, reply: FastifyReply) {
  if (count > 0) return reply.code(204).send()
  const message = `There is no ${what} named ${JSON.stringify(name)}`
  return reply.code(404).send({ error: 'Not Found', message })
}

/** `/__fake__/scripts`: what becomes of single executions, said while the crew runs. */
function addScriptControl(app: FastifyInstance, live: LiveModel): void {
  app.get('/scripts', async ({ headers }) => ({
    scripts: live.scripts.list(testOf({ headers })).map(nameAndTest),
  }))
  app.post('/scripts', async (request, reply) => {
    const scripts = live.addScripts(textOf(request), testOf(request)).map(nameAndTest)
    return reply.code(201).send({ scripts })
  })
  app.delete('/scripts', async (request, reply) => {
    live.scripts.clear(undefined, testOf(request))
    return reply.code(204).send()
  })
  app.delete<ByName>('/scripts/:name', async (request, reply) => {
    const { name } = request.params
    return cleared(live.scripts.clear(name, testOf(request)), 'script', name, reply)
  })
}

function nameAndTest({ name, test }: AddedScript): AddedScript {
  return { name, test }
}

/** A request to the control with this header is about one test alone; null for all. */
function testOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  const test = headers[TEST_HEADER]
  return typeof test === 'string' ? test : null
}

function* ofTest(rows: Iterable<LedgerRow>, test: string | null): Generator<LedgerRow> {
  for (const row of rows) if (test === null || row.test === test) yield row
}

const NDJSON_TYPE = 'application/x-ndjson; charset=utf-8'

/**
 * The most rows and the most time between two turns of other requests; a row may have to generate
 * its output.
 */
const BATCH_ROWS = 256
const BATCH_MS = 4

/**
 * One JSON text per line, in batches of a few milliseconds; other requests are served in between.
 */
export function ndjson(rows: Iterable<unknown>): Readable {
  return Readable.from(batches(rows))
}

async function* batches(rows: Iterable<unknown>): AsyncGenerator<string> {
  let lines: string[] = []
  let beganMs = performance.now()
  for (const row of rows) {
    lines.push(`${JSON.stringify(row)}\n`)
    if (lines.length < BATCH_ROWS && performance.now() - beganMs < BATCH_MS) continue
    yield lines.join('')
    lines = []
    await setImmediate()
    beganMs = performance.now()
  }
  yield lines.join('')
}
