/** What stands beside the interface, under `/__fake__/`: the truth, the clock, the profile, faults, a fresh start, metrics. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bearerToken } from '../model/gates.ts'
import { METRICS_TYPE } from '../model/metrics.ts'
import { parseProfile } from '../profiles.ts'
import { isLoopback } from '../../src/loopback.ts'
import { NDJSON_TYPE, ndjson, refuseMistakes } from './control-answers.ts'
import { addFaultControl } from './control-faults.ts'
import type { LiveCrew } from './live-crew.ts'

export interface ControlOptions {
  crew: LiveCrew
  /** Opens the control to callers from other hosts; null keeps it to loopback. */
  adminToken: string | null
}

/** Bytes of a profile; the crew's own limit, which that profile sets, does not count here. */
const BODY_LIMIT = 1024 * 1024

export function addControl(app: FastifyInstance, { crew, adminToken }: ControlOptions): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_, text, done) =>
    done(null, text),
  )
  app.addHook('onRequest', async (request, reply) => {
    crew.controls.add(request.raw.socket)
    await refuseStrangers(request, reply, adminToken)
  })
  app.setErrorHandler<FastifyError>(async ({ statusCode = 500, name, message }, _, reply) =>
    reply.code(statusCode).send({ error: name, message }),
  )
  app.get('/ledger', async (_, reply) => reply.type(NDJSON_TYPE).send(ndjson(crew.ledger())))
  app.get('/clock', async () => crew.clock())
  app.get('/profile', async () => crew.profile)
  app.put('/profile', async (request, reply) => replaceProfile(request, reply, crew))
  addFaultControl(app, crew)
  app.post('/reset', async (_, reply) => {
    crew.reset()
    return reply.code(204).send()
  })
  app.get('/metrics', async (_, reply) =>
    reply.type(METRICS_TYPE).send(crew.model.metrics(crew.nowMicros())),
  )
}

async function refuseStrangers(
  { ip, headers }: FastifyRequest,
  reply: FastifyReply,
  adminToken: string | null,
): Promise<void> {
  if (isLoopback(ip)) return
  if (adminToken !== null && bearerToken(headers.authorization) === adminToken) return
  const message = 'The control of a fake crew is open on loopback, or with its admin token'
  await reply
    .code(401)
    .header('www-authenticate', 'Bearer')
    .send({ error: 'Unauthorized', message })
}

/** The body is a profile in YAML, or in JSON, which is YAML too. A bad one changes nothing. */
async function replaceProfile(
  request: FastifyRequest,
  reply: FastifyReply,
  crew: LiveCrew,
): Promise<FastifyReply> {
  const text = (request.body as string | undefined) ?? ''
  try {
    crew.reset(parseProfile(text, 'profile'))
  } catch (error) {
    return refuseMistakes(error, reply)
  }
  return reply.send(crew.profile)
}
