/** `crewload gate` on two versions of a crew that is not ours, against what both of them know. */
import { describe, expect, test } from 'vitest'
import { gateSchema } from '../../../src/study/comparing/gate/document.ts'
import type { Stranger } from '../../support/targets/stranger.ts'
import { pythonOrSkip, startStranger } from '../../support/targets/stranger.ts'
import { CONSENT, newOwner } from './owner.ts'

const python = pythonOrSkip('gates of a crew that is not ours')

/** Without a queue, and with times beside which those of a busy machine are small. */
const CREW = {
  workers: 30,
  tasks: [
    { name: 'research', agent: 'Researcher', mean: 0.35, cv: 0.1 },
    { name: 'writing', agent: 'Writer', mean: 0.25, cv: 0.1 },
  ],
}

const SCENARIO = `
  arrivals: { rate: '15/s', for: '2s', process: 'uniform' },
  polling: { fixed: '30ms' }`

async function medianMs(crew: Stranger): Promise<number> {
  const { executions } = await crew.truth()
  const took = executions.map(({ kickedOff, ended }) => (ended! - kickedOff) * 1_000)
  return took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)]!
}

describe.skipIf(python === null).concurrent('a gate', () => {
  test.each([
    ['the same version', 1, 0, 'pass'],
    ['tasks that take 25 % longer', 1.25, 1, 'fail'],
  ] as const)('answers %s', async (_version, slower, exitCode, decision) => {
    await using base = await startStranger(CREW)
    await using candidate = await startStranger({ ...CREW, slower })
    await using owner = await newOwner(SCENARIO)
    const sides = ['--target', candidate.url, '--baseline-target', base.url]
    const what = ['--metrics', 'execution.p50', '--margin', '25%', '--runs', '6']
    const args = ['gate', 'scenario.mjs', ...sides, ...what, ...CONSENT, '--json']
    const { code, stdout } = await owner.ask(...args)
    const document = gateSchema.parse(JSON.parse(stdout))
    expect([code, document.decision]).toEqual([exitCode, decision])
    const { change } = document.metrics.find(({ name }) => name === 'execution.p50')!
    if (change === null || !('ratio' in change)) throw new Error('expected a ratio')
    const ratio = (await medianMs(candidate)) / (await medianMs(base))
    expect(change.low).toBeLessThan(ratio)
    expect(change.high).toBeGreaterThan(ratio)
  })
})
