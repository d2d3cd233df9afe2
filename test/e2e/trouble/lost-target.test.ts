/**
 * A target that is lost in mid-run, over real sockets: one that died fails the run, one that locks
 * us out is unreachable.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { FakeCrew } from 'crewload/fake-crew'
import { startFakeCrew } from 'crewload/fake-crew'
import type { Scenario } from 'crewload/run'
import { run } from 'crewload/run'
import { countingTarget } from '../../support/targets/counting.ts'

/** Ten seconds of load, given up after one of nothing. */
const scenario: Scenario = {
  name: 'lost-target',
  arrivals: { rate: '20/s', for: '10s', process: 'uniform' },
  inputs: { topic: 'bees', audience: 'children' },
  polling: { fixed: '200ms' },
  deadline: '3s',
  circuit: { after: '1s', requests: 10 },
  validity: { lateness: '1h', utilisation: 1, little: '100%' },
}

async function until(count: () => number): Promise<void> {
  for (let tries = 0; count() < 10; tries++) {
    if (tries > 500) throw new Error('nothing was kicked off')
    await sleep(20)
  }
}

/** Every request with a token gets 401 from now on. */
async function revoke({ url }: FakeCrew): Promise<void> {
  const body = JSON.stringify([{ name: 'revoked', denied: {} }])
  const { status } = await fetch(`${url}/__fake__/faults`, { method: 'POST', body })
  expect(status).toBe(201)
}

/** Begins a run at a target that is closed after ten kickoffs. */
async function lost<R>(begin: (url: string) => Promise<R>): Promise<R> {
  const target = await countingTarget({ refuseEvery: 0 })
  const running = begin(target.url)
  await until(() => target.counts.kickoffs).finally(async () => target[Symbol.asyncDispose]())
  return running
}

test.concurrent('a target that nobody serves any more is found out, with what it did last', async () => {
  const { document } = await lost(async (target) =>
    run(scenario, {
      target,
      tokens: ['any'],
      budget: { kickoffs: 5_000 },
      out: false,
    }),
  )
  expect(document.verdict.outcome).toBe('failed')
  expect(document.verdict.reasons).toContainEqual(
    expect.objectContaining({ code: 'threshold', metric: 'target.alive' }),
  )
  expect(document.targetLoss).toMatchObject({ state: 'dead', last: 'refused', instances: 1 })
  // A connection that stood when the target went is cut before the next is refused.
  expect(['refused', 'reset', 'closed']).toContain(document.targetLoss?.first)
  expect(document.reasons.notReached).toMatchObject([
    { reason: { code: 'target-lost', state: 'dead' } },
  ])
  expect(document.outcomes.notReached).toBeGreaterThan(80)
})

test.concurrent('a token that is revoked in mid-run is told from a dead target', async () => {
  const crew = await startFakeCrew({ profile: 'fast' })
  try {
    const running = run(scenario, { target: crew.url, tokens: [crew.token], out: false })
    await until(() => crew.ledger().length)
    await revoke(crew)
    const { document } = await running
    expect(document.verdict.outcome).toBe('unreachable')
    expect(document.verdict.reasons[0]).toMatchObject({ code: 'target-refused' })
    expect(document.targetLoss).toMatchObject({ state: 'refused', first: 401, last: 401 })
    expect(document.reasons.notReached).toMatchObject([
      { reason: { code: 'target-lost', state: 'refused' } },
    ])
  } finally {
    await crew.stop()
  }
})
