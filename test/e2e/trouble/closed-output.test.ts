/** Output that nobody takes: a closed pipe ends no run, and a full disk is said. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FakeCrew } from 'crewload/fake-crew'
import { finished, startCli, temporaryFolder } from '../../support/cli.ts'
import { begun, recordsOf, linesIn, scenarioIn, slowToAnswer } from '../../support/killed-run.ts'

const MAIN = fileURLToPath(new URL('../../../dist/bin/crewload.js', import.meta.url))

let crew: FakeCrew
beforeAll(async () => {
  crew = await slowToAnswer()
})
afterAll(async () => crew.stop())

test('a run whose words nobody hears goes on to its end', async () => {
  await using root = await temporaryFolder()
  const out = join(root.path, 'out')
  const scenario = await scenarioIn(root.path)
  const words = ['run', scenario, '--target', crew.url, '--out', out]
  const child = startCli(words, { env: { CREWLOAD_TOKEN: crew.token } })
  child.stderr?.destroy()
  child.stdout?.destroy()
  const gone = once(child, 'exit')
  const folder = await begun(out)
  // It answers on stderr.
  child.kill('SIGINT')
  expect(await gone).toEqual([130, null])
  const lines = await linesIn(folder)
  expect(lines.at(-1)?.type).toBe('finished')
  expect(recordsOf(lines).size).toBeGreaterThan(0)
})

test.runIf(process.platform === 'linux')(
  'a result that a full disk cut is not passed',
  async () => {
    await using full = await open('/dev/full', 'w')
    const words = [MAIN, 'schema', 'result']
    const child = spawn(process.execPath, words, { stdio: ['ignore', full.fd, 'pipe'] })
    const { code, stderr } = await finished(child)
    expect(code).toBe(3)
    expect(stderr).toMatch(/crewload: the output could not be written: .*ENOSPC/)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  },
)
