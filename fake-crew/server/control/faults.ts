/**
 * `/__fake__/faults`: which faults are on, which answers they changed, and adding and clearing them
 * while the crew runs.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { parseFaults } from '../../profiles.ts'
import { NDJSON_TYPE, ndjson, refuseMistakes } from './answers.ts'
import type { LiveModel } from '../live-model.ts'

export function addFaultControl(app: FastifyInstance, live: LiveModel): void {
  app.get('/faults', async () => ({ faults: live.model.faults.list() }))
  app.get('/faults/marks', async (_, reply) =>
    reply.type(NDJSON_TYPE).send(ndjson(live.model.faults.marks.all())),
  )
  app.get('/faults/spells', async (_, reply) =>
    reply.type(NDJSON_TYPE).send(ndjson(live.faultSpells())),
  )
  app.post('/faults', async (request, reply) => add(request, reply, live))
  app.delete('/faults', async (_, reply) => {
    live.clearFaults()
    return reply.code(204).send()
  })
  app.delete<{ Params: { name: string } }>('/faults/:name', async ({ params: { name } }, reply) => {
    if (live.clearFaults(name) > 0) return reply.code(204).send()
    const message = `There is no fault named ${JSON.stringify(name)}`
    return reply.code(404).send({ error: 'Not Found', message })
  })
}

/**
 * Adds faults. The body is a fault or a list of them, in YAML or JSON; their times count from now.
 * An invalid one changes nothing.
 */
async function add(
  request: FastifyRequest,
  reply: FastifyReply,
  live: LiveModel,
): Promise<FastifyReply> {
  const text = (request.body as string | undefined) ?? ''
  try {
    return await reply.code(201).send({ faults: live.addFaults(parseFaults(text, 'faults')) })
  } catch (error) {
    return refuseMistakes(error, reply)
  }
}
