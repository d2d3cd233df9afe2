/**
 * The commands of studies, as a user types them: the answer on the terminal and in the folder, the
 * plan, the mistakes, a target where nobody is, and every command that takes a profile, on a twin.
 */
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../fake-crew/index.ts'
import { LISTED } from '../../src/study/list.ts'
import { areExperimentsRun } from '../experiments.ts'
import type { Finished } from '../support/cli.ts'
import { cli, finished, folderIn, startCli, temporaryFolder } from '../support/cli.ts'
import { PACED } from '../support/studies.ts'

const LIMITED = `tasks:
  - { id: work, agent: Worker, duration: 20s, output: 100B }
limits:
  rules:
    - { name: polls, operations: [status], slidingLog: { limit: 30, window: 10s } }
    - { name: names, operations: [inputs], per: all, tokenBucket: { rate: 5/s, capacity: 20 } }
`
/** Six workers of half a minute. */
const SIX = `inputs: [topic]
tasks:
  - { id: plan, agent: Planner, duration: { gamma: { mean: 10s, cv: 0.5 } } }
  - { id: write, agent: Writer, duration: { gamma: { mean: 20s, cv: 0.4 } }, output: 1kB }
capacity: { workers: 6 }
`
const ASK = `export default {
  name: 'ask',
  arrivals: { rate: '1/m', for: '1h' },
  inputs: { topic: 'tides' },
  polling: { fixed: '2s' },
  deadline: '10m',
}
`

const ARRIVALS = {
  open: { rate: '1/s', for: '1m' },
  counted: { clients: 8, iterations: 50 },
  timed: { clients: 8, for: '1m' },
}
/** Four workers behind a limit that meets every fourth kickoff of an afternoon. */
const FOUR = `inputs: [topic]
tasks:
  - { id: research, agent: Researcher, duration: { gamma: { mean: 10s, cv: 0.4 } } }
  - { id: writing, agent: Writer, duration: 8s, output: 1kB }
capacity: { workers: 4 }
limits:
  rules:
    - { name: front, operations: [kickoff], tokenBucket: { rate: 12/m, capacity: 4 } }
`
const AFTERNOON = words(
  '--set arrivals={"rate":"16/m","for":"25m","process":"poisson"} --set retry.kickoff=0 --seed 7',
)

/** Words of a command line without a space in them. */
function words(line: string): string[] {
  return line.split(' ')
}

const SLO = ['--slo', 'execution.p95 < 90s, outcome.unserved < 2%', '--within', '20%']
const SEARCH = [...words('capacity ./ask.mjs --profile ./six.yaml --max-kickoffs 1500'), ...SLO]
const SHORT = words(
  'recovery retry-storm --profile metastable --seeds 1 --no-bisect --for 20s --before 65s ' +
    '--observe 100s --set arrivals.warmUp=10s --set deadline=25s',
)
const at = (name: string): string => join(place.path, name)
const env = { CREWLOAD_TOKEN: 'sesame', COLUMNS: '80' }

/** A crew that is twinned, and its load. */
const TWINNED = `name: four
inputs: [topic]
tasks:
  - { id: research, agent: Researcher, duration: { gamma: { mean: 10s, cv: 0.4 } } }
  - { id: writing, agent: Writer, duration: 8s, output: 1kB }
capacity: { workers: 4 }
limits:
  rules:
    - { name: polls, operations: [status], tokenBucket: { rate: 20/s, capacity: 40 } }
`
const AFTERNOON_LOAD = `export default {
  name: 'afternoon',
  arrivals: { rate: '12/m', for: '25m', process: 'poisson' },
  inputs: { topic: 'tides' },
  polling: { fixed: '2s' },
  deadline: '30m',
  confirm: 0,
}
`

/** A limit in front of many workers, met by every fourth kickoff. */
const FRONTED = `name: limited
inputs: [topic]
tasks: [{ id: research, agent: Researcher, duration: 5s }]
capacity: { workers: 40 }
limits:
  rules: [{ name: front, operations: [kickoff], tokenBucket: { rate: 12/m, capacity: 4 } }]
`
const HURRIED = AFTERNOON_LOAD.replace("'12/m'", "'16/m'").replace(
  'confirm: 0',
  'retry: { kickoff: 0 }',
)

let place: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  place = await temporaryFolder()
  const plain = Object.entries(ARRIVALS).map(([name, arrivals]) => [
    `${name}.json`,
    JSON.stringify({ name, inputs: { topic: 't' }, deadline: '20s', arrivals }),
  ])
  const crews = { 'limited.yaml': LIMITED, 'six.yaml': SIX, 'four.yaml': FOUR, 'paced.yaml': PACED }
  const files = { ...crews, 'ask.mjs': ASK }
  for (const [name, text] of [...Object.entries(files), ...plain]) {
    await writeFile(join(place.path, name!), text!)
  }
  const recorded = ['run', './ask.mjs', '--profile', './four.yaml', '--engine', 'virtual']
  await typed([...recorded, ...AFTERNOON, '--set', 'confirm=0', '--out', 'recorded'])
  await rename(await folderIn(join(place.path, 'recorded')), join(place.path, 'afternoon'))
  await typed(words('run open.json --profile ./paced.yaml --engine virtual --out calm-runs'))
  await rename(await folderIn(join(place.path, 'calm-runs')), join(place.path, 'calm'))
})
afterAll(async () => place[Symbol.asyncDispose]())

async function typed(args: readonly string[]): Promise<Finished> {
  return cli(args, { cwd: place.path, env })
}

describe('an answer', () => {
  type Row = [name: string, exit: number, args: readonly string[]]
  const ROWS: readonly Row[] = [
    ['limits', 0, words('limits --profile ./limited.yaml --sustain 0s')],
    ['recovery', 1, SHORT],
    ['comparison', 4, words('compare afternoon calm')],
    ['gate', 0, words('gate open.json --profile ./paced.yaml --baseline kept --runs 3')],
    ['history', 4, words('history kept')],
  ]
  const SILENT = new Set(['polling', 'twin', 'comparison', 'gate', 'history'])
  /** Calculate for seconds. */
  const LONG: readonly Row[] = [
    ['capacity', 0, [...SEARCH, '--expect', '300/h']],
    ['polling', 0, words('polling --profile default --executions 300')],
    ['twin', 0, words('twin afternoon --replays 6 --write-profile twin.yaml')],
  ]
  async function isSame(...[name, exit, args]: Row): Promise<void> {
    const out = `of-${name}`
    const told = await typed([...args, '--out', out])
    expect(told.code).toBe(exit)
    // Some may be done before there is progress to tell.
    expect(told.stderr !== '' || SILENT.has(name)).toBe(true)
    const path = await folderIn(join(place.path, out))
    const folder = basename(path)
    expect(folder).toMatch(/^[a-z-]+-\d{8}T\d{6}Z$/)
    expect(told.stdout.replaceAll(folder, 'FOLDER')).toMatchSnapshot('answer')
    const wide = told.stdout.split('\n').filter((line) => line.length > 80)
    expect(wide.filter((line) => !line.includes('/'))).toEqual([])

    const read = async (file: string): Promise<string> => readFile(join(path, file), 'utf8')
    const { study } = LISTED.find((each) => each.study.name === name)!
    const document = study.schema.parse(JSON.parse(await read(`${name}.json`)))
    const { word, sign } = study.report(document).headline
    expect(told.stdout.startsWith(word)).toBe(true)
    const shown = {
      'report.html': `<title>${sign} ${word} `,
      'summary.md': `## ${sign} ${word}: `,
      'comment.md': `## ${sign} ${word}: `,
      'junit.xml': '<testcase name="',
    }
    const before: Record<string, string> = {}
    for (const [file, text] of Object.entries(shown)) {
      before[file] = await read(file)
      expect(before[file]).toContain(text)
      await rm(join(path, file))
    }
    const again = await typed(['report', join(out, folder)])
    expect(again).toEqual({ code: exit, stdout: told.stdout, stderr: '' })
    for (const file of Object.keys(shown)) expect(await read(file)).toBe(before[file])
  }

  test.each(ROWS)('of %s is the same on the terminal and in its folder', isSame)
  test.runIf(areExperimentsRun).each(LONG)(
    'of %s is the same on the terminal and in its folder',
    isSame,
  )

  test('is the document alone where it is asked for, and its exit code tells what was found', async () => {
    const asked = ['--json', '--quiet', '--out', 'json']
    const poor = ['--max-kickoffs', '150', '--within', '1%']
    const searches = [
      [[...SEARCH, ...poor], 4, 'unresolved'],
      [[...SEARCH, '--slo', 'execution.p50 < 5s'], 1, 'fails'],
    ] as const
    for (const [args, code, outcome] of [
      ...(areExperimentsRun ? searches : []),
      [words('polling --profile default --executions 100 --max-polls 1/m'), 1, 'impossible'],
      [words('limits --profile ./limited.yaml --max-requests 40'), 4, 'cannot-tell'],
      [words('gate open.json --profile ./six.yaml --baseline kept --runs 3'), 1, 'regression'],
    ] as const) {
      const told = await typed([...args, ...asked])
      expect([told.code, told.stderr]).toEqual([code, ''])
      expect(JSON.parse(told.stdout)).toMatchObject({ verdict: { outcome } })
    }
  })
})

describe('nothing is sent', () => {
  test.each([
    ['capacity', [...SEARCH, '--cost-per-kickoff', '0.02']],
    ['a comparison', words('compare afternoon calm')],
    ['a gate', words('gate open.json --profile fast --baseline none')],
    ['limits of a profile', words('limits --profile rate-limited --engine virtual')],
    ['limits of a target', words('limits --target http://127.0.0.1:9 --max-kickoffs 3')],
    ['polling', [...words('polling --profile fast --delay'), 'p95 < 5s']],
    ['recovery', SHORT],
    ['saturate', words('saturate status --target http://127.0.0.1:1 --kickoff-id a')],
  ])('by a dry run of %s, which prints the plan', async (_, args) => {
    const before = await readdir(place.path)
    const { code, stdout } = await typed([...args, '--dry-run'])
    expect([code, await readdir(place.path)]).toEqual([0, before])
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(stdout).toMatchSnapshot('plan')
  })

  test.each([
    ['run open.json', '60.0 s of arrivals, then up to 20.0 s for the last executions'],
    ['run counted.json', 'until the last client ends, at most 140 s'],
    ['run timed.json', '60.0 s of arrivals, then up to 20.0 s for the last executions'],
    ['gate open.json --baseline none', '480 s of arrivals (at most 11 min)'],
    ['gate counted.json --baseline none', ', at most 19 min'],
    ['polling --scenario counted.json', 'until the last client ends, at most 140 s'],
    ['capacity open.json --slo execution.p95<8s', 'at most 24 h 00 min, then up to 20.0 s'],
    ['capacity open.json --slo execution.p95<8s --max-duration 5m', 'at most 300 s, then'],
    ['recovery open.json', '1 run, 450 s of arrivals (at most 470 s in all)'],
    ['recovery open.json --bisect', '1 run, 450 s of arrivals (at most 3 h 58 min in all)'],
    ['saturate inputs', 'about 147 s in all (at most 17 min, where requests hang)'],
    ['limits --operations inputs', 'at most 30 min, then it reports'],
  ])('by a dry run that tells the longest time: %s: %s', async (command, time) => {
    // Nothing listens there, and a plan asks nobody.
    const there = words('--target http://127.0.0.1:9 --dry-run')
    const budget = /^limits|inputs$/.test(command) ? [] : words('--max-kickoffs 500')
    const wide = { cwd: place.path, env: { ...env, COLUMNS: '200' } }
    const { code, stdout, stderr } = await cli([...words(command), ...there, ...budget], wide)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(time)
  })

  test.each([
    'run smoke --max-kickoffs 3',
    'saturate inputs --max-requests 100',
    'limits --operations inputs --max-requests 100',
  ])('to a real deployment without a yes: %s', async (line) => {
    const real = [...words(line), '--target', 'https://crew.example']
    const { code, stdout, stderr } = await cli(real, { cwd: place.path, env })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^Plan /m)
    expect(stderr).toContain('nothing was sent')
  })

  test.each([
    'limits',
    'limits --profile fast --operations status,polls',
    'limits --target http://127.0.0.1:9 --operations inputs,kickoff --max-requests 5 --kickoff-id a',
    'limits --target http://127.0.0.1:9',
    'limits --target http://127.0.0.1:9 --operations inputs --max-requests 5 --kickoff-id a --inputs {"topic":"x"}',
    'limits --from a --target http://127.0.0.1:9 --max-requests 50',
    'polling',
    'polling --profile fast --max-polls many --delay p99<5',
    'polling --profile fast --poll-price 1',
    'polling --profile fast --delay-price 1',
    'polling --target https://crew.example --executions 100',
    'polling a b a --scenario steady --profile fast --max-polls many',
    'polling a --profile none.yaml --executions 7 --max-polls 0/m --delay 5s --poll-price 0 --delay-price dear',
    'polling --profile fast --limits nowhere --max-polls 1/s --poll-price 1',
    'polling --profile fast --limits nowhere',
    'polling --profile none --max-polls many',
    'polling no-such-run no-such-run nor-this --dialect platform --seed 7 --speed 2 --set arrivals.rate=3/s --set deadline=9s --max-kickoffs 5 --max-requests 6 --max-duration 7s --cost-per-kickoff 1 --max-cost 2 --max-polls many',
    'polling no-such-run --set deadline=9s --token-file tokens --ca ca.pem --insecure --header x-key:hush --poll-price abc --executions 1e999',
    'capacity ./ask.mjs --profile ./six.yaml --slo execution.p95<90s --engine k6',
    'capacity steady --profile default --slo execution.p95 --within 0% --expect x',
    'capacity steady --profile default --slo execution.p95<5m --max-kickoffs 20',
    'capacity steady --profile default --slo execution.p95<5m --engine node --network wan',
    'capacity steady --profile default --slo execution.p95>5m,outcome.unserved>=2%,lateness.p99<5ms,execution.mean<10s,detectionDelay.p95<5s,outcome.lost<1%,kickoff.response.p95<1s',
    'twin nowhere ./six.yaml --write-profile x.txt',
    'compare afternoon --metrics execution.p9 --min-change 0 -- nowhere',
    'compare afternoon -- calm --out x',
    'gate open.json --profile fast --metrics inFlight.max --min-change 0 --margin 7 --update-baseline',
    'gate open.json --profile fast --engine virtual --baseline never --k6-vus 2',
    'gate open.json --profile fast --start=',
    'gate open.json --target http://127.0.0.1:9 --max-kickoffs 999 --baseline-start serve',
    'history afternoon',
    'recovery recovery',
    'recovery recovery --profile metastable --trigger {"hung":{}}',
    'recovery recovery --profile metastable --trigger {"hang":{},"window":{"for":"1s"}}',
    'recovery recovery --profile metastable --trigger [{"hang":{}},{"empty":{}}]',
    'recovery recovery --profile metastable --trigger {"spike":0.5}',
    'recovery recovery --profile metastable --trigger {',
    'recovery recovery --profile metastable --trigger {"hang":{}} --trigger-command true',
    'recovery recovery --profile metastable --undo-command true',
    'recovery recovery --profile metastable --trigger-command true',
    'recovery recovery --profile metastable --for long --before 0 --set arrivals={"clients":2,"for":"1m"}',
    'recovery recovery --profile metastable --seeds 0',
    'recovery recovery --target https://crew.example --max-kickoffs 9 --seeds 2 --trigger-command true',
    'recovery recovery --target http://127.0.0.1:9',
    'saturate kickoff --profile fast',
    'saturate kickoff --profile fast --max-kickoffs 9',
    'saturate status --target http://127.0.0.1:1',
    'saturate inputs --profile=fast --kickoff-id=a --polling=5s --inputs={} --max-kickoffs=1',
    'saturate kickoff --profile=fast --max-kickoffs=99 --polling=5s',
    'saturate status --profile=fast --kickoff-id=a --inputs={} --max-kickoffs=1',
    'saturate statu --profile fast',
    'saturate inputs --target http://crew.example --max-requests 100 --yes',
    'saturate kickoff --target=https://crew.example --connections=4,2 --repeats=21 --duration=5 --warm-up=1d --timeout=10ms',
  ])('by a mistake, which is told with its place: %s', async (line) => {
    const proxied = { http_proxy: 'http://127.0.0.1:9', no_proxy: '' }
    const options = { cwd: place.path, env: { ...env, ...proxied, K6_BIN: '/nowhere/k6' } }
    const { code, stdout, stderr } = await cli(words(line), options)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).not.toContain('hush')
    expect(stderr).toMatchSnapshot('refusal')
  })

  test.each([
    ['capacity', [...words('capacity steady --max-kickoffs 200'), ...SLO]],
    ['limits', words('limits --operations inputs')],
    ['polling', ['polling']],
    ['saturate', words('saturate inputs')],
  ])('where nobody is: %s ends with 5, and keeps the token to itself', async (_, args) => {
    const { code, stdout, stderr } = await typed([...args, '--target', 'http://127.0.0.1:1'])
    expect([code, stdout]).toEqual([5, ''])
    expect(stderr).toContain('cannot be reached')
    expect(stderr).not.toContain('sesame')
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

test('Ctrl-C says what it does, of a study and of its resumption', async () => {
  await using crew = await startFakeCrew({ profile: join(place.path, 'limited.yaml') })
  const out = join(place.path, 'interrupted')
  const args = ['limits', '--target', crew.url, '--operations', 'inputs', '--out', out]
  const begun = await interruptedOnce(args, crew.token)
  const resumed = await interruptedOnce(['resume', await folderIn(out)], crew.token)
  for (const { code, stderr } of [begun, resumed]) {
    expect(code).toBe(130)
    expect(stderr).toContain('the study ends here; what is known is reported')
    expect(stderr.match(/so far/g)).toHaveLength(1)
  }
})

test.runIf(areExperimentsRun)(
  'a limit in front of the crew becomes a rule of the profile, and refuses as many',
  async () => {
    await writeFile(at('fronted.yaml'), FRONTED)
    await writeFile(at('hurried.mjs'), HURRIED)
    const here = { cwd: place.path }
    const rejectedOf = async (profile: string): Promise<number> => {
      const where = [
        '--profile',
        profile,
        '--engine',
        'virtual',
        '--out',
        `of-${profile}`,
        '--json',
      ]
      const { stdout } = await cli(['run', './hurried.mjs', ...where], here)
      const { outcomes } = JSON.parse(stdout) as { outcomes: { rejected: number } }
      return outcomes.rejected
    }
    const rejected = await rejectedOf('fronted.yaml')
    expect(rejected).toBeGreaterThan(50)
    const [run = ''] = await readdir(at('of-fronted.yaml'))
    const out = [
      '--write-profile',
      'fronted-twin.yaml',
      '--out',
      'reports-fronted',
      '--replays',
      '0',
    ]
    const told = await cli(['twin', join('of-fronted.yaml', run), ...out], here)
    expect(told.stdout).toContain('limit on kickoff')
    const rule = /limits:\n {2}rules:\n([^]*)/.exec(await readFile(at('fronted-twin.yaml'), 'utf8'))
    expect(rule?.[1]).toBe(`    # Token-bucket, probability 1.00, by the study of limits.
    - name: kickoff-limit
      operations: [ kickoff ]
      tokenBucket: { rate: 1/5s, capacity: 4 }
      refusal: { status: 429, retryAfter: seconds }
`)
    expect(Math.abs((await rejectedOf('fronted-twin.yaml')) - rejected)).toBeLessThanOrEqual(1)
  },
)

describe('the twin is a profile like any other', () => {
  beforeAll(async () => {
    await writeFile(at('twinned.yaml'), TWINNED)
    await writeFile(at('load.mjs'), AFTERNOON_LOAD)
    const crew = words('--profile ./twinned.yaml --engine virtual --out runs')
    await cli(['run', './load.mjs', ...crew], { cwd: place.path })
    const run = await folderIn(at('runs'))
    const out = words('--replays 0 --write-profile twin.yaml --out reports')
    await typed(['twin', run, ...out])
  })

  const ROWS: [string, number[], string | null, string[]][] = [
    ['run', [0], 'load.mjs', ['--engine', 'virtual']],
    ['limits', [0, 4], null, ['--sustain', '0s', '--operations', 'status']],
    ['polling', [0], null, ['--executions', '100', '--delay', 'p95 < 5s']],
    [
      'recovery',
      [0, 1, 4],
      'load.mjs',
      ['--seeds', '1', '--no-bisect', '--for', '20s', '--before', '5m', '--observe', '5m'],
    ],
  ]
  /** The others read it by the same function; they are run with the experiments. */
  const rows = ROWS.slice(0, areExperimentsRun ? 4 : 2)
  test.each(rows)('%s takes it', async (command, codes, scenario, args) => {
    const words = scenario === null ? [] : [at(scenario)]
    const twin = ['--profile', at('twin.yaml'), '--out', at(`of-${command}`), '--json']
    const { code, stdout, stderr } = await cli([command, ...words, ...args, ...twin])
    expect([codes.includes(code!), stderr.includes('error')]).toEqual([true, false])
    const document = JSON.parse(stdout) as {
      study?: string
      place?: { profile: string }
      run?: { place: { profile: string } }
    }
    expect(document.study ?? 'run').toBe(command)
    expect((document.place ?? document.run!.place).profile).toContain('twin.yaml')
  })

  test.runIf(areExperimentsRun)('capacity takes it, and finds that of the crew', async () => {
    const slo = ['--slo', 'execution.p95 < 90s', '--within', '10%', '--max-kickoffs', '3000']
    const capacityOf = async (profile: string): Promise<number> => {
      const where = ['--profile', at(profile), '--out', at(`capacity-of-${profile}`), '--json']
      const { code, stdout, stderr } = await cli(['capacity', at('load.mjs'), ...slo, ...where])
      expect([code, stderr.includes('error')]).toEqual([0, false])
      const document = JSON.parse(stdout) as { capacity: { perHour: number } }
      const named = { study: 'capacity', place: { profile: expect.stringContaining(profile) } }
      expect(document).toMatchObject(named)
      return document.capacity.perHour
    }
    const ofCrew = await capacityOf('twinned.yaml')
    expect(Math.abs((await capacityOf('twin.yaml')) / ofCrew - 1)).toBeLessThan(0.1)
  })
})
