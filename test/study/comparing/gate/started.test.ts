/** Gates whose targets are started by commands. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { readStudyRecipe } from '../../../../src/study/frame/conduct/recipe.ts'
import type { GateDocument } from '../../../../src/study/comparing/gate/document.ts'
import { cli } from '../../../support/cli.ts'
import { sharedFolder } from '../../../support/shared-folder.ts'
import { freePort } from '../../../support/targets/loopback.ts'

const CREWLOAD = fileURLToPath(new URL('../../../../dist/bin/crewload.js', import.meta.url))

const SCENARIO = `
import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'started',
  arrivals: { rate: '40/s', for: '300ms' },
  inputs: { topic: 'bees' },
  polling: { fixed: '20ms' },
  deadline: '20s',
  confirm: 0,
  validity: { lateness: '10s', utilisation: 1, little: 1 },
})
`

const crewOf = (failures: string): string => `
name: made up
inputs: [topic]
tasks: [{ id: work, agent: Worker, duration: 80ms, output: 100B, failure: { chance: ${failures}, message: no bees } }]
capacity: { workers: unlimited }
`

const path = sharedFolder()
beforeAll(async () => {
  await writeFile(path('scenario.ts'), SCENARIO)
  await writeFile(path('base.yaml'), crewOf('0%'))
  await writeFile(path('ill.yaml'), crewOf('100%'))
})

async function gate(args: readonly string[]): ReturnType<typeof cli> {
  const fixed = ['gate', 'scenario.ts', '--out', 'out', '--json']
  const env = { CREWLOAD_TOKEN: 'of-the-crew', CREWLOAD_FAKE_TOKEN: 'of-the-crew' }
  return cli([...fixed, ...args], { cwd: path(), env })
}

test('both sides take turns at one address', { timeout: 120_000 }, async () => {
  const port = await freePort()
  const starting = (side: string, profile: string): string =>
    `echo ${side} >> order; exec "${process.execPath}" "${CREWLOAD}" fake --port ${port} --profile ${profile}`
  const commands = ['--start', starting('new', 'ill.yaml')]
  commands.push('--baseline-start', starting('base', 'base.yaml'))
  const args = ['--target', `http://127.0.0.1:${port}`, '--runs', '3']
  const { code, stdout, stderr } = await gate([...args, ...commands])
  expect(stderr).not.toContain('crewload:')
  expect(code).toBe(1)
  const document = JSON.parse(stdout) as GateDocument
  expect(document.verdict.sentence).toMatch(/^Over 3 and 3 runs, execution\.failed rose by 100 /)
  expect(document.pairs.map(({ first }) => first)).toEqual(['base', 'new', 'base'])
  const order = await readFile(path('order'), 'utf8')
  expect(order.trim().split('\n')).toEqual(['base', 'new', 'new', 'base', 'base', 'new'])
  const [name = ''] = await readdir(path('out'))
  const folder = path('out', name)
  expect(await readFile(join(folder, 'new-start.log'), 'utf8')).toContain('Fake crew "ill.yaml"')
  expect((await readStudyRecipe(folder))?.asked.options).toMatchObject({
    start: commands[1],
    baselineStart: commands[3],
  })
  await expect(fetch(`http://127.0.0.1:${port}/inputs`)).rejects.toThrow('fetch failed')
})

test('a command that brings no target ends the gate with its words and exit code 5', async () => {
  const port = await freePort()
  const args = ['--target', `http://127.0.0.1:${port}`, '--start', 'echo no model >&2; exit 7']
  const { code, stderr } = await gate([...args, '--baseline', 'kept', '--runs', '3'])
  expect(code).toBe(5)
  expect(stderr).toContain(
    `crewload: http://127.0.0.1:${port}/: the command that starts it ended with exit code 7 ` +
      'before the target answered (found no model)\n',
  )
})

test('what does not go together is told at once', async () => {
  const { code, stderr } = await gate(['--profile', 'base.yaml', '--start', ' '])
  expect(code).toBe(2)
  expect(stderr).toContain('--baseline: give one baseline')
  expect(stderr).toContain('--start: expected a command')
  expect(stderr).toContain('--start: needs --target')
  const target = ['--target', 'http://127.0.0.1:9']
  const alone = await gate([...target, '--baseline-start', 'serve'])
  expect([alone.code, alone.stderr]).toEqual([
    2,
    expect.stringContaining('--baseline-start: needs --start, or a --baseline-target other than'),
  ])
})
