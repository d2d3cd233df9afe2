/** What executions used, as answers and pushes report it: in the result, and in a budget of cost. */
import { expect, test } from 'vitest'
import type { TokenUsage } from '../../../src/crew/usage.ts'
import { CostCount, SendingBudget } from '../../../src/engine/sending-budget.ts'
import type { JournalLine, PushLine } from '../../../src/execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../../../src/execution/record/record.ts'
import { testPlan } from '../../support/plan.ts'
import { documentOf, executionRecord, journalLines } from '../lines.ts'

const WORKED = 900_000
/** At 1 for each token, but for those of one model. */
const each = (price: number) => ({ input: price, output: price, cached: price })
const PLAN = {
  prices: { currency: null, every: each(1), models: { dear: each(10) } },
  webhooks: { host: '::1', port: 0, publicUrl: null, hooks: ['crew' as const], waitMicros: 0 },
}

function used(tokens: number, model: string | null = null): TokenUsage {
  return { inputTokens: tokens, outputTokens: 0, cachedTokens: null, totalTokens: tokens, model }
}

function push(tokens: number, atMicros: number): PushLine {
  const what = { hook: 'crew', kickoffId: 'id-0', reports: 'completed', key: 'crew' } as const
  return { type: 'push', instance: 0, atMicros, ...what, usage: used(tokens) }
}

const early = push(1_000, WORKED - 1)
const ended = push(2_000, WORKED)

type Case = [
  what: string,
  outcome: ExecutionRecord['outcome'],
  answered: TokenUsage | null,
  pushes: readonly PushLine[],
  cost: { whole: number } | { part: number },
]

test.each<Case>([
  ['a push before it was seen at work', 'stuck', null, [early], { part: 1_000 }],
  ['the same with an end seen', 'completed', null, [early], { part: 1_000 }],
  ['a push after it was seen at work', 'stuck', null, [ended], { whole: 2_000 }],
  ['an early push, and one of the end', 'stuck', null, [early, ended], { whole: 2_000 }],
  ['two pushes of an end', 'stuck', null, [ended, push(5_000, WORKED + 9)], { whole: 5_000 }],
  ['a push twice', 'stuck', null, [ended, { ...ended, atMicros: WORKED + 9 }], { whole: 2_000 }],
  ['answers before its end', 'stuck', used(1_500), [], { part: 1_500 }],
  ['those and an early push', 'stuck', used(1_500), [early], { part: 1_500 }],
  ['those and a push of the end', 'stuck', used(1_500), [ended], { whole: 2_000 }],
  ['those with a model', 'stuck', used(1_500, 'dear'), [ended], { whole: 20_000 }],
  ['the answer of its end', 'completed', used(1_500), [ended], { whole: 1_500 }],
])('%s: the result and the budget know what it cost', (_, outcome, usage, pushes, cost) => {
  const record = executionRecord(0)
  const { tasks } = record.reported
  const reported = { executionTimeSeconds: null, tasks, ...(usage === null ? {} : { usage }) }
  Object.assign(record, { outcome, reported, lastNotDoneSentMicros: WORKED })
  const spoil = (each: ExecutionRecord): void => void Object.assign(each, record)
  const lines = journalLines({ executions: 1, plan: PLAN, spoil })
  const at = lines.findIndex(({ type }) => type === 'ended')
  const after = lines.toSpliced(at + 1, 0, ...pushes)
  const before = lines.toSpliced(at, 0, ...pushes)
  const around = lines.toSpliced(at, 1, ...pushes.slice(0, 1), lines[at]!, ...pushes.slice(1))
  const isWhole = 'whole' in cost
  const micros = isWhole ? cost.whole : cost.part
  for (const ordered of [after, before, around]) {
    expect(resultOf(ordered)).toEqual({
      priced: isWhole ? 1 : 0,
      cost: isWhole ? micros / 1e6 : null,
      costAtLeast: isWhole ? undefined : micros / 1e6,
      max: isWhole ? micros / 1e6 : null,
      n: isWhole ? 1 : 0,
    })
    expect(roomIn(ordered)).toBe(Math.floor(isWhole ? 1e6 / micros - 1 : 1e3 - micros / 1e3))
  }
})

function resultOf(lines: readonly JournalLine[]) {
  const { usage, metrics } = documentOf(lines)
  const { priced, cost, costAtLeast } = usage!.parts.find(({ part }) => part === 'total')!
  const { value: max, n } = metrics['cost.execution.max']!
  return { priced, cost, costAtLeast, max, n }
}

/** How many more a budget of 1 has room for, at an estimate of a thousandth. */
function roomIn(lines: readonly JournalLine[]): number {
  const budget = { ...testPlan().budget, cost: { most: 1e6, perKickoff: 1e3 } }
  const cost = new SendingBudget(budget).cost!
  const count = new CostCount(PLAN, cost)
  for (const line of lines) {
    if (line.type === 'started') count.started()
    else if (line.type === 'ended') count.ended(line.record)
    else if (line.type === 'push') count.correctCost(line)
  }
  let room = 0
  for (; cost.hasRoom && room < 2e3; room++) count.started()
  return room
}
