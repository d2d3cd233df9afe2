/** The document of one saturation, `saturation.json`: every number that its reports show stands here once. Times in milliseconds. */
import type { Finding, Quantity, Reason } from '../../analysis/document.ts'

export interface SaturationDocument {
  schema: 'crewload/saturation/1'
  crewload: string
  run: SaturationRun
  verdict: SaturationVerdict
  /** The highest throughput of a rung that counts; null when there is none. */
  ceiling: Ceiling | null
  /** Null where the ladder did not find it: no rung counts, or none above tells that it is no more there. */
  knee: Knee | null
  /** What the ceiling carries; empty without one. */
  feeds: SaturationFeed[]
  /** In rising order of connections. */
  rungs: SaturationRung[]
  /** Handed to sockets in all, preflight and warm-ups included: an upper bound of what reached the target. */
  spent: { requests: number; kickoffs: number }
  findings: Finding[]
}

export type SaturatedEndpoint = 'inputs' | 'status' | 'kickoff'

export const ENDPOINTS: Record<SaturatedEndpoint, string> = {
  inputs: 'GET /inputs',
  status: 'GET /status/{id}',
  kickoff: 'POST /kickoff',
}

/** What will be done, before anything is sent. */
export interface SaturationPlan {
  endpoint: SaturatedEndpoint
  target: string
  /** `fake crew "default"`, or null. */
  profile: string | null
  /** Connections of each rung, as planned. */
  ladder: number[]
  rungMs: number
  warmUpMs: number
  timeoutMs: number
  /** Polling intervals whose executions in flight are told, for the endpoint status. */
  pollingMs: number[]
  budget: { requests: number | null; kickoffs: number | null }
}

export interface SaturationRun extends SaturationPlan {
  id: string
  /** Why the ladder ended. */
  ended: LadderEnd
  /** ISO 8601, UTC. */
  startedAt: string
  durationMs: number
  /** What repeats it, free of secrets; null where it was not started from the command line. */
  command: string | null
  node: string
}

/**
 * `complete`: every rung was climbed. `budget`: what was left would not have fed the next rung for a second. `errors`: more than half of a rung's
 * requests went wrong. `target`: the fake crew of the run ended by itself.
 */
export type LadderEnd = 'complete' | 'budget' | 'errors' | 'interrupted' | 'target'

export interface SaturationVerdict {
  /** `inconclusive`: the true ceiling lies higher, is known too roughly, or is that of a mixture. `invalid`: no rung can be trusted. */
  outcome: 'measured' | 'inconclusive' | 'invalid'
  /** The ceiling is a lower bound: something else than the target was the limit. */
  atLeast: boolean
  /** Why it is not `measured`, each with its remedy. */
  reasons: Reason[]
  /** `GET /status/{id} carries 4,310 answers a second; 8 connections reach it, ...` */
  sentence: string
}

/** Of the plateau, not of its best rung. */
export interface Ceiling {
  /** Good answers a second: the mean over the rungs of the plateau. */
  throughput: Quantity
  /** The most that still carried it. */
  connections: number
}

/**
 * The fewest connections that reach 95 % of the ceiling. It was looked for on the rungs alone, so the true knee lies above `above`, the rung
 * before, and the plateau reaches to `plateauTo` at least.
 */
export interface Knee {
  connections: number
  /** The rung before, which was below 95 %; null when the knee is the first rung. */
  above: number | null
  /** The most connections on the plateau. */
  plateauTo: number
  /**
   * N* = ceiling x R(1): as few connections could carry the ceiling if none ever waited for another (asymptotic bounds: Denning and Buzen,
   * "The Operational Analysis of Queueing Network Models", ACM Computing Surveys 10(3), 1978). Null without a rung of one connection.
   */
  ideal: number | null
}

/** For status, the executions in flight that the ceiling feeds at a polling interval; for kickoff, what it starts in an hour. */
export type SaturationFeed =
  | { kind: 'polling'; intervalMs: number; inFlight: number }
  | { kind: 'kickoffs'; perHour: number }

export interface SaturationRung {
  connections: number
  /** The measured window: from the end of the warm-up on. 0 when the rung ended before. */
  windowMs: number
  /** Good answers (2xx) a second, its interval from the means of batches. */
  throughput: Quantity
  /** Service time of good answers, closed loop: request written to last byte received. */
  latency: {
    p50: Quantity
    p95: Quantity
    p99: Quantity
    maxMs: number | null
    meanMs: number | null
  }
  /** Requests that ended within the window, one way or another. */
  requests: number
  /** Share of them that got no good answer. */
  errors: Quantity
  /** By status code or failure class, most frequent first. */
  errorClasses: { class: string; count: number }[]
  /** Connections that requests account for by Little's law, N = the sum of their times / the window, and how far that is from those there were. */
  little: { connections: number; residual: number }
  /** Share of the window in which this process was busy; null where there was no window. */
  utilisation: number | null
  /** Times that a connection had to be opened anew. */
  reconnects: number
  endedBy: 'time' | 'budget' | 'stopped'
  /** Handed to sockets in this rung, warm-up included. */
  sent: number
  doubts: RungDoubt[]
}

/** `generator` alone lets a rung count, as a lower bound. */
export interface RungDoubt {
  code: 'few' | 'short' | 'little' | 'generator' | 'errors'
  message: string
}
