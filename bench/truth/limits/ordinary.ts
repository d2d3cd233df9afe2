/**
 * Limiters of public libraries and products as people set them up: each with its headers, its words
 * and its scope, played by the fake crew after the document or the source that is named.
 */
import type { LimiterKind } from '../../../src/study/frame/limiter-kinds.ts'

export interface Ordinary {
  /** With the version whose semantics are played. */
  name: string
  /** How it counts, in a few words. */
  semantics: string
  /** `limits` of a profile. */
  limits: string
  /** Latency of `status`, where a limiter shows only in long answers. */
  latency?: string
  kinds: readonly LimiterKind[]
  /** Requests in a window or in flight; for a bucket, its capacity. */
  limit: number
  /** The window; for a bucket, the time in which one token comes; null where neither applies. */
  windowMs: number | null
  /** Whether each token, and each path of an execution, has a limit of its own. */
  token: boolean
  path: boolean
}

interface Rule {
  algorithm: string
  headers?: string
  per?: 'token' | 'address' | 'all'
  quota?: 'shared' | 'each' | 'path'
  rejected?: 'free' | 'counted'
  block?: string
  status?: number
  retryAfter?: string
  after?: string
  body: string
}

function limitsOf({
  algorithm,
  headers = 'none',
  per = 'address',
  quota = 'shared',
  rejected = 'free',
  block,
  status = 429,
  retryAfter = 'none',
  after = '1ms',
  body,
}: Rule): string {
  const refusal = `{ status: ${status}, retryAfter: ${retryAfter}, after: ${after}, body: ${JSON.stringify(body)} }`
  const blocked = block === undefined ? '' : `block: ${block}, `
  return (
    `{ headers: ${headers}, rules: [{ name: default, per: ${per}, quota: ${quota}, ` +
    `rejected: ${rejected}, ${blocked}${algorithm}, refusal: ${refusal} }] }`
  )
}

const SLOWAPI = { headers: 'slowapi', quota: 'path' } as const
const slowapiBody = (limit: string): string => `{"error":"Rate limit exceeded: ${limit}"}`
const EXPRESS = { retryAfter: 'seconds', body: 'Too many requests, please try again later.' }
const NGINX = {
  status: 503,
  body: '<html>\n<head><title>503 Service Temporarily Unavailable</title></head>\n</html>\n',
}

export const ORDINARY: readonly Ordinary[] = [
  {
    name: 'slowapi 0.1 with limits 5, fixed-window',
    semantics: 'window from the first request, for each path; headers on every answer',
    limits: limitsOf({
      ...SLOWAPI,
      algorithm: 'fixedWindow: { limit: 120, window: 1m, from: first hit }',
      body: slowapiBody('120 per 1 minute'),
    }),
    kinds: ['fixed-window'],
    limit: 120,
    windowMs: 60_000,
    token: false,
    path: true,
  },
  {
    name: 'slowapi 0.1 with limits 5, moving-window',
    semantics: 'log, for each path; the reset is when one more is let in',
    limits: limitsOf({
      ...SLOWAPI,
      algorithm: 'slidingLog: { limit: 30, window: 1m }',
      body: slowapiBody('30 per 1 minute'),
    }),
    kinds: ['sliding-log'],
    limit: 30,
    windowMs: 60_000,
    token: false,
    path: true,
  },
  {
    name: 'slowapi 0.1 with limits 5, sliding-window-counter',
    semantics: 'counter that is rounded down, for each path',
    limits: limitsOf({
      ...SLOWAPI,
      algorithm: 'slidingCounter: { limit: 60, window: 1m, estimate: rounded down }',
      body: slowapiBody('60 per 1 minute'),
    }),
    kinds: ['sliding-counter'],
    limit: 60,
    windowMs: 60_000,
    token: false,
    path: true,
  },
  {
    name: 'slowapi 0.1 with limits 4, fixed-window-elastic-expiry',
    semantics: 'window that every request prolongs, refused ones too, for each path',
    limits: limitsOf({
      ...SLOWAPI,
      rejected: 'counted',
      algorithm: 'fixedWindow: { limit: 20, window: 30s, from: last hit }',
      body: slowapiBody('20 per 30 second'),
    }),
    kinds: ['fixed-window'],
    limit: 20,
    windowMs: 30_000,
    token: false,
    path: true,
  },
  {
    name: 'express-rate-limit 7, draft-6 headers',
    semantics: 'window of each client from its first request',
    limits: limitsOf({
      ...EXPRESS,
      headers: 'draft-6',
      algorithm: 'fixedWindow: { limit: 100, window: 15m, from: first hit }',
    }),
    kinds: ['fixed-window'],
    limit: 100,
    windowMs: 900_000,
    token: false,
    path: false,
  },
  {
    name: 'express-rate-limit 7, draft-7 headers',
    semantics: 'the same',
    limits: limitsOf({
      ...EXPRESS,
      headers: 'draft-7',
      algorithm: 'fixedWindow: { limit: 60, window: 1m, from: first hit }',
    }),
    kinds: ['fixed-window'],
    limit: 60,
    windowMs: 60_000,
    token: false,
    path: false,
  },
  {
    name: 'express-rate-limit 7, legacy headers',
    semantics: 'the same, with the reset in Unix seconds',
    limits: limitsOf({
      ...EXPRESS,
      headers: 'x-ratelimit-epoch',
      algorithm: 'fixedWindow: { limit: 100, window: 1m, from: first hit }',
    }),
    kinds: ['fixed-window'],
    limit: 100,
    windowMs: 60_000,
    token: false,
    path: false,
  },
  {
    name: '@fastify/rate-limit 10',
    semantics: 'window from the first request',
    limits: limitsOf({
      headers: 'x-ratelimit-delta',
      retryAfter: 'seconds',
      algorithm: 'fixedWindow: { limit: 40, window: 1m, from: first hit }',
      body: '{"statusCode":429,"error":"Too Many Requests","message":"Rate limit exceeded, retry in {seconds} seconds"}',
    }),
    kinds: ['fixed-window'],
    limit: 40,
    windowMs: 60_000,
    token: false,
    path: false,
  },
  {
    name: 'rate-limiter-flexible 5',
    semantics: 'window from the first request; Retry-After with a fraction',
    limits: limitsOf({
      retryAfter: 'fractional',
      rejected: 'counted',
      algorithm: 'fixedWindow: { limit: 10, window: 5s, from: first hit }',
      body: 'Too Many Requests',
    }),
    kinds: ['fixed-window'],
    limit: 10,
    windowMs: 5_000,
    token: false,
    path: false,
  },
  {
    name: 'nginx 1.26 limit_req, nodelay',
    semantics: 'leaky bucket that refuses at once, 503 without a header',
    limits: limitsOf({ ...NGINX, algorithm: 'leakyBucket: { rate: 10/s, burst: 20 }' }),
    kinds: ['token-bucket'],
    limit: 21,
    windowMs: 100,
    token: false,
    path: false,
  },
  {
    name: 'nginx 1.26 limit_req, with delay',
    semantics: 'leaky bucket that holds back',
    limits: limitsOf({
      ...NGINX,
      algorithm: 'leakyBucket: { rate: 5/s, burst: 12, excess: delayed }',
    }),
    kinds: ['leaky-bucket'],
    limit: 13,
    windowMs: 200,
    token: false,
    path: false,
  },
  {
    name: 'nginx 1.26 limit_conn',
    semantics: 'requests in flight',
    limits: limitsOf({ ...NGINX, algorithm: 'concurrency: { limit: 4 }' }),
    latency: '{ lognormal: { median: 200ms, p95: 260ms, cap: 2s } }',
    kinds: ['concurrency'],
    limit: 4,
    windowMs: null,
    token: false,
    path: false,
  },
  {
    name: 'Envoy 1.31, local rate limit',
    semantics: 'token bucket of the whole process',
    limits: limitsOf({
      per: 'all',
      algorithm: 'tokenBucket: { rate: 4/s, capacity: 40 }',
      body: 'local_rate_limited',
    }),
    kinds: ['token-bucket'],
    limit: 40,
    windowMs: 250,
    token: false,
    path: false,
  },
  {
    name: 'Kong 3.7, rate-limiting',
    semantics: 'minutes of the clock, for each consumer',
    limits: limitsOf({
      headers: 'kong',
      per: 'token',
      retryAfter: 'seconds',
      algorithm: 'fixedWindow: { limit: 90, window: 1m, from: calendar }',
      body: '{\n  "message":"API rate limit exceeded"\n}',
    }),
    kinds: ['fixed-window'],
    limit: 90,
    windowMs: 60_000,
    token: true,
    path: false,
  },
  {
    name: 'Django REST framework 3.15, UserRateThrottle',
    semantics: 'log, for each user',
    limits: limitsOf({
      per: 'token',
      retryAfter: 'seconds',
      algorithm: 'slidingLog: { limit: 60, window: 1m }',
      body: '{"detail":"Request was throttled. Expected available in {seconds} seconds."}',
    }),
    kinds: ['sliding-log'],
    limit: 60,
    windowMs: 60_000,
    token: true,
    path: false,
  },
  {
    name: 'rack-attack 6.7, throttle',
    semantics: 'periods of the clock, no header',
    limits: limitsOf({
      rejected: 'counted',
      algorithm: 'fixedWindow: { limit: 30, window: 20s, from: calendar }',
      body: 'Retry later\n',
    }),
    kinds: ['fixed-window'],
    limit: 30,
    windowMs: 20_000,
    token: false,
    path: false,
  },
  {
    name: 'resilience4j 2 RateLimiter behind Spring Boot 3',
    semantics: 'periods since its start, for all clients',
    limits: limitsOf({
      per: 'all',
      quota: 'each',
      algorithm: 'fixedWindow: { limit: 10, window: 1s, from: calendar }',
      body: '{"status":429,"error":"Too Many Requests"}',
    }),
    kinds: ['fixed-window'],
    limit: 10,
    windowMs: 1_000,
    token: false,
    path: false,
  },
  {
    name: 'ASP.NET Core 8, FixedWindowLimiter',
    semantics: 'periods of a timer, 503 without a body',
    limits: limitsOf({
      per: 'all',
      status: 503,
      algorithm: 'fixedWindow: { limit: 4, window: 12s, from: calendar }',
      body: '',
    }),
    kinds: ['fixed-window'],
    limit: 4,
    windowMs: 12_000,
    token: false,
    path: false,
  },
  {
    name: 'HAProxy 3.0, http_req_rate(10s)',
    semantics: 'counter that is rounded down and counts refused requests',
    limits: limitsOf({
      rejected: 'counted',
      algorithm: 'slidingCounter: { limit: 20, window: 10s, estimate: rounded down }',
      body: '<html><body><h1>429 Too Many Requests</h1>\nYou have sent too many requests in a given amount of time.\n</body></html>\n',
    }),
    kinds: ['sliding-counter'],
    limit: 20,
    windowMs: 10_000,
    token: false,
    path: false,
  },
  {
    name: 'tower_governor 0.4 (axum), GCRA',
    semantics: 'bucket of each client',
    limits: limitsOf({
      retryAfter: 'seconds',
      algorithm: 'leakyBucket: { rate: 2/s, burst: 7 }',
      body: 'Too Many Requests! Wait for {seconds}s',
    }),
    kinds: ['token-bucket'],
    limit: 8,
    windowMs: 500,
    token: false,
    path: false,
  },
]
