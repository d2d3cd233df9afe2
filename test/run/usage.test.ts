/** Runs of crews that report tokens: what they used and cost, against the fake crew's ledger. */
import { expect, test } from 'vitest'
import type { WrittenProfile } from '../../fake-crew/index.ts'
import type { Metric, ResultDocument } from '../../src/result/document.ts'
import { runFile, runTerminal } from '../support/run-shown.ts'
import { virtualRun } from '../support/virtual-run.ts'
import { readUsage } from '../../src/crew/usage.ts'
import type { ModelPrices } from '../../src/scenario/plan.ts'
import { costOf } from '../../src/scenario/prices.ts'
import type { RunOptions } from '../../src/run/options.ts'
import { run } from '../../src/run/run.ts'
import type { Scenario } from '../../src/scenario/define.ts'

const TOKENS = {
  input: { lognormal: { median: 4_000, p95: 16_000 } },
  output: { uniform: { min: 200, max: 900 } },
  cached: '25%',
}

const PROFILE = {
  name: 'metered',
  seed: 5,
  inputs: ['topic'],
  tasks: [
    { id: 'research', agent: 'Researcher', duration: '60ms', output: '100B', tokens: TOKENS },
    {
      id: 'write',
      agent: 'Writer',
      duration: '90ms',
      output: '100B',
      failure: { chance: '20%' },
      tokens: TOKENS,
    },
  ],
  stuck: '5%',
  usage: { model: 'gpt-x-2026-01-01', shows: 'ended' },
  capacity: { workers: 'unlimited' },
} satisfies WrittenProfile

const PRICES = { currency: 'USD', models: { 'gpt-x': { input: 2.5, output: 10, cached: 1 } } }

const SCENARIO: Scenario = {
  name: 'metered',
  arrivals: { rate: '60/s', for: '1s' },
  inputs: { topic: 'bees' },
  polling: { fixed: '30ms' },
  deadline: '1s',
  confirm: 0,
  prices: PRICES,
  thresholds: { 'outcome.unserved': false, 'execution.failed': false },
  validity: { lateness: '10s', utilisation: 1, little: 1 },
}

const VIRTUAL: RunOptions = { out: false, engine: 'virtual' }

type Parts = Record<string, NonNullable<ResultDocument['usage']>['parts'][number]>

function partsOf({ usage }: ResultDocument): Parts {
  return Object.fromEntries(usage!.parts.map((part) => [part.part, part]))
}

test('the sums are equal to those of the ledger where every execution reports', async () => {
  const profile = { ...PROFILE, stuck: 0, usage: { shows: 'ended' } } as const
  const { document } = await run(SCENARIO, { ...VIRTUAL, profile })
  const { total } = partsOf(document)
  expect(total!.tokens).toEqual(document.usage!.ledger!.tokens)
  expect(total).toMatchObject({ executions: 60, reported: 60, priced: 0, cost: null })
  expect(document.usage!.models).toEqual([])
  expect(document.metrics['tokens.total.p50']!.value).toBeGreaterThan(4_000)
})

test('answers before the end report what was used so far', async () => {
  const profile = { ...PROFILE, stuck: 1, usage: { model: 'gpt-x', shows: 'always' } } as const
  const { document } = await run(SCENARIO, { ...VIRTUAL, profile })
  const { stuck, total } = partsOf(document)
  // What is used before an end that nobody sees is a part of what it costs.
  const { cost, costAtLeast, atLeast } = stuck!
  expect(stuck).toMatchObject({ executions: 60, reported: 60, priced: 0 })
  expect([cost, atLeast]).toEqual([null, ['input', 'output', 'cached', 'total']])
  expect(costAtLeast).toBeGreaterThan(0)
  const { value, low } = document.metrics['cost.total']!
  expect({ value, low }).toEqual({ value: null, low: costAtLeast })
  expect(total!.tokens).toEqual(document.usage!.ledger!.tokens)
})

test('pushes report what answers do not', async () => {
  const tokens = { input: 1_000, output: 200 }
  const tasks = [{ id: 'work', agent: 'A', duration: '80ms', output: '9B', tokens }]
  const usage = { chance: 1, shows: 'completed' } as const
  const base = { name: 'pushed', inputs: ['topic'], tasks, usage } satisfies WrittenProfile
  const silent = { ...base, scripts: [{ usage: { model: 'none' } }] } satisfies WrittenProfile
  const scenario: Scenario = { ...SCENARIO, webhooks: { send: ['crew'] } }
  const heard = await run(scenario, { ...VIRTUAL, profile: base })
  expect(partsOf(heard.document)['total']).toMatchObject({ reported: 60 })
  expect(heard.document.metrics['tokens.total.max']!.value).toBe(1_200)
  // A script without counts reports nothing: unknown, and never 0.
  const { document } = await run(SCENARIO, { ...VIRTUAL, profile: silent })
  expect(document.usage).toBeUndefined()
  expect(Object.keys(document.metrics).some((name) => /^(tokens|cost)\./.test(name))).toBe(false)
})

test('thresholds bound cost: quantiles by interval, sums by what is known at least', async () => {
  const thresholds = {
    ...SCENARIO.thresholds,
    'cost.execution.p50': '< 1',
    'cost.execution.p90': '< 0.001',
    'tokens.output.p50': '> 100',
    'cost.total': '< 0.01',
    'cost.failed': '< 100',
    'cost.stuck': '< 100',
  } as const
  const options = { ...VIRTUAL, profile: PROFILE }
  const { document } = await run({ ...SCENARIO, thresholds }, options)
  const status = Object.fromEntries(document.thresholds.map((each) => [each.metric, each.status]))
  expect(status).toMatchObject({
    'cost.execution.p50': 'met',
    'cost.execution.p90': 'missed',
    'tokens.output.p50': 'met',
    'cost.total': 'missed',
    'cost.failed': 'met',
    'cost.stuck': 'undecided',
  })
  const stuck = document.thresholds.find(({ metric }) => metric === 'cost.stuck')
  expect(stuck!.hint).toMatch(/^some executions report no tokens.*: let the crew report usage/)
  const { prices: _, ...free } = SCENARIO
  await expect(run({ ...free, thresholds }, options)).rejects.toThrow(
    /thresholds\.cost\.execution\.p50: needs `prices`/,
  )
})

test('a budget of cost counts what was measured, and drains', async () => {
  const scenario = {
    ...SCENARIO,
    arrivals: { rate: '2/s', for: '200s' },
    prices: { input: 2.5, output: 10 },
  } satisfies Scenario
  const profile = { ...PROFILE, stuck: '12%' }
  const options = { ...VIRTUAL, profile, maxCost: 3, costPerKickoff: 0.5 }
  const { document } = await run(scenario, options)
  const { total } = partsOf(document)
  const { notReached, aborted } = document.outcomes
  // The estimate alone would allow six.
  expect(total!.executions).toBeGreaterThan(12)
  expect(notReached).toBe(400 - total!.executions)
  expect(aborted).toBe(0)
  const silent = total!.executions - total!.priced
  expect(total!.cost! + silent * 0.5).toBeLessThanOrEqual(3.000001)
  expect(document.verdict.reasons.map(({ message }) => message).join()).toMatch(
    /^the cost budget was spent: .* sent\. [\d.]+ measured of \d+ executions, about [\d.]+ for \d+ others?$/,
  )
})

test('a budget of cost falls back on the estimate where nothing is reported', async () => {
  const profile = { ...PROFILE, usage: { chance: 0 } }
  const options = { ...VIRTUAL, profile, maxCost: 2, costPerKickoff: 0.5 }
  const { document } = await run(SCENARIO, options)
  expect(document.outcomes.notReached).toBe(56)
  expect(document.run.spent).toEqual({ kickoffs: 4, costPerKickoff: 0.5 })
})

test('what was reported before an end that nobody saw is no measured cost', async () => {
  const scenario = { ...SCENARIO, arrivals: { rate: '2/s', for: '20s' } } satisfies Scenario
  const profile = { ...PROFILE, stuck: 1, usage: { model: 'gpt-x', shows: 'always' } } as const
  const options = { ...VIRTUAL, profile, maxCost: 2, costPerKickoff: 0.5 }
  const { document } = await run(scenario, options)
  expect(document.outcomes).toMatchObject({ stuck: 4, notReached: 36 })
})

test('a kickoff that is sent again may have started an execution, and counts', async () => {
  const faults = [{ name: 'unwell', status: { code: 503 }, operations: ['kickoff'], chance: 1 }]
  const profile = { ...PROFILE, faults } as WrittenProfile
  const scenario = { ...SCENARIO, arrivals: { rate: '1/s', for: '60s' } } satisfies Scenario
  const options = { ...VIRTUAL, profile, maxCost: 4, costPerKickoff: 0.5 }
  const { document } = await run(scenario, options)
  expect(document.outcomes.notReached).toBeGreaterThan(40)
})

/** A crew that reports tokens only in the push at the end of an execution. */
const PUSHING = {
  ...PROFILE,
  tasks: [{ id: 'work', agent: 'A', duration: '80ms', output: '9B', tokens: TOKENS }],
  stuck: 0,
} satisfies WrittenProfile
/** A push does not name the model. */
const EVERY = { input: 2.5, output: 10 }
const BLIND = [{ name: 'blind', status: { code: 503 }, operations: ['status'], chance: 1 }]

test.concurrent.each(['node', 'virtual'] as const)(
  'tokens are those of the ledger, and stuck executions stay unknown: %s',
  async (engine) => {
    const { document } = await run(SCENARIO, { out: false, engine, profile: PROFILE })
    const { total, completed, failed, stuck } = partsOf(document)
    const { ledger, models } = document.usage!
    expect(models).toEqual(['gpt-x-2026-01-01'])
    expect(total).toMatchObject({ executions: 60, reported: 60 - stuck!.executions })
    expect(stuck).toMatchObject({ reported: 0, priced: 0, cost: null })
    expect(failed!.reported).toBe(failed!.executions)
    expect(ledger!.executions).toBe(60)
    // A stuck execution has used what its first task did, and nobody reports it.
    expect(total!.tokens.input).toBeLessThan(ledger!.tokens.input!)
    const { input, output, cached } = completed!.tokens
    const cost = ((input! - cached!) * 2.5 + cached! * 1 + output! * 10) / 1e6
    expect(completed!.cost).toBeCloseTo(cost, 4)
    expect(document.metrics['cost.completed']).toMatchObject({ value: completed!.cost })
    expect(document.metrics['cost.stuck']).toMatchObject({ value: null, low: null })
    expect(document.metrics['cost.total']).toMatchObject({ value: null, low: total!.cost })
    expect(document.metrics['tokens.unreported']!.value).toBeCloseTo(stuck!.executions / 60)
  },
)

test.concurrent.each([
  ['node', 'before the end of its record', { faults: BLIND }, '4s'],
  ['virtual', 'before the end of its record', { faults: BLIND }, '400ms'],
  ['virtual', 'after its deadline', {}, '50ms'],
] as const)('%s: a push reports tokens %s', async (engine, _, faulty, deadline) => {
  const profile = { ...PUSHING, ...faulty } as WrittenProfile
  const heard = { webhooks: { send: ['crew'], wait: '4s' }, circuit: 'off' } as const
  const arrivals = { rate: '10/s', for: '1s' }
  const scenario: Scenario = { ...SCENARIO, ...heard, arrivals, deadline, prices: EVERY }
  const { document } = await run(scenario, { out: false, engine, profile })
  const { completed, failed } = document.outcomes
  expect([completed, failed]).toEqual([0, 0])
  const { total } = partsOf(document)
  expect(total).toMatchObject({ executions: 10, reported: 10, priced: 10 })
  expect(total!.tokens.input).toBe(document.usage!.ledger!.tokens.input)
})

test.each([
  ['before the end of their records', { faults: BLIND }, '1s'],
  ['after their deadline', {}, '50ms'],
])('a budget of cost counts what pushes report %s, once', async (_, faulty, deadline) => {
  const scenario: Scenario = {
    ...SCENARIO,
    arrivals: { rate: '2/s', for: '200s' },
    deadline,
    prices: EVERY,
    webhooks: { send: ['crew'] },
    circuit: 'off',
  }
  const webhooks = { duplicated: '50%' }
  const profile = { ...PUSHING, ...faulty, webhooks } as WrittenProfile
  const options = { ...VIRTUAL, profile, maxCost: 3, costPerKickoff: 0.5 }
  const { document } = await run(scenario, options)
  const { total } = partsOf(document)
  // The estimate alone would allow six.
  expect(total!.executions).toBeGreaterThan(60)
  expect(total!.executions).toBeLessThan(400)
  expect(total!.cost).toBeGreaterThan(1)
  expect(total!.cost).toBeLessThanOrEqual(3)
})

test('a push of an end before the end is a part of the cost, for thresholds and budgets', async () => {
  const tokens = { input: 1_000, output: 100 }
  const task = { agent: 'A', output: '9B', tokens } as const
  const tasks = [
    { ...task, id: 'read', duration: '100ms' },
    { ...task, id: 'write', duration: '400ms' },
  ]
  const early = { usage: { shows: 'always' }, webhooks: { early: '100%' } } as const
  const profile = { ...PUSHING, tasks, ...early } as WrittenProfile
  const scenario: Scenario = {
    ...SCENARIO,
    arrivals: { rate: '2/s', for: '200s' },
    deadline: '300ms',
    prices: { input: 2, output: 10 },
    thresholds: { ...SCENARIO.thresholds, 'cost.total': '< 0.9' },
    webhooks: { send: ['crew'] },
    circuit: 'off',
  }
  const { document } = await run(scenario, {
    ...VIRTUAL,
    profile,
    maxCost: 1,
    costPerKickoff: 0.006,
  })
  const { total } = partsOf(document)
  expect(total).toMatchObject({ executions: 166, reported: 166, priced: 0, cost: null })
  expect(total!.costAtLeast).toBeCloseTo(166 * 0.003)
  const found = document.thresholds.find(({ metric }) => metric === 'cost.total')
  expect(found!.status).toBe('undecided')
})

test('a crew that counts nothing reports no tokens', () => {
  const none = { total_tokens: 0, prompt_tokens: 0, completion_tokens: 0 }
  expect(readUsage({ usage_metrics: none })).toBeNull()
  expect(readUsage({ usage_metrics: { ...none, total_tokens: 7 } })).toMatchObject({
    totalTokens: 7,
  })
  expect(readUsage({ usage_metrics: { total_tokens: 9e15 } })).toBeNull()
})

test.each([
  [{ total_tokens: 7, prompt_tokens: 0, completion_tokens: 0 }, [null, null, 7]],
  [{ total_tokens: 7, prompt_tokens: 5 }, [5, 2, 7]],
  [{ total_tokens: 7, completion_tokens: 5 }, [2, 5, 7]],
  [{ total_tokens: 7, prompt_tokens: 9 }, [9, null, 7]],
  [{ prompt_tokens: 5 }, [5, null, null]],
  [{ prompt_tokens: 5, completion_tokens: 0 }, [5, 0, 5]],
])('a count that is missing in %o follows from the others, or is unknown', (told, counts) => {
  const { inputTokens, outputTokens, totalTokens } = readUsage({ usage_metrics: told })!
  expect([inputTokens, outputTokens, totalTokens]).toEqual(counts)
})

test.each([
  [{ inputTokens: 5 }, { micros: 10, isWhole: false }],
  [{ outputTokens: 5 }, { micros: 50, isWhole: false }],
  [{ totalTokens: 5 }, { micros: 10, isWhole: false }],
  [
    { inputTokens: 5, outputTokens: 1 },
    { micros: 20, isWhole: true },
  ],
])('the cost of a report with %o alone is a lower bound', (counts, cost) => {
  const unknown = { inputTokens: null, outputTokens: null, cachedTokens: null, totalTokens: null }
  const prices = { currency: null, every: { input: 2, output: 10, cached: 1 }, models: {} }
  expect(costOf({ ...unknown, model: null, ...counts }, prices)).toEqual(cost)
})

test('tokens that are not reported are absent, and never 0', async () => {
  const profile = {
    ...PROFILE,
    stuck: 0,
    scripts: [
      { when: { ordinal: 1 }, usage: { prompt_tokens: 1_000 } },
      { usage: { prompt_tokens: 1_000, completion_tokens: 100 } },
    ],
  } satisfies WrittenProfile
  const prices = { input: 2, output: 10 }
  const { document } = await run({ ...SCENARIO, prices }, { ...VIRTUAL, profile })
  const { completed } = partsOf(document)
  const { executions, priced, tokens, atLeast, cost, costAtLeast } = completed!
  expect(priced).toBe(executions - 1)
  expect(tokens).toMatchObject({ input: executions * 1_000, cached: null })
  expect(tokens.output).toBe(priced * 100)
  expect(atLeast).toEqual(['output', 'total'])
  expect(cost).toBeCloseTo(priced * 0.003, 9)
  expect(costAtLeast).toBeCloseTo(priced * 0.003 + 0.002, 9)
  expect(document.usage!.ledger!.tokens.cached).toBeNull()
  expect(Object.keys(document.metrics).join()).not.toMatch(/tokens\.cached/)
  const output = `at least ${(priced * 100).toLocaleString('en')}`
  expect(runFile(document, 'summary.md')).toContain(`${output} out, of`)
  const [, table] = runFile(document, 'report.html').split('Tokens and cost')
  expect(table).toContain(`<td class="number">${output}</td>`)
})

test('a threshold does not pass by the few that report', async () => {
  const thresholds = {
    'outcome.unserved': false,
    'execution.failed': false,
    'cost.execution.p50': '< 1',
    'cost.execution.p90': { is: '< 1', judge: 'value' },
    'cost.execution.mean': '< 1',
    'cost.execution.max': '< 1',
    'tokens.total.p50': '< 1000000',
  } as const
  const profile = { ...PROFILE, stuck: 0, usage: { ...PROFILE.usage, chance: 0.3 } }
  const { document } = await run({ ...SCENARIO, thresholds }, { ...VIRTUAL, profile })
  const ofUsage = document.thresholds.filter(({ metric }) => /^(cost|tokens)/.test(metric))
  expect(ofUsage).toHaveLength(5)
  for (const { metric, status, measured, hint } of ofUsage) {
    expect([metric, status, measured.value]).toEqual([metric, 'undecided', null])
    expect(hint).toMatch(
      /(?:\d+ of 60|some executions) report no tokens.*: let the crew report usage_metrics$/,
    )
  }
  expect(document.metrics['cost.execution.mean']!.low).toBeGreaterThan(0)
})

test('a model without a price is named, and its cost is unknown', async () => {
  const thresholds = { ...SCENARIO.thresholds, 'cost.total': '< 100' } as const
  const prices = { models: { 'gpt-y': { input: 1, output: 1 } } }
  const budget = { maxCost: 2, costPerKickoff: 0.5 }
  const options = { ...VIRTUAL, profile: { ...PROFILE, stuck: 0 }, ...budget }
  const { document } = await run({ ...SCENARIO, prices, thresholds }, options)
  const { total } = partsOf(document)
  expect(total).toMatchObject({ executions: 4, priced: 0, cost: null })
  expect(document.findings).toContainEqual({
    code: 'unpriced',
    severity: 'warning',
    executions: 4,
    model: 'gpt-x-2026-01-01',
    message:
      '4 executions of unknown cost use gpt-x-2026-01-01, which has no price. Add it to `prices.models`',
  })
  const found = document.thresholds.find(({ metric }) => metric === 'cost.total')
  expect(found).toMatchObject({ status: 'undecided', measured: { value: null, low: null } })
  expect(found!.hint).toMatch(/^some executions report no tokens, or have no price/)
  const reasons = document.verdict.reasons.map(({ message }) => message).join()
  expect(reasons).toMatch(/the cost budget was spent: 4 of 60 arrivals sent(?!\.)/)
})

test('a few that report nothing widen an interval, and do not hide a quantile', async () => {
  const scenario = { ...SCENARIO, arrivals: { rate: '60/s', for: '5s' } } satisfies Scenario
  const measured = async (chance: number): Promise<Metric> => {
    const profile = { ...PROFILE, stuck: 0, usage: { ...PROFILE.usage, chance } }
    const { document } = await run(scenario, { ...VIRTUAL, profile })
    return document.metrics['cost.execution.p50']!
  }
  const [all, most] = [await measured(1), await measured(0.9)]
  expect(most.n).toBe(all.n)
  expect(most.low).toBeLessThan(all.low as number)
  expect(most.high).toBeGreaterThan(all.high as number)
  expect(Math.abs(Number(most.value) / Number(all.value) - 1)).toBeLessThan(0.15)
})

test('executions without a failure cost nothing by their failures', async () => {
  const thresholds = { ...SCENARIO.thresholds, 'cost.failed': '< 1' } as const
  const tasks = PROFILE.tasks.map(({ id, agent, duration, output, tokens }) => {
    return { id, agent, duration, output, tokens }
  })
  const profile = { ...PROFILE, tasks, stuck: 0 } satisfies WrittenProfile
  const { document } = await run({ ...SCENARIO, thresholds }, { ...VIRTUAL, profile })
  expect(document.metrics['cost.failed']).toMatchObject({ value: 0, n: 0 })
  const found = document.thresholds.find(({ metric }) => metric === 'cost.failed')
  expect(found!.status).toBe('met')
})

function priceOf(token: number): ModelPrices {
  return { input: token, output: token, cached: token }
}

test.each([
  ['gpt-x', 3],
  ['gpt-x-2026-01-01', 3],
  ['gpt-x-0613', 3],
  ['gpt-x-pro', 9],
])('the price of %s', (model, cost) => {
  const usage = { inputTokens: 1, outputTokens: 0, cachedTokens: 0, totalTokens: 1, model }
  const prices = { currency: 'USD', every: priceOf(9), models: { 'gpt-x': priceOf(3) } }
  expect(costOf(usage, prices)).toEqual({ micros: cost, isWhole: true })
})

test('every report shows what was measured; without tokens it says nothing', async () => {
  const { document } = await run(SCENARIO, {
    ...VIRTUAL,
    profile: PROFILE,
    costPerKickoff: 0.25,
  })
  const words = /[\d.]+ USD measured of \d+ executions, about [\d.]+ USD for \d+ others?/
  expect(runTerminal(document, { color: false, width: 200, reportPath: null })).toMatch(words)
  expect(runFile(document, 'summary.md')).toMatch(words)
  const page = runFile(document, 'report.html')
  expect(page).toMatch(/Tokens and cost/)
  expect(page).toMatch(/The crew names gpt-x-2026-01-01\./)
  const silent = await virtualRun({ scenario: { arrivals: { rate: '1/s', for: '9s' } } })
  expect(silent.usage).toBeUndefined()
  expect(runFile(silent, 'report.html')).not.toMatch(/Tokens and cost/)
})
