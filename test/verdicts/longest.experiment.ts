/** The longest of the shipped scenarios on every shipped profile. */
import { describe, expect, test } from 'vitest'
import { listProfiles } from '../../fake-crew/profiles.ts'
import { LONGEST } from './longest.ts'
import { inFile, LONG_MS, plain, scenarioSection } from './table.ts'

describe('shipped profiles get the verdicts that people found right', () => {
  test.each(LONGEST)(
    'under %s',
    async (name) => {
      const section = await scenarioSection(name, listProfiles())
      expect(plain(section)).toEqual(inFile(name, section))
    },
    LONG_MS,
  )
})
