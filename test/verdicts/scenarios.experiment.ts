/**
 * Every shipped scenario but the longest on every shipped profile; and that no scenario and no
 * profile is left out.
 */
import { describe, expect, test } from 'vitest'
import { listProfiles } from '../../fake-crew/profiles.ts'
import { shippedScenarios } from '../../src/run/scenario/load.ts'
import { LONGEST } from './longest.ts'
import { SHIPPED } from './shipped.ts'
import {
  inFile,
  LONG_MS,
  plain,
  SECTIONS,
  scenarioSection,
  titlesInFile,
  UNSAID,
  whysIn,
} from './table.ts'

const PROFILES = listProfiles()

test('every shipped scenario has its section, and every row says why it is right', async () => {
  expect(Object.keys(SHIPPED)).toEqual(await shippedScenarios())
  expect(titlesInFile()).toEqual(SECTIONS)
  const reasons = SECTIONS.flatMap((title) => Array.from(whysIn(title).values()))
  expect(reasons.filter((why) => why === '' || why === UNSAID)).toEqual([])
})

describe('shipped profiles get the verdicts that people found right', () => {
  const names = Object.keys(SHIPPED).filter((name) => !LONGEST.includes(name))
  test.each(names)(
    'under %s',
    async (name) => {
      const section = await scenarioSection(name, PROFILES)
      expect(plain(section)).toEqual(inFile(name, section))
    },
    LONG_MS,
  )
})
