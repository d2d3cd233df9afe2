/** A saturation that was cut goes on with the rungs that are missing; and its one budget. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FakeCrew } from '../../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import { readStudyRecipe } from '../../../../src/study/frame/conduct/recipe.ts'
import { conducting } from '../../../../src/study/saturation/conduct/conduct.ts'
import type { SaturationDocument } from '../../../../src/study/saturation/document.ts'
import type { SaturateOptions } from '../../../../src/study/saturation/options.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { PACED, resumed, stopper } from '../../../support/studies.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'

function optionsOf(
  { url, token }: FakeCrew,
  out: string,
  more: Partial<SaturateOptions>,
): SaturateOptions {
  const ladder = { connections: '1,2,3', repeats: 1, duration: '1s', warmUp: '0' }
  return { endpoint: 'inputs', out, run: { target: url, tokens: [token] }, ...ladder, ...more }
}

async function wholeOf(
  folder: string | null,
  token: string,
): Promise<{ document: SaturationDocument; told: string[] }> {
  const told: string[] = []
  expect(JSON.stringify(await readStudyRecipe(folder!))).not.toContain(token)
  const given = { run: { tokens: [token] }, tell: (line: string) => void told.push(line) }
  return { document: await resumed(conducting, folder, given), told }
}

const connectionsOf = ({ trials }: SaturationDocument): number[] =>
  trials.map(({ connections }) => connections)

test('goes on with the rungs that are missing, about the execution it kicked off', async () => {
  await using folder = await temporaryFolder()
  await using crew = await startFakeCrew({ profile: PACED })
  const { onStart, stop } = stopper()
  const cut = await conductStudy(conducting, {
    ...optionsOf(crew, folder.path, { endpoint: 'status', maxKickoffs: 1 }),
    onStart,
    // When the first rung is told.
    tell: () => stop(),
  })
  expect([cut.document.ended, connectionsOf(cut.document)]).toEqual(['interrupted', [1]])
  const { document, told } = await wholeOf(cut.folder, crew.token)
  expect(document).toMatchObject({ ended: 'complete', id: cut.document.id, kickoffs: 1 })
  expect([connectionsOf(document), told.length]).toEqual([[1, 2, 3], 2])
  expect(document.trials[0]).toEqual(cut.document.trials[0])
  expect(crew.ledger()).toHaveLength(1)
  const sent = document.trials.reduce((sum, rung) => sum + rung.sent, 0)
  expect(document.requests).toBeGreaterThan(sent)
})

test('after the whole ladder asks nothing but what comes before it', async () => {
  await using folder = await temporaryFolder()
  await using crew = await startFakeCrew({ profile: PACED })
  const options = optionsOf(crew, folder.path, { connections: '1,2' })
  const whole = await conductStudy(conducting, options)
  const { document, told } = await wholeOf(whole.folder, crew.token)
  expect(document.trials).toEqual(whole.document.trials)
  expect(told).toEqual([])
  expect(document.requests).toBe(whole.document.requests + 1)
})

test('its budget holds over a kill: what was reserved then counts as sent', async () => {
  await using folder = await temporaryFolder()
  await using crew = await startFakeCrew({ profile: 'fast' })
  const paid = { endpoint: 'kickoff', connections: '1,2', maxKickoffs: 60 } as const
  const whole = await conductStudy(conducting, optionsOf(crew, folder.path, paid))
  const before = crew.ledger().length
  expect(whole.document.kickoffs).toBe(before)
  expect(before).toBeLessThanOrEqual(60)
  // As if it had been killed in the first rung, which may take 20 of the 60.
  const trials = join(whole.folder!, 'trials.ndjson')
  const lines = (await readFile(trials, 'utf8')).split('\n')
  const first = lines.findIndex((line) =>
    line.startsWith('{"key":"1 connection, pass 1","reserved"'),
  )
  expect(lines[first]).toContain('"reserved":{"requests":20,"kickoffs":20}')
  await writeFile(trials, lines.slice(0, first + 1).join('\n'))
  const { document } = await wholeOf(whole.folder, crew.token)
  // A third of the 40 that are left, and then not enough for two connections.
  expect([document.ended, connectionsOf(document)]).toEqual(['budget', [1]])
  expect([document.kickoffs, crew.ledger().length - before]).toEqual([33, 13])
})
