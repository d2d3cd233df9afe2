/** No kind of fault without a run over real sockets that says what it must end in. */
import { expect, test } from 'vitest'
import { REACH } from '../../../fake-crew/model/faults/fault.ts'
import { parseFaults } from '../../../fake-crew/profiles.ts'
import { CREW_CASES, REFUSE } from './crew-cases.ts'
import { BACKWARDS, EXECUTION_CASES } from './execution-cases.ts'
import { ON_KICKOFF, ON_STATUS } from './http-cases.ts'

test('each kind of fault has its case', () => {
  const lists = [
    ...[...ON_KICKOFF, ...ON_STATUS, ...EXECUTION_CASES].map(([fault]) => `- ${fault}`),
    ...CREW_CASES.map(([, { fault }]) => `- ${fault}`),
    `- ${BACKWARDS}`,
    `- ${REFUSE}`,
  ]
  const kinds = lists.flatMap((list) => parseFaults(list, 'cases')).map(({ what }) => what.kind)
  expect([...new Set(kinds)].toSorted()).toEqual(Object.keys(REACH).toSorted())
})
