/** A saturation that was cut goes on with the rungs that are missing; and its one budget. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startFakeCrew } from '../../../../fake-crew/index.ts'
import type { RunControl } from '../../../../src/run/index.ts'
import { readStudyRecipe } from '../../../../src/study/frame/conduct/recipe.ts'
import { conducting } from '../../../../src/study/saturation/conduct/conduct.ts'
import type { SaturationDocument } from '../../../../src/study/saturation/document.ts'
import type { SaturateOptions } from '../../../../src/study/saturation/options.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { resumeStudy } from '../../../../src/study/frame/conduct/resume.ts'

interface Standing {
  url: string
  token: string
  options: SaturateOptions
  kickoffs: () => number
}

async function at(
  out: string,
  more: Partial<SaturateOptions>,
  work: (crew: Standing) => Promise<void>,
): Promise<void> {
  const crew = await startFakeCrew({ profile: 'fast' })
  try {
    const { url, token } = crew
    const run = { target: url, tokens: [token] }
    const ladder = { connections: '1,2,3', repeats: 1, duration: '1s', warmUp: '0' }
    const options: SaturateOptions = { endpoint: 'inputs', out, run, ...ladder, ...more }
    await work({ url, token, options, kickoffs: () => crew.ledger().length })
  } finally {
    await crew.stop()
  }
}

/** When the first rung is told. */
async function cutAfterOne(
  options: SaturateOptions,
): Promise<{ document: SaturationDocument; folder: string }> {
  let control: RunControl | null = null
  const { document, folder } = await conductStudy(conducting, {
    ...options,
    onStart: (given) => void (control = given),
    tell: () => control?.stop('drain'),
  })
  return { document, folder: folder! }
}

async function resumed(
  folder: string,
  token: string,
): Promise<{ document: SaturationDocument; told: string[] }> {
  const told: string[] = []
  const recipe = await readStudyRecipe(folder)
  expect(JSON.stringify(recipe)).not.toContain(token)
  const given = { run: { tokens: [token] }, tell: (line: string) => void told.push(line) }
  const { document } = await resumeStudy(conducting, folder, recipe!, given)
  return { document, told }
}

const connectionsOf = ({ trials }: SaturationDocument): number[] =>
  trials.map(({ connections }) => connections)

test('goes on with the rungs that are missing, about the execution it kicked off', async () => {
  await using folder = await temporaryFolder()
  const status = { endpoint: 'status', maxKickoffs: 1 } as const
  await at(folder.path, status, async ({ options, token, kickoffs }) => {
    const cut = await cutAfterOne(options)
    expect([cut.document.ended, connectionsOf(cut.document)]).toEqual(['interrupted', [1]])
    const { document, told } = await resumed(cut.folder, token)
    expect(document).toMatchObject({ ended: 'complete', id: cut.document.id, kickoffs: 1 })
    expect([connectionsOf(document), told.length]).toEqual([[1, 2, 3], 2])
    expect(document.trials[0]).toEqual(cut.document.trials[0])
    expect(kickoffs()).toBe(1)
    const sent = document.trials.reduce((sum, rung) => sum + rung.sent, 0)
    expect(document.requests).toBeGreaterThan(sent)
  })
})

test('after the whole ladder asks nothing but what comes before it', async () => {
  await using folder = await temporaryFolder()
  await at(folder.path, { connections: '1,2' }, async ({ options, token }) => {
    const whole = await conductStudy(conducting, options)
    const { document, told } = await resumed(whole.folder!, token)
    expect(document.trials).toEqual(whole.document.trials)
    expect(told).toEqual([])
    expect(document.requests).toBe(whole.document.requests + 1)
  })
})

test('its budget holds over a kill: what was reserved then counts as sent', async () => {
  await using folder = await temporaryFolder()
  const paid = { endpoint: 'kickoff', connections: '1,2', maxKickoffs: 60 } as const
  await at(folder.path, paid, async ({ options, token, kickoffs }) => {
    const whole = await conductStudy(conducting, options)
    expect(whole.document.kickoffs).toBe(kickoffs())
    expect(kickoffs()).toBeLessThanOrEqual(60)
    // As if it had been killed in the first rung, which may take 20 of the 60.
    const trials = join(whole.folder!, 'trials.ndjson')
    const lines = (await readFile(trials, 'utf8')).split('\n')
    const first = lines.findIndex((line) =>
      line.startsWith('{"key":"1 connection, pass 1","reserved"'),
    )
    expect(lines[first]).toContain('"reserved":{"requests":20,"kickoffs":20}')
    await writeFile(trials, lines.slice(0, first + 1).join('\n'))
    const before = kickoffs()
    const { document } = await resumed(whole.folder!, token)
    // A third of the 40 that are left, and then not enough for two connections.
    expect([document.ended, connectionsOf(document)]).toEqual(['budget', [1]])
    expect([document.kickoffs, kickoffs() - before]).toEqual([33, 13])
  })
})
