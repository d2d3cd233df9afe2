/** Gates whose targets are started by commands. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { EXIT } from '../../../../src/cli/exit-codes.ts'
import { conducting } from '../../../../src/study/comparing/gate/conduct/conduct.ts'
import type { GateOptions } from '../../../../src/study/comparing/gate/options.ts'
import { gate } from '../../../../src/study/comparing/gate/study.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'
import { readStudyRecipe } from '../../../../src/study/frame/conduct/recipe.ts'
import { sharedFolder } from '../../../support/shared-folder.ts'
import { freePort } from '../../../support/targets/loopback.ts'

/** Serves a crew until it is ended: its port, and its profile. */
const SERVER = `
import { startFakeCrew } from ${JSON.stringify(new URL('../../../../dist/fake-crew/index.js', import.meta.url).href)}
const [port, profile] = process.argv.slice(2)
await startFakeCrew({ port: Number(port), profile, token: 'of-the-crew' })
console.log('crew of', profile)
`

const SCENARIO = {
  name: 'started',
  arrivals: { rate: '40/s', for: '300ms' },
  inputs: { topic: 'bees' },
  polling: { fixed: '20ms' },
  deadline: '20s',
  confirm: 0,
  validity: { lateness: '10s', utilisation: 1, little: 1 },
}

const crewOf = (failures: string): string => `
name: made up
inputs: [topic]
tasks: [{ id: work, agent: Worker, duration: 80ms, output: 100B, failure: { chance: ${failures}, message: no bees } }]
capacity: { workers: unlimited }
`

const path = sharedFolder()
beforeAll(async () => {
  await writeFile(path('scenario.json'), JSON.stringify(SCENARIO))
  await writeFile(path('crew.mjs'), SERVER)
  await writeFile(path('base.yaml'), crewOf('0%'))
  await writeFile(path('ill.yaml'), crewOf('100%'))
})

const optionsOf = (run: GateOptions['run'], asked: Partial<GateOptions>): GateOptions => ({
  scenario: path('scenario.json'),
  out: path('out'),
  ...asked,
  run: { tokens: ['of-the-crew'], ...run },
})

test('both sides take turns at one address', { timeout: 120_000 }, async () => {
  const port = await freePort()
  const starting = (side: string, crew: string): string =>
    `echo ${side} >> "${path('order')}"; ` +
    `exec "${process.execPath}" "${path('crew.mjs')}" ${port} "${path(crew)}"`
  const commands = {
    start: starting('new', 'ill.yaml'),
    baselineStart: starting('base', 'base.yaml'),
  }
  const target = `http://127.0.0.1:${port}`
  const asked = optionsOf({ target }, { runs: 3, ...commands })
  const { document, folder } = await conductStudy(conducting, asked)
  expect(EXIT[gate.exit(document)]).toBe(1)
  expect(document.verdict.sentence).toMatch(/^Over 3 and 3 runs, execution\.failed rose by 100 /)
  expect(document.pairs.map(({ first }) => first)).toEqual(['base', 'new', 'base'])
  const order = await readFile(path('order'), 'utf8')
  expect(order.trim().split('\n')).toEqual(['base', 'new', 'new', 'base', 'base', 'new'])
  expect(await readFile(join(folder!, 'new-start.log'), 'utf8')).toContain('ill.yaml')
  expect((await readStudyRecipe(folder!))?.asked.options).toMatchObject(commands)
  await expect(fetch(`${target}/inputs`)).rejects.toThrow('fetch failed')
})

test('a blank command is none', async () => {
  const asked = optionsOf({ target: 'http://127.0.0.1:9' }, { start: ' ' })
  await expect(conductStudy(conducting, asked)).rejects.toThrow('--start: expected a command')
})

test('a command that brings no target ends the gate with its words and exit code 5', async () => {
  const target = `http://127.0.0.1:${await freePort()}`
  const start = 'echo no model >&2; exit 7'
  const asked = optionsOf({ target }, { start, baseline: path('kept'), runs: 3 })
  const failed = await conductStudy(conducting, asked).catch((error: unknown) => error)
  expect(failed).toMatchObject({
    exitCode: 5,
    message:
      `${target}/: the command that starts it ended with exit code 7 ` +
      'before the target answered (found no model)',
  })
})
