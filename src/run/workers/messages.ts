/**
 * What a run and its worker threads say to each other, beside the journal that all of them write.
 */
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import type { SharedZero } from '../../host/node/clock.ts'
import type { TlsOptions } from '../../host/node/index.ts'
import type { Mistake } from '../../base/mistakes.ts'
import type { PortablePlan } from '../../scenario/portable.ts'
import type { ScenarioBundle } from '../scenario/load.ts'

/** What a thread is started with. Tokens travel here and nowhere else. */
export interface Assignment {
  runId: string
  /** This is instance i of n, from 0. */
  instance: number
  instances: number
  plan: PortablePlan
  /** Where the author's functions are; null when the plan needs none. */
  bundle: ScenarioBundle | null
  /** Base URL. */
  target: string
  /** A fake crew was started for the run. */
  ownCrew: boolean
  tokens: readonly string[]
  tls: TlsOptions
  proxies: Readonly<Record<string, string | undefined>>
  /** Of `createSharedBudget`. */
  budget: SharedArrayBuffer
}

/** In this order; `stop` at any time after `open`. */
export type Order =
  | { kind: 'open'; journal: string }
  | { kind: 'begin'; zero: SharedZero }
  | { kind: 'stop'; how: 'drain' | 'now'; reason: string | undefined }

export type Report =
  /** The scenario is there. */
  | { kind: 'loaded' }
  /** Connections are open, the engine is set up. */
  | { kind: 'opened' }
  /** It cannot start. */
  | { kind: 'mistaken'; mistakes: readonly Mistake[] }
  | Pulse
  /** A line that the journal did not take: the run records it all the same. */
  | { kind: 'unwritten'; line: JournalLine; why: string }
  /** The last line is written, every connection closed. */
  | { kind: 'ended' }

/** A sign of life, four times a second, with what no line tells in time. */
interface Pulse {
  kind: 'pulse'
  /** Arrivals that are due and wait for a place. */
  queued: number
  /** Service times since the last one. */
  kickoffMicros: readonly number[]
  statusMicros: readonly number[]
}

/** How often a pulse is sent. */
export const PULSE_EVERY_MS = 250
