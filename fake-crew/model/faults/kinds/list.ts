/** The list of fault kinds: one line each; everything else derives from it. */
import type { z } from 'zod'
import type { FaultDefinition } from '../definition.ts'
import * as answers from './answers.ts'
import * as clock from './clock-skew.ts'
import * as connections from './connections.ts'
import * as deliveries from './deliveries.ts'
import * as kickoffs from './kickoffs.ts'
import * as polls from './polls.ts'
import * as statuses from './status.ts'

/** By name, in the order in which messages and tables list them. */
export const FAULT_KINDS = {
  status: statuses.status,
  latency: answers.latency,
  reset: deliveries.reset,
  empty: deliveries.empty,
  truncate: deliveries.truncate,
  malformed: answers.malformed,
  contentType: answers.contentType,
  drip: deliveries.drip,
  hang: deliveries.hang,
  stall: deliveries.stall,
  refuse: connections.refuse,
  closeIdle: deliveries.closeIdle,
  notFound: kickoffs.notFound,
  stuck: kickoffs.stuck,
  backwards: polls.backwards,
  flip: polls.flip,
  noResult: polls.noResult,
  swap: polls.swap,
  neverStarts: kickoffs.neverStarts,
  wrongId: kickoffs.wrongId,
  restart: connections.restart,
  denied: answers.denied,
  clockSkew: clock.clockSkew,
}

export type FaultKindName = keyof typeof FAULT_KINDS

/** The parameters of a kind as a profile's author writes them. */
type WrittenKind<Kind extends FaultKindName> = (typeof FAULT_KINDS)[Kind]['written']

/** The effect of a fault: a kind with its parameters. */
export type FaultWhat = {
  [Kind in FaultKindName]: { kind: Kind } & z.output<WrittenKind<Kind>>
}[FaultKindName]

export const FAULT_KIND_NAMES = Object.keys(FAULT_KINDS) as FaultKindName[]

type AnyDefinition = FaultDefinition<FaultKindName, z.ZodType<object>>

const DEFINITIONS: Readonly<Record<FaultKindName, AnyDefinition>> = FAULT_KINDS

export function definitionNamed(kind: FaultKindName): AnyDefinition {
  return DEFINITIONS[kind]
}

/** The definition of the fault's own kind, whose functions accept this fault. */
export function definitionOf(what: FaultWhat): AnyDefinition {
  return DEFINITIONS[what.kind]
}
