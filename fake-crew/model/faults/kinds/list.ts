/** The list of fault kinds: one line each; everything else derives from it. */
import type { z } from 'zod'
import type { FaultDefinition } from '../definition.ts'
import { backwards } from './backwards.ts'
import { clockSkew } from './clock-skew.ts'
import { closeIdle } from './close-idle.ts'
import { contentType } from './content-type.ts'
import { denied } from './denied.ts'
import { drip } from './drip.ts'
import { empty } from './empty.ts'
import { flip } from './flip.ts'
import { hang } from './hang.ts'
import { latency } from './latency.ts'
import { malformed } from './malformed.ts'
import { neverStarts } from './never-starts.ts'
import { noResult } from './no-result.ts'
import { notFound } from './not-found.ts'
import { refuse } from './refuse.ts'
import { reset } from './reset.ts'
import { restart } from './restart.ts'
import { stall } from './stall.ts'
import { status } from './status.ts'
import { stuck } from './stuck.ts'
import { swap } from './swap.ts'
import { truncate } from './truncate.ts'
import { wrongId } from './wrong-id.ts'

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

/** The effect of a fault: a kind with its parameters, in the complete form. */
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
