/** A limiter of the fake crew: a minimum time between two requests. */
import { equal, match } from 'node:assert/strict'

export const limiter = {
  headings: ['A limiter of the fake crew'],
  name: 'spacing',
  files: {
    'fake-crew/model/limits/algorithms/spacing.ts': `/** Spacing: so much time passes between two requests, at least. */
import { z } from 'zod'
import type { Micros } from '../../../../src/base/units.ts'
import { lasting } from '../../schema/quantities.ts'
import type { Algorithm, AlgorithmQuota } from '../definition.ts'
import { defineLimiter } from '../definition.ts'

interface SpacingState {
  nextMicros: Micros
}

export class Spacing implements Algorithm<SpacingState> {
  readonly windowMicros: Micros

  constructor(everyMicros: Micros) {
    this.windowMicros = everyMicros
  }

  fresh(): SpacingState {
    return { nextMicros: -Infinity }
  }

  quota({ nextMicros }: SpacingState, nowMicros: Micros): AlgorithmQuota {
    const leftMicros = Math.ceil(nextMicros - nowMicros)
    if (leftMicros <= 0) return { limit: 1, remaining: 1, moreMicros: null, fullMicros: 0 }
    return { limit: 1, remaining: 0, moreMicros: leftMicros, fullMicros: leftMicros }
  }

  count(state: SpacingState, nowMicros: Micros): void {
    state.nextMicros = nowMicros + this.windowMicros
  }
}

export const spacing = defineLimiter({
  kind: 'spacing',
  description: 'So much time between two requests.',
  written: z.strictObject({ every: lasting }).transform(({ every }) => ({ everyMicros: every })),
  algorithm: ({ everyMicros }) => new Spacing(everyMicros),
  example: { every: '2s' },
})
`,
  },
  lines: [
    {
      path: 'fake-crew/model/limits/algorithms/list.ts',
      before: 'import { concurrency }',
      text: "import { spacing } from './spacing.ts'\n",
    },
    {
      path: 'fake-crew/model/limits/algorithms/list.ts',
      before: '  concurrency,\n',
      text: '  spacing,\n',
    },
    {
      path: 'test/fake-crew/model/limits/algorithms.test.ts',
      before: 'import type { Random }',
      text: "import { Spacing } from '../../../../fake-crew/model/limits/algorithms/spacing.ts'\n",
    },
    {
      path: 'test/fake-crew/model/limits/algorithms.test.ts',
      before: 'const ALL: ',
      text: `const spacing: Drawn = (random, rejected) => {
  const everyMicros = random.pick([10, 1_000, 60_000_000])
  return {
    algorithm: new Spacing(everyMicros),
    reference: references.bucket({ count: 2, perMicros: everyMicros * 2 }, 1, rejected),
    scaleMicros: everyMicros,
  }
}

`,
    },
    {
      path: 'test/fake-crew/model/limits/algorithms.test.ts',
      before: "  ['concurrency', concurrency],\n",
      text: "  ['spacing', spacing],\n",
    },
  ],
  elsewhere: 2,
  tests: ['spacing'],

  async prove({ load, read, write }) {
    const { startFakeCrew } = await load('fake-crew/index.ts')
    const rule = 'limits: { rules: [{ name: slow, spacing: { every: 1h } }] }'
    const profile = write('spaced.yaml', `${read('fake-crew/profiles/fast.yaml')}\n${rule}\n`)
    const crew = await startFakeCrew({ profile })
    try {
      const headers = { authorization: `Bearer ${crew.token}` }
      const ask = async () => (await fetch(`${crew.url}/inputs`, { headers })).status
      equal(await ask(), 200)
      equal(await ask(), 429)
    } finally {
      await crew.stop()
    }
    match(read('docs/reference.md'), /`spacing`/)
    match(read('schemas/profile.schema.json'), /"spacing"/)
  },
}
