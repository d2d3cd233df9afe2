/**
 * Every shipped scenario but the longest on every shipped profile; and that no scenario and no
 * profile is left out.
 */
import { describe, expect, test } from 'vitest'
import { listProfiles } from '../../fake-crew/profiles.ts'
import { shippedScenarios } from '../../src/run/scenario/load.ts'
import { LONGEST } from './longest.ts'
import { SHIPPED } from './shipped.ts'
import { inFile, LONG_MS, plain, SECTIONS, scenarioSection, titlesInFile } from './table.ts'

const PROFILES = listProfiles()

test('every shipped scenario has its section, and in it every shipped profile its row', async () => {
  expect(Object.keys(SHIPPED)).toEqual(await shippedScenarios())
  for (const { why } of Object.values(SHIPPED)) {
    expect(Object.keys(why).toSorted()).toEqual(PROFILES)
  }
  expect(titlesInFile()).toEqual(SECTIONS)
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
