/** What the executions of a run used and cost, in the document's units. */
import type { ResultDocument } from '../document.ts'
import type { Observations } from '../observations.ts'
import type { CostPart, PartUsage, TokenKind } from '../counting/tallies/usage.ts'
import { COST_PARTS } from '../counting/tallies/usage.ts'
import { arrivalOf } from '../ledger/faults.ts'
import type { Ledger } from '../ledger/reconcile.ts'
import { readUsage } from '../../crew/usage.ts'
import { MICROS_PER_UNIT } from '../../base/units.ts'
import { formatCount, plural } from '../../base/numbers.ts'

type UsageResult = NonNullable<ResultDocument['usage']>

/** Undefined if nothing is known: no execution reports tokens, and no ledger has any. */
export function usageResult(
  { usage, runs }: Pick<Observations, 'usage' | 'runs'>,
  ledger: Ledger | null,
): UsageResult | undefined {
  const [first] = runs
  const byLedger = ledger === null ? null : ledgerUsage(ledger, first?.runId ?? '')
  if (usage.parts.total.reported === 0 && byLedger === null) return undefined
  const parts = COST_PARTS.map((part) => partResult(part, usage.parts[part]))
  return {
    currency: first?.plan.prices?.currency ?? null,
    models: [...usage.models].sort(),
    parts: parts.filter(({ part, executions }) => part === 'total' || executions > 0),
    ledger: byLedger,
  }
}

function partResult(
  part: CostPart,
  { costMicros, ...counts }: PartUsage,
): UsageResult['parts'][number] {
  const cost = counts.priced === 0 ? null : costMicros / MICROS_PER_UNIT
  return { part, ...counts, cost }
}

function ledgerUsage({ rows }: Ledger, runId: string): UsageResult['ledger'] {
  const tokens: Record<TokenKind, number> = { input: 0, output: 0, cached: 0, total: 0 }
  let executions = 0
  for (const { correlation, usage: told } of rows) {
    const used = told === undefined ? null : readUsage({ usage_metrics: told })
    if (used === null || arrivalOf(correlation, runId) === null) continue
    executions++
    tokens.input += used.inputTokens ?? 0
    tokens.output += used.outputTokens ?? 0
    tokens.cached += used.cachedTokens ?? 0
    tokens.total += used.totalTokens ?? 0
  }
  return executions === 0 ? null : { executions, tokens }
}

/** `3.42 USD`; the currency is the author's word. */
export function moneyWords(amount: number, currency: string | null): string {
  const digits = formatCount(Number(amount.toPrecision(3)))
  return currency === null ? digits : `${digits} ${currency}`
}

/**
 * `3.42 USD measured of 72 executions, about 0.8 for 8 others`; null if no cost was measured.
 * `each`: the estimate for an execution whose cost is not known.
 */
export function measuredWords(
  { executions, priced, cost }: { executions: number; priced: number; cost: number | null },
  currency: string | null,
  each: number | null,
): string | null {
  if (cost === null) return null
  const measured = `${moneyWords(cost, currency)} measured of ${plural(priced, 'execution')}`
  const others = executions - priced
  if (others === 0) return measured
  return each === null
    ? `${measured}, unknown of ${plural(others, 'other')}`
    : `${measured}, about ${moneyWords(others * each, currency)} for ${plural(others, 'other')}`
}
