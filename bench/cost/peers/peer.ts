/** Defines what each program is asked to do, so that the costs can be compared. */
import type { Command } from '../../support/process-cost.ts'

/** The numbers that a program reports about its own run. */
export interface PeerFigures {
  requests: number
  /**
   * The p99 of the time by which requests were sent late; null if the program does not report it.
   */
  latenessP99Ms: number | null
}

export interface Job {
  command: Command
  read: (stdout: string) => PeerFigures
}

export interface Peer {
  name: string
  /** Describes in a few words what the program does for each request. */
  does: string
  /** Returns null if the program is ready, otherwise why it is left out. */
  prepare: () => string | null
  /** The job that sends as many requests as possible through 64 connections. */
  flatOut: (url: string, seconds: number) => Job | null
  /** The job that sends `rate` requests a second; null if the program cannot keep a rate. */
  paced: (url: string, rate: number, seconds: number) => Job | null
  /**
   * The job that holds `size` executions, users or connections at once; null if the program has
   * nothing of the kind.
   */
  held: (url: string, size: number) => Job | null
  /** The largest `size` for which this machine has enough memory and ports. */
  mostHeld: number
}

export const CONNECTIONS = 64
/** The polling interval of one execution, in the jobs `paced` and `held`. */
export const POLL_SECONDS = 2
export const STATUS_PATH = '/status/id-0'

/** Reads the output of programs that print `{"requests": N}` as their last line. */
export function requestsOfLastLine(stdout: string): PeerFigures {
  const { requests } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { requests: number }
  return { requests, latenessP99Ms: null }
}
