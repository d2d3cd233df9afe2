/** Crews that are broken in one way each. */
import { expect, test } from 'vitest'
import { areExperimentsRun } from '../experiments.ts'
import { brokenSection, inFile, IS_WRITTEN, LONG_MS, plain } from './table.ts'

const TITLE = 'broken crews'
/** Every crew on CI and where the table is written; elsewhere every tenth. */
const STEP = areExperimentsRun || IS_WRITTEN ? 1 : 10

test(
  'broken crews get the verdicts that people found right',
  async () => {
    const section = await brokenSection(STEP)
    const shown = plain(section)
    const read = inFile(TITLE, section)
    expect(shown).toEqual(STEP === 1 ? read : read.filter((line) => shown.includes(line)))
  },
  LONG_MS,
)
