/** Tokens and cost, by what became of the executions; absent if nothing is known of them. */
import type { ResultDocument } from '../../../../result/document.ts'
import { formatCount, NOTHING, plural } from '../../../../base/numbers.ts'
import type { TokenKind } from '../../../../result/counting/tallies/usage.ts'
import type { UsageResult } from '../../../../result/metrics/usage.ts'
import { formatMetric, measuredWords, moneyWords } from '../../../../result/metrics/sentences.ts'
import { plainText } from '../../../text/format.ts'
import type { Block, Fact } from '../../../frame/report.ts'
import { columnsOf, pageTable } from '../../../text/table.ts'
import type { RunSection } from '../section.ts'
import { findMetric } from '../waits/rows.ts'

type UsagePart = UsageResult['parts'][number]
type TokenCounts = Pick<UsagePart, 'tokens' | 'atLeast'>

export const USAGE: RunSection = {
  chapter: 'What it used',
  title: 'Tokens and cost',
  blocks: (document) => {
    const { usage } = document
    if (usage === undefined) return []
    return [{ kind: 'prose', text: sentences(document, usage), on: ['page'] }, table(usage)]
  },
  furtherFacts: ({ usage }) => (usage === undefined ? [] : tokenFacts(usage)),
}

/** Null if no cost was measured. */
export function measuredCost({ usage, run }: ResultDocument): string | null {
  if (usage === undefined) return null
  return measuredWords(totalOf(usage), usage.currency, run.spent?.costPerKickoff ?? null)
}

function totalOf({ parts }: UsageResult): UsagePart {
  return parts.find(({ part }) => part === 'total')!
}

function tokenFacts(usage: UsageResult): Fact[] {
  const { executions, reported, ...part } = totalOf(usage)
  if (reported === 0) return []
  const isSplit = part.tokens.input !== null || part.tokens.output !== null
  const shown = isSplit ? (['input', 'output'] as const) : (['total'] as const)
  const known = shown.flatMap((kind) => {
    const count = tokenWords(part, kind)
    return count === null ? [] : [`${count} ${SHORT[kind]}`]
  })
  const of = `of ${formatCount(reported)} of ${plural(executions, 'execution')}`
  return [{ name: 'Tokens', text: [...known, of].join(', ') }]
}

const SHORT = { input: 'in', output: 'out', total: 'in all' }

function sentences(document: ResultDocument, usage: UsageResult): string {
  const { executions, reported } = totalOf(usage)
  const silent = executions - reported
  const known = `${formatCount(reported)} of ${plural(executions, 'execution')} report their tokens.`
  const unknown =
    silent === 0 || reported === 0 ? [] : [`What ${plural(silent, 'other')} used is not known.`]
  const models = usage.models.map((model) => plainText(model)).join(', ')
  const named = models === '' ? [] : [`The crew names ${models}.`]
  const all = silent === 0 ? 'them' : 'those that do'
  return [known, ...unknown, ...typical(document, usage, all), ...named].join(' ')
}

/** What one execution costs, or else uses. `all`: those of which it is known. */
function typical(document: ResultDocument, { currency }: UsageResult, all: string): string[] {
  const isPriced = document.metrics['cost.execution.p50'] !== undefined
  const [verb, metric, unit] = isPriced
    ? ['cost', 'cost.execution', currency ?? '']
    : ['use', 'tokens.total', 'tokens']
  const [half, most] = (['p50', 'p95'] as const).map((statistic) => {
    const found = findMetric(document, metric, statistic)
    return found === null || found.value === null ? null : `${formatMetric(found)} ${unit}`.trim()
  })
  if (half == null) return []
  const tail = most == null ? '' : `, and 95 % at most ${most}`
  return [`Half of ${all} ${verb} at most ${half}${tail}.`]
}

const NAMES: Readonly<Record<UsagePart['part'], string>> = {
  total: 'all',
  completed: 'completed',
  failed: 'failed',
  stuck: 'stuck',
  retried: 'with a retried kickoff',
}

function table(usage: UsageResult): Block {
  const { parts, currency, ledger } = usage
  const titles = ['executions', 'report tokens', 'input', 'from a cache', 'output']
  const columns = columnsOf(['outcome'], [...titles, `cost${inWords(currency)}`])
  const rows = parts.map((part) => {
    const { executions, reported, cost, costAtLeast } = part
    const amount = costAtLeast ?? cost
    const isLeast = costAtLeast !== undefined
    const counts = [executions, reported].map((count) => formatCount(count))
    const money = amount === null ? NOTHING : amountWords(moneyWords(amount, null), isLeast)
    return [NAMES[part.part]].concat(counts, tokenCells(part), money)
  })
  const byLedger =
    ledger === null
      ? []
      : [['by the ledger', formatCount(ledger.executions), '', ...tokenCells(ledger), '']]
  return pageTable(columns, [...rows, ...byLedger])
}

function inWords(currency: string | null): string {
  return currency === null ? '' : `, ${currency}`
}

function tokenCells(part: TokenCounts): string[] {
  return (['input', 'cached', 'output'] as const).map((kind) => tokenWords(part, kind) ?? NOTHING)
}

/** Null where nobody reports it. */
function tokenWords({ tokens, atLeast = [] }: TokenCounts, kind: TokenKind): string | null {
  const count = tokens[kind]
  return count === null ? null : amountWords(formatCount(count), atLeast.includes(kind))
}

function amountWords(amount: string, isLeast: boolean): string {
  return isLeast ? `at least ${amount}` : amount
}
