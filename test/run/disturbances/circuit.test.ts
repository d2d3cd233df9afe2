/**
 * The circuit in whole runs in virtual time: it opens for an outage that lasts, and for no other
 * weather.
 */
import { expect, test } from 'vitest'
import type { RunOptions } from '../../../src/run/index.ts'
import type { ResultDocument } from '../../../src/result/document.ts'
import { createRandom } from '../../../src/base/random.ts'
import { run } from '../../../src/run/run.ts'
import type { Scenario } from '../../../src/scenario/define.ts'
import { areExperimentsRun } from '../../experiments.ts'

const scenario: Scenario = {
  name: 'circuit',
  arrivals: { rate: '1/s', for: '3m', process: 'poisson' },
  inputs: { topic: 'storms', audience: 'sailors' },
  polling: { fixed: '1s' },
  deadline: '1m',
  timeouts: { request: '5s' },
}

async function virtualRun(
  profile: NonNullable<RunOptions['profile']>,
  seed: number,
  changes: Partial<Scenario> = {},
): Promise<ResultDocument> {
  const own = { ...scenario, ...changes }
  const { document } = await run(own, { engine: 'virtual', profile, seed, out: false })
  return document
}

test.each(['chaos', 'flaky'])('never in the weather of the profile %s', async (profile) => {
  for (let seed = 1; seed <= (areExperimentsRun ? 3 : 1); seed++) {
    const { targetLoss, outcomes } = await virtualRun(profile, seed)
    expect(targetLoss, `seed ${seed}`).toBeNull()
    expect(outcomes.notReached).toBe(0)
  }
})

/** An outage in which every request meets this fault, from the first minute's end on. */
async function outage(
  fault: Record<string, unknown>,
  lastsMicros: number,
  seed: number,
): Promise<ResultDocument> {
  const window = { from: '60s', for: `${lastsMicros}us` }
  const faults = [{ name: 'outage', ...fault, window }]
  const task = { id: 'write', agent: 'Writer', duration: { uniform: { min: '1s', max: '20s' } } }
  const inputs = ['topic', 'audience']
  return virtualRun({ inputs, tasks: [task], faults }, seed)
}

const FAULTS: Record<string, Record<string, unknown>> = {
  dead: { status: { code: 502 } },
  silent: { hang: {} },
  denying: { denied: {} },
}

/**
 * A request that was sent before an outage ends may be answered after it, and what is silent is
 * noticed a time-out later.
 */
const BLUR_MICROS = 7e6

test.each(Object.entries(FAULTS))(
  'when a target is %s for longer than half a minute, and not for less',
  async (name, fault) => {
    const random = createRandom(5)
    for (let seed = 1; seed <= (areExperimentsRun ? 6 : 2); seed++) {
      const lasts = 10e6 + random.int(60e6)
      if (Math.abs(lasts - 30e6) < BLUR_MICROS) continue
      const { targetLoss, verdict } = await outage(fault, lasts, seed)
      const isLong = lasts > 30e6
      const told = verdict.reasons.filter(({ code }) => /^target-(dead|refused)$/.test(code)).length
      const { outcome } = verdict
      const seen = {
        lost: targetLoss !== null,
        told,
        refused: outcome === 'unreachable',
        passed: isLong && outcome === 'passed',
      }
      const refused = isLong && name === 'denying'
      const wanted = { lost: isLong, told: isLong ? 1 : 0, refused, passed: false }
      expect(seen, `seed ${seed}: ${lasts} us`).toEqual(wanted)
      expect(targetLoss?.sinceMs ?? 60_000, `seed ${seed}`).toBeGreaterThanOrEqual(60_000)
    }
  },
)
