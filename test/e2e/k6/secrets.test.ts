/** Tokens and header values reach k6 by its environment alone. */
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { bundleForK6 } from '../../../src/run/k6/bundle.ts'
import { preparePlan } from '../../../src/run/plan/prepare.ts'
import { startFakeCli, temporaryFolder } from '../../support/cli.ts'
import { MINE, scenarioIn, started, underWay } from '../../support/k6/run.ts'
import { k6OrSkip } from '../../support/k6/k6.ts'

const k6 = await k6OrSkip('the tests of secrets in k6')
const execute = promisify(execFile)

describe.skipIf(k6 === null)('a secret in a run in k6', () => {
  test.each([1, 2])(
    'of %i processes is in no script, console, artefact or command line',
    async (n) => {
      await using folder = await temporaryFolder()
      const token = 'sesame-4711-open'
      const header = 'swordfish-header'
      const env = { CREWLOAD_FAKE_TOKEN: token, CREWLOAD_FAKE_USER_TOKEN: `${token}-user` }
      const fake = await startFakeCli(['--profile', 'fast'], { env })
      const scenario = await scenarioIn(folder.path, MINE)
      const secretive = ['--header', `x-api-key: ${header}`, '--out', join(folder.path, 'out')]
      const one = ['run', scenario, '--engine', 'k6']
      const words = [...one, '--instances', String(n), '--target', fake.url, ...secretive]
      await using run = started(words, { CREWLOAD_TOKEN: token })
      await underWay(folder.path)
      const commandLines = await commandLinesBelow(run.child.pid!)
      const during = await everythingBelow(join(folder.path, 'out'))
      const { code, stdout, stderr } = await run.result
      await fake.stop()
      const after = await everythingBelow(join(folder.path, 'out'))
      expect(code).toBe(0)
      expect(commandLines.match(/--console-output=/g)).toHaveLength(n)
      expect(during).toContain('"type":"started"')
      for (const text of [commandLines, during, after, stdout, stderr]) {
        expect(text).not.toContain(token)
        expect(text).not.toContain(header)
      }
    },
  )

  test('is in no archive of the script, even when it is made with the secrets around', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path, MINE)
    const headers = { 'x-api-key': 'swordfish-header' }
    const plan = await preparePlan(scenario, { profile: 'fast', headers })
    const { code } = await bundleForK6(plan, { scenario, vus: 1 })
    const script = join(folder.path, 'crewload.js')
    await writeFile(script, code)
    const secrets = {
      CREWLOAD_TOKEN: 'sesame-4711',
      CREWLOAD_HEADERS: 'x-api-key: swordfish-header',
    }
    const env = { ...process.env, ...secrets, CREWLOAD_TARGET: 'http://127.0.0.1:1' }
    const archive = join(folder.path, 'archive.tar')
    await execute(k6!.path, ['archive', '--archive-out', archive, script], { env })
    const text = await readFile(archive, 'latin1')
    expect(text).toContain('x-api-key')
    expect(text).not.toMatch(/sesame-4711|swordfish/)
  })
})

/** Of every child: k6, and what watches it. */
async function commandLinesBelow(pid: number): Promise<string> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  const pids = children.trim().split(' ')
  const lines = pids.map(async (child) =>
    readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => ''),
  )
  return (await Promise.all(lines)).join('\n')
}

async function everythingBelow(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const texts = files.map(async (file) => readFile(join(file.parentPath, file.name), 'utf8'))
  return (await Promise.all(texts)).join('\n')
}
