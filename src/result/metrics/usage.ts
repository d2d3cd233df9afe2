/** What the executions of a run used and cost, in the document's units. */
import type { ResultDocument } from '../document.ts'
import type { Observations } from '../observations.ts'
import type { CostPart, PartUsage } from '../counting/tallies/usage.ts'
import { COST_PARTS, TOKEN_FIELDS, TOKEN_KINDS } from '../counting/tallies/usage.ts'
import { arrivalOf } from '../ledger/faults.ts'
import type { Ledger } from '../ledger/reconcile.ts'
import { readUsage } from '../../crew/usage.ts'
import { MICROS_PER_UNIT } from '../../base/units.ts'

export type UsageResult = NonNullable<ResultDocument['usage']>
type TokenSums = UsageResult['parts'][number]['tokens']

const NO_TOKENS: TokenSums = { input: null, output: null, cached: null, total: null }

/** Undefined if nothing is known: no execution reports tokens, and no ledger has any. */
export function usageResult(
  { usage, runs, open }: Pick<Observations, 'usage' | 'runs' | 'open'>,
  ledger: Ledger | null,
): UsageResult | undefined {
  const [first] = runs
  const byLedger = ledger === null ? null : ledgerUsage(ledger, first?.runId ?? '')
  if (usage.parts.total.reported === 0 && byLedger === null) return undefined
  const parts = COST_PARTS.map((part) =>
    partResult(part, usage.parts[part], part === 'total' ? open.length : 0),
  )
  return {
    currency: first?.plan.prices?.currency ?? null,
    models: [...usage.models].sort(),
    parts: parts.filter(({ part, executions }) => part === 'total' || executions > 0),
    ledger: byLedger,
  }
}

/** `open`: those that a crash left without an end. */
function partResult(
  part: CostPart,
  { reported, priced, costMicros, partMicros, tokens, whole, ...counts }: PartUsage,
  open: number,
): UsageResult['parts'][number] {
  const executions = counts.executions + open
  const known = TOKEN_KINDS.filter((kind) => tokens[kind] + whole[kind] > 0)
  const atLeast = known.filter((kind) => whole[kind] < executions)
  const costAtLeast = (costMicros + partMicros) / MICROS_PER_UNIT
  return {
    part,
    executions,
    reported,
    priced,
    cost: priced === 0 ? null : costMicros / MICROS_PER_UNIT,
    ...(priced < executions && costAtLeast > 0 && { costAtLeast }),
    tokens: { ...NO_TOKENS, ...Object.fromEntries(known.map((kind) => [kind, tokens[kind]])) },
    ...(atLeast.length > 0 && { atLeast }),
  }
}

function ledgerUsage({ rows }: Ledger, runId: string): UsageResult['ledger'] {
  const tokens: TokenSums = { ...NO_TOKENS }
  let executions = 0
  for (const { correlation, usage: reported } of rows) {
    const used = reported === undefined ? null : readUsage({ usage_metrics: reported })
    if (used === null || arrivalOf(correlation, runId) === null) continue
    executions++
    for (const kind of TOKEN_KINDS) {
      const count = used[TOKEN_FIELDS[kind]]
      if (count !== null) tokens[kind] = (tokens[kind] ?? 0) + count
    }
  }
  return executions === 0 ? null : { executions, tokens }
}
