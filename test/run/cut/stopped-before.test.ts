/** A run that is stopped before its load begins sends nothing. */
import { expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { defineScenario } from '../../../src/scenario/define.ts'
import { run } from '../../../src/run/index.ts'

const scenario = defineScenario({
  name: 'at-once',
  arrivals: { rate: '200/s', for: '200ms', warmUp: '0s' },
  inputs: { topic: 'bees', audience: 'children' },
  confirm: 0,
})

test.each(['now', 'drain'] as const)('told to stop (%s) as it starts', async (how) => {
  const crew = await startFakeCrew({ profile: 'fast' })
  try {
    const { document } = await run(scenario, {
      target: crew.url,
      tokens: [crew.token],
      out: false,
      onStart: (control) => control.stop(how),
    })
    expect(crew.ledger()).toEqual([])
    expect(document.verdict).toMatchObject({ outcome: 'inconclusive' })
  } finally {
    await crew.stop()
  }
})
