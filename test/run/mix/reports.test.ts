/** What the run of a mix writes besides its journal, where not all of it can be written. */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readLedger } from '../../../src/run/folder/stored.ts'
import { defineMix, defineScenario, runMix } from '../../../src/run/index.ts'
import { temporaryFolder } from '../../support/cli.ts'

const part = defineScenario({
  name: 'part',
  arrivals: { rate: '1/s', for: '5s' },
  inputs: { topic: 'bees', audience: 'children' },
})

test('where the reports of a mix cannot be written, its ledger is', async () => {
  await using folder = await temporaryFolder()
  const mix = defineMix({ name: 'two', parts: { one: part, other: part } })
  const { document, ...ended } = await runMix(mix, {
    profile: 'fast',
    engine: 'virtual',
    out: folder.path,
    onStart: () => {
      const [name = ''] = readdirSync(folder.path)
      mkdirSync(join(folder.path, name, 'report.html'), { recursive: true })
    },
  })
  expect(ended.unwritten).toBe('report.html: a folder is in its place')
  expect(document.verdict).toMatchObject({ outcome: 'invalid', valid: false, problems: 0 })
  const ledger = await readLedger(ended.folder!, [])
  expect(ledger?.rows).toHaveLength(10)
})
