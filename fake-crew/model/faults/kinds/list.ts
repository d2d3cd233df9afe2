/** The list of fault kinds: one line each; everything else derives from it. */
import type { z } from 'zod'
import type { FaultDefinition } from '../definition.ts'
import { contentType, denied, latency, malformed } from './answers.ts'
import { clockSkew } from './clock-skew.ts'
import { refuse, restart } from './connections.ts'
import { closeIdle, drip, empty, hang, reset, stall, truncate } from './deliveries.ts'
import { neverStarts, notFound, stuck, wrongId } from './kickoffs.ts'
import { backwards, flip, noResult, swap } from './polls.ts'
import { status } from './status.ts'

/** By name, in the order in which messages and tables list them. */
export const FAULT_KINDS = {
  status,
  latency,
  reset,
  empty,
  truncate,
  malformed,
  contentType,
  drip,
  hang,
  stall,
  refuse,
  closeIdle,
  notFound,
  stuck,
  backwards,
  flip,
  noResult,
  swap,
  neverStarts,
  wrongId,
  restart,
  denied,
  clockSkew,
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
