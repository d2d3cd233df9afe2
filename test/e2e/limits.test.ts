/** `crewload limits`, as a user types it; and what neither it nor `crewload polling` sends. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { LimitsDocument } from '../../src/study/limits/document.ts'
import { limitsSchema } from '../../src/study/limits/document.ts'
import type { Finished } from '../support/cli.ts'
import { cli, finished, startCli, startFakeCli, temporaryFolder } from '../support/cli.ts'

const CREW = `tasks:
  - { id: work, agent: Worker, duration: 20s, output: 100B }
limits:
  rules:
    - { name: polls, operations: [status], slidingLog: { limit: 30, window: 10s } }
    - { name: names, operations: [inputs], per: all, tokenBucket: { rate: 5/s, capacity: 20 } }
`

describe('limits of a crew in virtual time', () => {
  test('the terminal says what is safe first, in 80 columns; the folder has the page', async () => {
    await using folder = await temporaryFolder()
    const profile = join(folder.path, 'crew.yaml')
    await writeFile(profile, CREW)
    const { code, stdout, stderr } = await cli(
      ['limits', '--profile', profile, '--sustain', '0s', '--out', folder.path],
      { env: { COLUMNS: '80' } },
    )
    expect(code).toBe(0)
    const study = (await readdir(folder.path)).find((name) => name !== 'crew.yaml') ?? ''
    expect(study).toMatch(/^limits-\d{8}T\d{6}Z$/)
    const shown = stdout.replaceAll(folder.path, 'OUT').replaceAll(study, 'limits-TIME')
    expect(shown).toMatchSnapshot()
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.includes('/'))).toEqual([])
    expect(stderr).toContain('status: ')
    const page = await readFile(join(folder.path, study, 'report.html'), 'utf8')
    expect(page).toContain('30 requests in 10.0 s, by a sliding log')
    const text = await readFile(join(folder.path, study, 'limits.json'), 'utf8')
    const { operations } = JSON.parse(text) as LimitsDocument
    // The page's picture of inputs begins with its own experiments, not with the greeting.
    expect(operations.inputs!.evidence[0]!.atMs).toBeLessThan(0)
    expect(operations.inputs!.evidence.some(({ atMs }) => atMs === 0)).toBe(true)
  })

  test('--json prints the document alone, and a budget that ends is exit code 4', async () => {
    await using folder = await temporaryFolder()
    const profile = join(folder.path, 'crew.yaml')
    await writeFile(profile, CREW)
    const args = ['limits', '--profile', profile, '--max-requests', '40', '--json']
    const { code, stdout } = await cli([...args, '--out', folder.path])
    expect(code).toBe(4)
    const document: unknown = JSON.parse(stdout)
    expect(limitsSchema.safeParse(document).error).toBeUndefined()
    expect((document as LimitsDocument).requests).toBeLessThanOrEqual(40)
    expect((document as LimitsDocument).verdict.outcome).toBe('cannot-tell')
  })
})

/** Interrupted as soon as it has told of an experiment. */
async function interruptedOnce(args: readonly string[], token: string): Promise<Finished> {
  const child = startCli(args, { env: { CREWLOAD_TOKEN: token } })
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    if (!said.includes('so far') && (said + text).includes('so far')) child.kill('SIGINT')
    said += text
  })
  return await finished(child)
}

test('Ctrl-C says what it does, of the study and of its resumption', async () => {
  await using folder = await temporaryFolder()
  const profile = join(folder.path, 'crew.yaml')
  await writeFile(profile, CREW)
  const crew = await startFakeCli(['--profile', profile])
  try {
    const out = join(folder.path, 'out')
    const args = ['limits', '--target', crew.url, '--operations', 'inputs', '--out', out]
    const begun = await interruptedOnce(args, crew.token)
    const [study = ''] = await readdir(out)
    const resumed = await interruptedOnce(['resume', join(out, study)], crew.token)
    for (const { code, stderr } of [begun, resumed]) {
      expect(code).toBe(130)
      expect(stderr).toContain('the study ends here; what is known is reported')
      expect(stderr.match(/so far/g)).toHaveLength(1)
    }
  } finally {
    await crew.stop()
  }
})

describe('nothing is sent', () => {
  test.each([
    ['limits', 'plan-of-a-profile', ['--profile', 'rate-limited', '--engine', 'virtual']],
    ['limits', 'plan-of-a-target', ['--target', 'http://127.0.0.1:9', '--kickoffs', '3']],
    ['polling', 'plan-of-a-profile', ['--profile', 'fast', '--delay', 'p95 < 5s']],
  ])('by the dry run of %s, %s', async (command, _, args) => {
    const env = { CREWLOAD_TOKEN: 'sesame' }
    const { code, stdout } = await cli([command, ...args, '--dry-run'], { env })
    expect(code).toBe(0)
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(stdout).toMatchSnapshot('plan')
  })

  test.each([
    ['limits', 'nowhere-to-go', []],
    ['limits', 'an-operation-that-is-none', ['--profile', 'fast', '--operations', 'status,polls']],
    [
      'limits',
      'many-at-once',
      [
        '--target',
        'http://127.0.0.1:9',
        '--operations',
        'inputs,kickoff',
        '--max-requests',
        '5',
      ].concat(['--kickoff-id', 'a']),
    ],
    ['limits', 'a-target-beside-runs', ['--from', 'a', '--target', 'http://127.0.0.1:9']],
    ['polling', 'nothing-to-learn-from', []],
    ['polling', 'many-at-once', ['--profile', 'fast', '--max-polls', 'many', '--delay', 'p99 < 5']],
    ['polling', 'half-a-price', ['--profile', 'fast', '--poll-price', '1']],
    [
      'polling',
      'nonsense',
      ['a', '--profile', 'none.yaml', '--executions', '7', '--max-polls', '0/m'].concat([
        '--delay',
        '5s',
        '--poll-price',
        '0',
        '--delay-price',
        'dear',
      ]),
    ],
    [
      'polling',
      'limits-beside-a-quota',
      ['--profile', 'fast', '--limits', 'nowhere', '--max-polls', '1/s'],
    ],
    ['polling', 'limits-of-no-folder', ['--profile', 'fast', '--limits', 'nowhere']],
    ['polling', 'an-unknown-profile', ['--profile', 'none', '--max-polls', 'many']],
  ])('by a mistake of %s, %s', async (command, _, args) => {
    const env = { CREWLOAD_TOKEN: 'sesame' }
    const { code, stdout, stderr } = await cli([command, ...args], { env })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatchSnapshot('refusal')
  })
})
