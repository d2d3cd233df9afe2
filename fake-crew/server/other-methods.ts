/**
 * Paths beside the interface answer methods that they do not support with 405 and list those that
 * they do.
 */
import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Node gives a CONNECT to no handler of requests: it would open a tunnel. */
const ANSWERABLE = METHODS.filter((method) => method !== 'CONNECT')

/** Fastify knows eight methods by itself, and would answer 404 to the others. */
export function knowEveryMethod(app: FastifyInstance): void {
  for (const method of ANSWERABLE) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  }
}

/**
 * Records the routes that are added to `app` from now on; call the returned function after the last
 * of them.
 */
export function otherMethods(app: FastifyInstance): () => void {
  const known = new Map<string, string[]>()
  let closing = false
  app.addHook('onRoute', ({ routePath, method }) => {
    if (closing) return
    known.set(routePath, [...(known.get(routePath) ?? []), method].flat())
  })
  return () => {
    closing = true
    for (const [url, methods] of known) {
      const allow = methods.join(', ')
      const others = ANSWERABLE.filter((method) => !methods.includes(method))
      app.route({ url, method: others, handler: (request, reply) => refuse(request, reply, allow) })
    }
  }
}

function refuse({ method }: FastifyRequest, reply: FastifyReply, allow: string): FastifyReply {
  const message = `${method} is not allowed here; allowed: ${allow}`
  return reply.code(405).header('allow', allow).send({ error: 'Method Not Allowed', message })
}
