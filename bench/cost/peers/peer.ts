/** What each program is asked for, so that their costs can be set side by side. */
import type { Command } from '../../support/process-cost.ts'

/** Where a peer takes its numbers from. */
export interface Told {
  requests: number
  /** Sent so much after they were due, p99; null if the program does not tell. */
  latenessP99Ms: number | null
}

export interface Job {
  command: Command
  read: (stdout: string) => Told
}

export interface Peer {
  name: string
  /** What it does for each request, in a few words. */
  does: string
  /** Null if it is ready, else why it is left out. */
  prepare: () => string | null
  /** As many requests as it can through 64 connections. */
  flatOut: (url: string, seconds: number) => Job | null
  /** `rate` requests a second; null if it cannot keep a pace. */
  paced: (url: string, rate: number, seconds: number) => Job | null
  /** `size` executions, users or connections held at once; null if it has nothing of the kind. */
  held: (url: string, size: number) => Job | null
  /** More would take more memory or ports than this machine has. */
  mostHeld: number
}

export const CONNECTIONS = 64
/** Between two polls of one execution, at a pace and where many are held. */
export const POLL_SECONDS = 2
export const STATUS_PATH = '/status/id-0'

/** Of programs that print `{"requests": N}` as their last line. */
export function requestsOfLastLine(stdout: string): Told {
  const { requests } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { requests: number }
  return { requests, latenessP99Ms: null }
}
