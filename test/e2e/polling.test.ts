/** `crewload polling`, as a user types it, with the words that scripts read. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { polling as scenarioPolling } from '../../src/scenario/schema/polling.ts'
import type { PollingDocument } from '../../src/study/polling/document.ts'
import { pollingSchema } from '../../src/study/polling/document.ts'
import { cli, finished, startCli, temporaryFolder } from '../support/cli.ts'

const PROFILE = ['polling', '--profile', 'default', '--executions']

describe('the words of scripts', () => {
  test('--json has every promised field, and follows the published schema', async () => {
    await using folder = await temporaryFolder()
    const wish = ['--delay', 'p95 < 9s', '--poll-price', '1', '--delay-price', '2']
    const args = [...PROFILE, '200', ...wish, '--json', '--quiet', '--out', folder.path]
    const { code, stdout, stderr } = await cli(args)
    expect([code, stderr]).toEqual([0, ''])
    const document = JSON.parse(stdout) as PollingDocument
    expect(await issuesOf(document)).toEqual([])
    expect(document).toMatchObject({
      schema: 'crewload/polling/1',
      study: 'polling',
      tool: { name: 'crewload' },
      verdict: { outcome: 'answered', sentence: expect.any(String) as string, reasons: [] },
      target: 'virtual time',
      profile: 'fake crew "default"',
      scenario: 'steady',
      ended: 'complete',
      budget: { requests: null, kickoffs: null },
    })
    for (const field of ['seed', 'requests', 'kickoffs', 'durationMs'] as const) {
      expect([field, typeof document[field]]).toEqual([field, 'number'])
    }
    const { recommended, current, front } = document
    expect(front.length).toBeGreaterThan(2)
    for (const { polling, pollsPerExecution, detectionDelayMs } of [
      recommended!,
      current!,
      ...front,
    ]) {
      expect(scenarioPolling.safeParse(polling).error).toBeUndefined()
      const { value, low, high } = pollsPerExecution
      expect([low <= value, value <= high]).toEqual([true, true])
      const { p50, p95, mean, low: least, high: most } = detectionDelayMs!
      expect([least <= p95, p95 <= most, p50 <= p95, mean > 0]).toEqual([true, true, true, true])
    }
    expect(recommended!.detectionDelayMs!.high).toBeLessThan(9_000)
    const { value } = recommended!.pollsPerExecution
    expect(recommended!.cost).toBeCloseTo(value + (2 * recommended!.detectionDelayMs!.mean) / 1_000)
  })

  test.each([
    ['1: a quota that no strategy keeps', ['--max-polls', '1/m'], 1, 'impossible'],
    ['0: prices', ['--poll-price', '1', '--delay-price', '2'], 0, 'answered'],
  ])('exit code %s', async (_, wish, expected, outcome) => {
    await using folder = await temporaryFolder()
    const { code, stdout } = await cli([...PROFILE, '100', ...wish, '--json', '--out', folder.path])
    const document = JSON.parse(stdout) as PollingDocument
    expect([code, document.verdict.outcome]).toEqual([expected, outcome])
    expect(await issuesOf(document)).toEqual([])
  })

  test('exit code 5: nobody is there', async () => {
    await using folder = await temporaryFolder()
    const args = ['polling', '--target', 'http://127.0.0.1:1', '--out', folder.path]
    const env = { CREWLOAD_TOKEN: 'sesame' }
    const { code, stdout, stderr } = await cli(args, { env })
    expect([code, stdout]).toEqual([5, ''])
    expect(stderr).toContain('cannot be reached')
    expect(stderr).not.toContain('sesame')
  })
})

test('mistakes are told at once, with what was written: exit code 2', async () => {
  const ofRun = ['--set', 'deadline=9s', '--token-file', 'tokens', '--ca', 'ca.pem', '--insecure']
  const numbers = ['--poll-price', 'abc', '--delay-price', '', '--executions', '1e999']
  const args = ['polling', 'no-such-run', ...ofRun, '--header', 'x-key: hush', ...numbers]
  const { code, stdout, stderr } = await cli(args)
  expect([code, stdout]).toEqual([2, ''])
  const problem = 'goes with --profile or --target: run folders are read, and nothing is sent'
  for (const line of [
    `--set deadline: ${problem} (found 9s)`,
    `--token-file: ${problem} (found tokens)`,
    `--ca: ${problem} (found ca.pem)`,
    `--insecure: ${problem}`,
    `--header x-key: ${problem}`,
    '--poll-price: expected a number above 0 (found "abc")',
    '--delay-price: expected a number above 0 (found "")',
    '--executions: expected a whole number from 50 to 20000 (found "1e999")',
    'no-such-run',
  ]) {
    expect(stderr).toContain(line)
  }
  expect(stderr).not.toContain('hush')
})

/** Of the schema that `crewload schema polling` prints. */
async function issuesOf(document: PollingDocument): Promise<unknown[]> {
  const ajv = new Ajv2020({ strict: true, allErrors: true })
  addFormats.default(ajv)
  const { stdout } = await cli(['schema', 'polling'])
  const validate = ajv.compile(JSON.parse(stdout) as object)
  validate(document)
  return validate.errors ?? []
}

test('the terminal says the setting first, in 80 columns; the folder has every report', async () => {
  await using folder = await temporaryFolder()
  const { code, stdout } = await cli([...PROFILE, '300', '--out', 'out'], {
    env: { COLUMNS: '80' },
    cwd: folder.path,
  })
  expect(code).toBe(0)
  const [study = ''] = await readdir(join(folder.path, 'out'))
  expect(study).toMatch(/^steady-polling-\d{8}T\d{6}Z$/)
  const shown = stdout.replaceAll(study, 'steady-polling-TIME')
  expect(shown).toMatchSnapshot()
  expect(stdout.split('\n').filter((line) => line.length > 80 && !line.includes('/'))).toEqual([])
  const read = async (name: string): Promise<string> =>
    readFile(join(folder.path, 'out', study, name), 'utf8')
  const page = await read('report.html')
  expect(page).toContain('<title>✓ ANSWERED')
  const { recommended } = JSON.parse(await read('polling.json')) as PollingDocument
  expect(page).toContain(recommended!.words)
  expect(await read('summary.md')).toMatch(/^## ✓ ANSWERED: polling/)
  expect(await read('junit.xml')).toContain('testcase name="polling strategy"')
})

test('Ctrl-C in a study of polling: 130, a folder with what is known, and resume answers', async () => {
  await using folder = await temporaryFolder()
  const args = ['polling', '--profile', 'default', '--executions', '3000', '--out', folder.path]
  const child = startCli([...args, '--json'])
  const result = finished(child)
  const study = async (): Promise<string> => join(folder.path, (await readdir(folder.path))[0]!)
  // Ctrl-C ends a process at once until its study has begun, right after that file was written.
  const begunMs = async (): Promise<number> =>
    study()
      .then(async (path) => stat(join(path, 'trials.ndjson')))
      .then(({ mtimeMs }) => Date.now() - mtimeMs)
      .catch(() => 0)
  await expect.poll(begunMs, { timeout: 20_000, interval: 20 }).toBeGreaterThan(100)
  child.kill('SIGINT')
  const { code, stdout, stderr } = await result
  const cut = pollingSchema.parse(JSON.parse(stdout))
  expect([code, cut.ended]).toEqual([130, 'interrupted'])
  expect(stderr).toContain(`crewload resume ${await study()}`)
  const files = ['polling.json', 'report.html', 'summary.md', 'junit.xml']
  expect(await readdir(await study())).toEqual(expect.arrayContaining(files))
  const resumed = await cli(['resume', await study(), '--json'])
  const document = pollingSchema.parse(JSON.parse(resumed.stdout))
  expect([resumed.code, document.ended, document.id]).toEqual([0, 'complete', cut.id])
  expect(document.verdict.outcome).toBe('answered')
  expect(document.source.ended).toBeGreaterThan(2_500)
})
