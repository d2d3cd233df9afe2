/** When a gate looks at its runs, and at what level. */
import { expect, test } from 'vitest'
import { DEFAULT_JUDGED } from '../../../../src/study/comparing/options.ts'
import { gateDocument, lookAt } from '../../../../src/study/comparing/gate/analyse/analyse.ts'
import type { Made } from '../../../../src/study/comparing/gate/analyse/analyse.ts'
import { sampleFacts } from '../../../support/study-samples.ts'
import { sidesOf } from '../comparison/sample-comparisons.ts'
import { TERMS } from './sample-gates.ts'

const asked = { judged: DEFAULT_JUDGED, terms: TERMS }
const SLOWER = Array.from({ length: 30 }, (_, i) => 1.05 + i / 100)

function madeOf(runs: number, slower: number): Made {
  const sides = sidesOf({ runs }, { runs, slower })
  return { base: [...sides.base], new: [...sides.new], pairs: [], refused: [] }
}

function decidedAt(level: number, made: Made) {
  const runs = made.new.length
  return lookAt(runs, made, { ...asked, terms: { ...TERMS, looks: [{ at: runs, level }] } })
}

/** A gate that ended after five runs a side. */
function cutGate(slower: number) {
  const own = {
    ...asked,
    about: {
      place: { kind: 'deployment' as const, target: 'here' },
      scenario: 'steady',
      seed: 1,
      commit: null,
    },
    invalid: [],
    facts: sampleFacts('crewload gate steady'),
  }
  return gateDocument(madeOf(5, slower), own, { baseline: null, gatesBefore: null })
}

test.each(TERMS.looks.map(({ at }, i) => ({ at, i })))(
  'the look after $at runs a side decides at its own level',
  ({ at, i }) => {
    const made = SLOWER.map((slower) => madeOf(at, slower))
    const decisions = made.map((each) => lookAt(at, each, asked))
    expect(decisions).toEqual(made.map((each) => decidedAt(TERMS.looks[i]!.level, each)))
    const others = TERMS.looks.filter(({ at: other }) => other !== at)
    for (const { level } of others) {
      expect(decisions).not.toEqual(made.map((each) => decidedAt(level, each)))
    }
  },
)

test('a gate that ends between two looks is judged at the level of the next', () => {
  const { looks } = TERMS
  const failed = SLOWER.map((slower) => cutGate(slower).decision === 'fail')
  const at = ({ level }: { level: number }) =>
    SLOWER.map((slower) => decidedAt(level, madeOf(5, slower)) === 'fail')
  expect(failed).toEqual(at(looks[1]!))
  expect(failed).not.toEqual(at(looks[0]!))
  expect(failed).not.toEqual(at(looks[2]!))
})

test('no look is made between those that are planned', () => {
  expect([3, 5, 7].map((runs) => lookAt(runs, madeOf(runs, 1.5), asked))).toEqual([
    null,
    null,
    null,
  ])
  expect(lookAt(4, madeOf(4, 1.5), asked)).toBe('fail')
})
