/**
 * The control endpoints beside the interface, under `/__fake__/`: ledger, refusals, clock, profile,
 * faults, reset, metrics.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { LedgerRow } from '../../../src/crew/ledger.ts'
import { METRICS_TYPE } from '../../model/records/metrics.ts'
import { parseProfile } from '../../profiles.ts'
import { tellBug } from '../bugs.ts'
import type { AccessRefusal } from './access.ts'
import { accessRefusal } from './access.ts'
import { NDJSON_TYPE, ndjson, refuseMistakes } from './answers.ts'
import { addFaultControl } from './faults.ts'
import type { LiveModel } from '../live-model.ts'
import { otherMethods } from '../other-methods.ts'

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
  app.setErrorHandler<FastifyError>(async (error, _, reply) => {
    const { statusCode = 500, name, message } = error
    if (statusCode === 500) tellBug(error)
    return reply.code(statusCode).send({ error: name, message })
  })
  const closeMethods = otherMethods(app)
  app.get('/ledger', async (_, reply) =>
    ledger === null
      ? reply.code(404).send({ error: 'Not Found', message: NO_LEDGER })
      : reply.type(NDJSON_TYPE).send(ndjson(ledger())),
  )
  app.get('/refusals', async (_, reply) =>
    reply.type(NDJSON_TYPE).send(ndjson(live.model.refusals.all())),
  )
  app.get('/clock', async () => ({ ...live.clock(), ...role }))
  app.get('/profile', async () => live.profile)
  app.put('/profile', async (request, reply) => replaceProfile(request, reply, live))
  addFaultControl(app, live)
  app.post('/reset', async (_, reply) => {
    live.reset()
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

/**
 * Replaces the profile. The body is a profile in YAML or JSON, which is also YAML; an invalid one
 * changes nothing.
 */
async function replaceProfile(
  request: FastifyRequest,
  reply: FastifyReply,
  live: LiveModel,
): Promise<FastifyReply> {
  const text = (request.body as string | undefined) ?? ''
  try {
    live.reset(parseProfile(text, 'profile'))
  } catch (error) {
    return refuseMistakes(error, reply)
  }
  return reply.send(live.profile)
}
