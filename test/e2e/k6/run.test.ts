/** `--engine k6` for real: the built command line, k6 itself and a fake crew. */
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/result/document.ts'
import { bundleForK6 } from '../../../src/run/k6/bundle.ts'
import { prepare } from '../../../src/run/plan/prepare.ts'
import { loaded } from '../../../src/run/scenario/load.ts'
import {
  cli,
  everythingBelow,
  startFakeCli,
  temporaryFolder,
  documentOf,
} from '../../support/cli.ts'
import {
  k6Below,
  k6Words,
  LONG,
  MINE,
  runFolder,
  scenarioIn,
  started,
  underWay,
} from '../../support/k6/run.ts'
import { k6OrSkip } from '../../support/k6/k6.ts'

const execute = promisify(execFile)

const k6 = await k6OrSkip('the tests of --engine k6')

describe.skipIf(k6 === null)('a run in k6', () => {
  test.each(['1', '3'])('with %s VUs does every arrival, and the ledger agrees', async (vus) => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path, MINE)
    const result = await cli([...k6Words(scenario, folder.path), '--k6-vus', vus, '--json'])
    expect(result.stderr).toBe('')
    const document = documentOf(result)
    expect(result.code).toBe(0)
    expect(document.run).toMatchObject({ engine: 'k6', instances: Number(vus), stopped: null })
    expect(document.outcomes.completed).toBe(document.arrivals)
    expect(document.arrivals).toBeGreaterThan(20)
    expect(document.ledger!.disagreements).toEqual([])
    expect(document.ledger!.endIntervals.contained).toBe(document.arrivals)
    expect(document.tags).toHaveProperty(['third=2'])
    expect(await readdir(await runFolder(folder.path))).not.toContain('k6-console.ndjson')
  })

  test('takes rows of a file and a replay of the run before', async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'rows.csv'), 'topic,audience\nbees,all\nants,few\n')
    const rows = MINE.replace(/inputs: \(.*\n/, "inputs: { rows: 'rows.csv' },\n")
    const first = await cli([
      ...k6Words(await scenarioIn(folder.path, rows), folder.path),
      '--json',
    ])
    expect(first.code).toBe(0)
    const replay = rows.replace(
      /arrivals: .*\n/,
      `arrivals: { replay: ${JSON.stringify(await runFolder(folder.path))} },\n`,
    )
    const again = await cli([
      ...k6Words(await scenarioIn(folder.path, replay), folder.path),
      '--json',
    ])
    expect(again.stderr).toBe('')
    expect(documentOf(again).arrivals).toBe(documentOf(first).arrivals)
    expect(documentOf(again).verdict.outcome).toBe('passed')
  })

  test('spends its budget to the last kickoff and no further', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(folder.path, MINE)
    const budget = ['--k6-vus', '3', '--max-kickoffs', '10', '--json']
    const result = await cli([...k6Words(scenario, folder.path), ...budget])
    const { ledger, outcomes, arrivals } = documentOf(result)
    expect(ledger!.rows).toBe(10)
    expect(outcomes).toMatchObject({ completed: 10, notReached: arrivals - 10 })
  })
})

const METERED = `
name: metered
inputs: [topic, audience]
tasks:
  - id: work
    agent: Worker
    duration: 50ms
    output: 9B
    tokens: { input: { uniform: { min: 1000, max: 9000 } }, output: 100, cached: 25% }
usage: { chance: 0.9, model: gpt-x }
capacity: { workers: unlimited }
`

describe.skipIf(k6 === null)('the tokens of executions in k6', () => {
  const priced = MINE.replace(
    'thresholds: {',
    'prices: { input: 2, output: 10, cached: 1 },\n  thresholds: {',
  )
  const runOf = async (more: readonly string[]): Promise<ResultDocument> => {
    await using folder = await temporaryFolder()
    const profile = join(folder.path, 'metered.yaml')
    await writeFile(profile, METERED)
    const words = k6Words(await scenarioIn(folder.path, priced), folder.path)
    const place = words.map((word) => (word === 'fast' ? profile : word))
    return documentOf(await cli([...place, '--k6-vus', '2', ...more, '--json']))
  }

  test('are those that the same run has in virtual time, with their cost', async () => {
    const { usage, metrics } = await runOf([])
    await using folder = await temporaryFolder()
    const profile = join(folder.path, 'metered.yaml')
    await writeFile(profile, METERED)
    const scenario = await scenarioIn(folder.path, priced)
    const place = ['run', scenario, '--profile', profile, '--engine', 'virtual']
    const virtual = documentOf(await cli([...place, '--out', folder.path, '--json']))
    const [total] = usage!.parts
    expect(total!.reported).toBeLessThan(total!.executions)
    expect(total!.priced).toBe(total!.reported)
    expect(total!.tokens.output).toBe(total!.reported * 100)
    expect(total!.tokens.input).toBeLessThan(usage!.ledger!.tokens.input!)
    const { input, cached, output } = total!.tokens
    expect(total!.cost).toBeCloseTo(((input! - cached!) * 2 + cached! + output! * 10) / 1e6, 4)
    expect(usage!.ledger).toEqual(virtual.usage!.ledger)
    expect(metrics['cost.total']).toMatchObject({ value: null, low: total!.cost })
    expect(metrics['cost.execution.p50']!.value).toBeGreaterThan(0)
  })

  test('count against the budget of cost, of which each VU has its share', async () => {
    const { usage, outcomes, arrivals } = await runOf(
      '--max-cost 0.35 --cost-per-kickoff 0.03'.split(' '),
    )
    const [total] = usage!.parts
    // An execution costs 0.01: by the estimate alone, 11 would be allowed.
    expect(total!.executions).toBeGreaterThan(13)
    expect(outcomes.notReached).toBe(arrivals - total!.executions)
    const others = total!.executions - total!.priced
    expect(total!.cost! + others * 0.03).toBeLessThanOrEqual(0.35 + 1e-6)
  })
})

describe.skipIf(k6 === null)('what goes wrong in k6', () => {
  test('a script that throws in mid-run: INVALID, with its words and place, and what was measured', async () => {
    await using folder = await temporaryFolder()
    const boom = "if (index === 20) setTimeout(() => { throw new Error('boom') }, 1)\n    return"
    const thrower = MINE.replace('=> ({ topic', `=> {\n    ${boom} ({ topic`).replace(
      "'b']) }),",
      "'b']) }) },",
    )
    const scenario = await scenarioIn(folder.path, thrower)
    const result = await cli([...k6Words(scenario, folder.path), '--json'])
    const document = documentOf(result)
    expect(result.code).toBe(3)
    expect(result.stderr).toContain('k6: Error: boom')
    expect(result.stderr).toMatch(/mine\.ts:7:\d+/)
    expect(document.verdict.reasons.map(({ code }) => code)).toContain('records')
    expect(document.findings.map(({ message }) => message).join('\n')).toMatch(
      /k6 said: Error: boom/,
    )
    expect(document.run.stopped).toBe('crashed')
    expect(await readdir(await runFolder(folder.path))).toContain('report.html')
  })

  test('a script that k6 cannot start: exit 2 with the place, nothing sent, no folder left', async () => {
    await using folder = await temporaryFolder()
    const intl = MINE.replace(
      'export default',
      "const words = new Intl.NumberFormat('en')\nexport default",
    )
    const scenario = await scenarioIn(folder.path, intl)
    const result = await cli(k6Words(scenario, folder.path))
    expect(result.code).toBe(2)
    expect(result.stderr).toMatch(
      /exit code 107: its script threw.*Intl is not defined.*mine\.ts:3:\d+/,
    )
    expect(await readdir(folder.path)).not.toContain('out')
  })

  test('functions that need what k6 lacks: exit 2 with their names and places, nothing sent', async () => {
    await using folder = await temporaryFolder()
    const lacking = MINE.replace(
      '`topic ${index}`',
      "new Intl.NumberFormat('en').format(index)",
    ).replace("output !== ''", "new URL('http://x/').pathname !== output")
    const result = await cli(k6Words(await scenarioIn(folder.path, lacking), folder.path))
    expect(result.code).toBe(2)
    expect(result.stderr).toMatch(
      /inputs: ReferenceError: Intl is not defined \(\S*mine\.ts:6:\d+\): k6's JavaScript engine has no Intl/,
    )
    expect(result.stderr).toMatch(
      /checks\.says something: ReferenceError: URL is not defined \(\S*mine\.ts:10:\d+\): k6's JavaScript engine has no URL/,
    )
    expect(await readdir(folder.path)).not.toContain('out')
  })

  test('functions that fail in mid-run: INVALID, with the places in the file of the author', async () => {
    await using folder = await temporaryFolder()
    const late = MINE.replace(
      'topic: `',
      'topic: index === 7 ? structuredClone(index) : `',
    ).replace(
      "inputs.topic !== ''",
      "(inputs.audience === 'a' || new URL('http://x/').pathname !== '')",
    )
    const scenario = await scenarioIn(folder.path, late)
    const result = await cli([...k6Words(scenario, folder.path), '--json'])
    expect(result.code).toBe(3)
    const { verdict, checks } = documentOf(result)
    const reason = verdict.reasons.find(({ code }) => code === 'scenario')
    expect(reason?.message).toMatch(
      /checks\.says something failed for \d+ of \d+ executions.*URL is not defined \(\S*mine\.ts:10:\d+\)/,
    )
    expect(reason?.message).toMatch(
      /inputs failed for 1 of \d+ arrivals.*arrival 7: .*mine\.ts:6:\d+/,
    )
    expect(checks).toMatchObject([{ failed: 0 }])
  })

  test('a module of Node: exit 2 with the place of the import, before anything is started', async () => {
    await using folder = await temporaryFolder()
    const scenario = await scenarioIn(
      folder.path,
      `import { hostname } from 'node:os'\n${MINE.replace('`topic', '`${hostname()}')}`,
    )
    const result = await cli(k6Words(scenario, folder.path))
    expect(result.code).toBe(2)
    expect(result.stderr).toMatch(
      /mine\.ts:1:\d+: "node:os" is a Node module, which k6 does not have/,
    )
    expect(result.stderr.trim().split('\n')).toHaveLength(1)
  })

  test('k6 killed in mid-run: INVALID and named, what was measured is kept', async () => {
    await using folder = await temporaryFolder()
    await using run = started([
      ...k6Words(await scenarioIn(folder.path, LONG), folder.path),
      '--json',
    ])
    await underWay(folder.path)
    process.kill(await k6Below(run.child.pid!), 'SIGKILL')
    const result = await run.result
    const document = documentOf(result)
    expect(result.code).toBe(3)
    expect(document.run.stopped).toBe('crashed')
    expect(document.outcomes.completed).toBeGreaterThan(0)
    expect(document.findings.map(({ message }) => message).join('\n')).toContain(
      'k6 was ended by SIGKILL',
    )
    // Its fake crew has ended with the run: there is nothing left to resume.
    expect(result.stderr).not.toContain('crewload resume')
  })
})

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
    const plan = await prepare(loaded(scenario), { profile: 'fast', headers })
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
