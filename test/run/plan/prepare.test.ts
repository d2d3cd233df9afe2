/** The plan of a run: the budgets of the options laid over the scenario's. */
import { describe, expect, test } from 'vitest'
import type { RunOptions } from '../../../src/run/options.ts'
import { demandCarriable, prepare } from '../../../src/run/plan/prepare.ts'
import { loaded } from '../../../src/run/scenario/load.ts'
import type { BudgetPlan } from '../../../src/scenario/plan.ts'

const scenario = {
  name: 'prepared',
  arrivals: { rate: '1/s', for: '1m' },
  inputs: { topic: 'bees' },
  budget: { kickoffs: 100, requests: 1_000, time: '10m' },
}

async function budgetOf(options: RunOptions): Promise<BudgetPlan> {
  const { budget } = await prepare(loaded(scenario), { profile: 'fast', ...options })
  return budget
}

async function circuitWith(options: RunOptions): Promise<unknown> {
  const { circuit } = await prepare(loaded(scenario), { profile: 'fast', ...options })
  return circuit
}

describe('of each budget the smaller counts', () => {
  test('of the scenario and the options', async () => {
    expect(await budgetOf({})).toEqual({ kickoffs: 100, requests: 1_000, wallMicros: 600e6 })
    const budget = { kickoffs: 7, requests: 9_999, wallMicros: 60e6 }
    expect(await budgetOf({ budget })).toEqual({ kickoffs: 7, requests: 1_000, wallMicros: 60e6 })
  })

  test('and what the money pays for', async () => {
    expect(await budgetOf({ maxCost: 10, costPerKickoff: 0.4 })).toMatchObject({ kickoffs: 25 })
    expect(await budgetOf({ maxCost: 1e6, costPerKickoff: 1 })).toMatchObject({ kickoffs: 100 })
  })

  test('a time-lapse shortens no budget of time', async () => {
    expect(await budgetOf({ speed: 60 })).toMatchObject({ wallMicros: 600e6 })
  })
})

describe('money', () => {
  test.each([
    [0.3, 0.1, 3],
    [0.7, 0.1, 7],
    [1, 0.1, 10],
    [0.29, 0.1, 2],
    [1, 0.3, 3],
    [2.9999, 1, 2],
  ])('%d at %d each pays for %i kickoffs', async (maxCost, costPerKickoff, kickoffs) => {
    expect(await budgetOf({ maxCost, costPerKickoff })).toMatchObject({ kickoffs })
  })
})

test('the circuit can be set off', async () => {
  expect(await circuitWith({})).toEqual({ afterMicros: 30e6, requests: 10 })
  expect(await circuitWith({ set: { circuit: 'off' } })).toBeNull()
  expect(await circuitWith({ set: { 'circuit.after': '2m' } })).toMatchObject({
    afterMicros: 120e6,
  })
})

test('refuses a plan at another place as it would have at its own', async () => {
  const { budget: _, ...unlimited } = scenario
  const plan = await prepare(loaded(unlimited), { profile: 'fast' })
  const remote = demandCarriable(plan, { target: 'https://crew.example' })
  await expect(remote).rejects.toThrow('needs a budget')
  await expect(demandCarriable(plan, { profile: 'defualt' })).rejects.toThrow('defualt')
  await demandCarriable(plan, { profile: 'default' })
})
