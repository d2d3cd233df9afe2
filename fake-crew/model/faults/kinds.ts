/** The list of fault kinds: one line each; everything else derives from it. */
import type { z } from 'zod'
import type { FaultDefinition } from './definition.ts'
import { backwards } from './kinds/backwards.ts'
import { clockSkew } from './kinds/clock-skew.ts'
import { closeIdle } from './kinds/close-idle.ts'
import { contentType } from './kinds/content-type.ts'
import { denied } from './kinds/denied.ts'
import { drip } from './kinds/drip.ts'
import { empty } from './kinds/empty.ts'
import { flip } from './kinds/flip.ts'
import { hang } from './kinds/hang.ts'
import { latency } from './kinds/latency.ts'
import { malformed } from './kinds/malformed.ts'
import { neverStarts } from './kinds/never-starts.ts'
import { noResult } from './kinds/no-result.ts'
import { notFound } from './kinds/not-found.ts'
import { refuse } from './kinds/refuse.ts'
import { reset } from './kinds/reset.ts'
import { restart } from './kinds/restart.ts'
import { stall } from './kinds/stall.ts'
import { status } from './kinds/status.ts'
import { stuck } from './kinds/stuck.ts'
import { swap } from './kinds/swap.ts'
import { truncate } from './kinds/truncate.ts'
import { wrongId } from './kinds/wrong-id.ts'

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

/** What goes wrong: a kind with its parameters, in the complete form. */
export type FaultWhat = z.output<(typeof FAULT_KINDS)[FaultKindName]['complete']>

export const FAULT_KIND_NAMES = Object.keys(FAULT_KINDS) as FaultKindName[]

type AnyDefinition = FaultDefinition<z.ZodType<FaultWhat> & z.core.$ZodTypeDiscriminable>

export function definitionNamed(kind: FaultKindName): AnyDefinition {
  return FAULT_KINDS[kind]
}

/** The definition of the fault's own kind, whose functions accept this fault. */
export function definitionOf(what: FaultWhat): AnyDefinition {
  return definitionNamed(what.kind)
}
