/** What is said of the parts of a mix together. */
import { z } from 'zod'
import { formatMs, formatShare, plural } from '../../base/numbers.ts'
import { finding } from '../sentence-tables.ts'
import { count, ms } from '../document-parts.schema.ts'
import type { LongWait } from '../ledger/fairness.ts'

const behind = z.object({ part: z.string().nullable(), share: z.number() })

export const MIX_FINDINGS = {
  /** A mean of all executions of the part, by the ledger. */
  'waited-for-others': finding(
    'warning',
    { part: z.string(), executions: count, meanMs: ms, most: behind.nullable() },
    (wait) => `${waitText(wait)}. By the ledger, of ${plural(wait.executions, 'execution')}`,
  ),
}

/** `quiet waited 4 min for a worker on average: 93 % of it behind noisy`. */
export function waitText({ part, meanMs, most }: Omit<LongWait, 'isForOthers'>): string {
  const mean = `${part} waited ${formatMs(meanMs)} for a worker on average`
  if (most === null) return `${mean}, behind its own executions alone`
  return `${mean}: ${formatShare(most.share)} of it behind ${most.part ?? 'others'}`
}
