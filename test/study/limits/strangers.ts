/** Crews that others have limited, with the limiters that people use in front of Express. */
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import type { RequestHandler } from 'express'
import express from 'express'
import { rateLimit } from 'express-rate-limit'
import { RateLimiterMemory } from 'rate-limiter-flexible'

export interface Stranger extends AsyncDisposable {
  url: string
}

/** `GET /inputs` alone, behind that limiter; on loopback, at a port that the system chooses. */
export async function startStranger(limiter: RequestHandler): Promise<Stranger> {
  const app = express()
  app.use(limiter)
  app.get('/inputs', (_, response) => {
    response.json({ inputs: ['topic'] })
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** express-rate-limit: a fixed window of each client, from its first request. */
export function expressRateLimit(limit: number, windowMs: number): RequestHandler {
  return rateLimit({
    limit,
    windowMs,
    standardHeaders: false,
    legacyHeaders: false,
    validate: false,
  })
}

/** rate-limiter-flexible: the same kind, kept in memory. */
export function rateLimiterFlexible(points: number, seconds: number): RequestHandler {
  const limiter = new RateLimiterMemory({ points, duration: seconds })
  return (request, response, next) => {
    limiter.consume(request.ip ?? 'nobody').then(
      () => next(),
      () => response.status(429).send('Too Many Requests'),
    )
  }
}
