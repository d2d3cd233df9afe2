/** Crews that are broken in one way each. */
import { expect, test } from 'vitest'
import { brokenSection, inFile, LONG_MS, plain } from './table.ts'

const TITLE = 'broken crews'

test(
  'broken crews get the verdicts that people found right',
  async () => {
    const section = await brokenSection()
    expect(plain(section)).toEqual(inFile(TITLE, section))
  },
  LONG_MS,
)
