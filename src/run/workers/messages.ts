/** Messages between a run and its worker threads, besides the journal that all of them write. */
import type { MissingInputs } from '../../crew/inputs/words.ts'
import type { FailureClass } from '../../crew/answer.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import type { SharedZero } from '../../host/node/clock.ts'
import type { TlsOptions } from '../../host/node/index.ts'
import type { Mistake } from '../../base/mistakes.ts'
import type { PortablePlan } from '../../scenario/portable.ts'
import type { ScenarioBundle } from '../scenario/load.ts'

/** The assignment with which a thread is started. Tokens are passed only here. */
export interface Assignment {
  runId: string
  /** This is instance i of n, counted from 0. */
  instance: number
  instances: number
  plan: PortablePlan
  /** The bundle with the author's functions; null when the plan needs none. */
  bundle: ScenarioBundle | null
  /** Base URL. */
  target: string
  /** Whether a fake crew was started for the run. */
  ownCrew: boolean
  tokens: readonly string[]
  /** The share of executions that are sent as traces. */
  traces: number
  tls: TlsOptions
  proxies: Readonly<Record<string, string | undefined>>
  /** The shared memory of `createSharedBudget`. */
  budget: SharedArrayBuffer
}

/** The orders come in this sequence; `stop` may come at any time after `open`. */
export type Order =
  | { kind: 'open'; journal: string; missingInputs: MissingInputs }
  | { kind: 'begin'; zero: SharedZero }
  | { kind: 'stop'; how: 'drain' | 'now'; reason: string | undefined }

export type Report =
  /** The scenario is loaded. */
  | { kind: 'loaded' }
  /** Connections are open and the engine is created. */
  | { kind: 'opened' }
  /** The instance cannot start. */
  | { kind: 'mistaken'; mistakes: readonly Mistake[] }
  | Pulse
  /** A line that the journal did not take; the run records it nevertheless. */
  | { kind: 'unwritten'; line: JournalLine; why: string }
  /** The last line is written and every connection is closed. */
  | { kind: 'ended' }

/** A sign of life, four times a second, with figures that no line reports in time. */
interface Pulse {
  kind: 'pulse'
  /** Arrivals that are due and wait for a place. */
  queued: number
  /** Requests since the last pulse. */
  kickoffs: ServedColumns
  polls: ServedColumns
}

/** One entry per request in each column. */
export interface ServedColumns {
  /** Service times; for a request that was never sent, the time that it waited. */
  micros: number[]
  /** Status codes, and classes of failures. */
  answer: (number | FailureClass)[]
  sent: boolean[]
}

/** The interval between pulses. */
export const PULSE_EVERY_MS = 250
