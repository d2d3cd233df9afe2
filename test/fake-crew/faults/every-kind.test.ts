/** Each kind of fault is the one that its cases and its examples name. */
import { expect, test } from 'vitest'
import type { FaultKindName } from '../../../fake-crew/model/faults/kinds/list.ts'
import { FAULT_KINDS, FAULT_KIND_NAMES } from '../../../fake-crew/model/faults/kinds/list.ts'
import { parseFaults } from '../../../fake-crew/profiles.ts'
import { CASES } from './cases.ts'

function kindsIn(faults: readonly string[]): FaultKindName[] {
  return faults.flatMap((text) => parseFaults(text, 'faults')).map(({ what }) => what.kind)
}

test.each(FAULT_KIND_NAMES)('%s', (name) => {
  const cases = CASES[name].map(({ fault }) => `- ${fault}`)
  const examples = FAULT_KINDS[name].examples.map((example) => JSON.stringify(example))
  expect(FAULT_KINDS[name].kind).toBe(name)
  expect([...new Set(kindsIn(cases))]).toEqual([name])
  expect([...new Set(kindsIn(examples))]).toEqual([name])
})
