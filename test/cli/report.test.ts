/**
 * `crewload report` and `resume`: what becomes of a folder, of a run or of a study. A stored result
 * that is damaged is a mistake of the user, whoever reads it, and never a crash.
 */
import type { ResultDocument } from 'crewload/run'
import { run, runMix } from 'crewload/run'
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { UserError } from '../../src/base/mistakes.ts'
import { explanationIn, verdictIn } from '../../src/cli/mcp/documents.ts'
import type { JournalLine } from '../../src/execution/record/journal-lines.ts'
import { keptResult, resultDocument } from '../../src/result/document.ts'
import { version } from '../../src/run/environment/package.ts'
import { conducting as comparing } from '../../src/study/comparing/comparison/conduct.ts'
import { conductStudy } from '../../src/study/frame/conduct/conduct.ts'
import { fingerprintOf } from '../../src/study/frame/conduct/conducting.ts'
import { writeStudyRecipe } from '../../src/study/frame/conduct/recipe.ts'
import { Library } from '../../src/ui/library.ts'
import { areExperimentsRun } from '../experiments.ts'
import type { RunOptions } from '../result/lines.ts'
import { instanceLines } from '../result/lines.ts'
import type { Finished } from '../support/cli.ts'
import { cli, temporaryFolder } from '../support/cli.ts'
import { sharedFolder } from '../support/shared-folder.ts'
import { testBound } from '../support/plan.ts'

const scenario = {
  name: 'again',
  arrivals: { rate: '10/s', for: '3s' },
  inputs: { topic: 'bees', audience: 'children' },
  polling: { fixed: '100ms' },
  validity: { lateness: '2s', utilisation: 1 },
}

describe.concurrent('a run', () => {
  test('renders a run again from its journal and ledger, to the same document', async () => {
    await using folder = await temporaryFolder()
    const whole = await run(scenario, { profile: 'fast', out: folder.path })
    const before = await readFile(join(whole.folder!, 'result.json'), 'utf8')
    const { stdout } = await cli(['report', whole.folder!])
    expect(stdout).toContain('PASSED')
    expect(JSON.parse(await readFile(join(whole.folder!, 'result.json'), 'utf8'))).toEqual(
      JSON.parse(before),
    )
  })

  test('shows the result where the reports cannot be written, and says so', async () => {
    await using folder = await temporaryFolder()
    const whole = await run(scenario, { profile: 'fast', engine: 'virtual', out: folder.path })
    const page = join(whole.folder!, 'report.html')
    await rm(page)
    await mkdir(join(page, 'in the way'), { recursive: true })
    const { code, stdout, stderr } = await cli(['report', whole.folder!])
    expect(code).toBe(3)
    expect(stdout).toContain('What users wait for')
    expect(stderr).toContain(`the reports could not be written to ${whole.folder}: report.html: `)
    expect(stderr).not.toContain('crewload itself failed')
  })
})

const RUN: RunOptions = {
  executions: 400,
  instances: 4,
  plan: {
    thresholds: [
      {
        metric: 'kickoff.response.p95',
        ...testBound('< 500ms'),
        bound: 500_000,
        abortEarly: false,
        judge: 'interval',
        source: 'scenario',
      },
    ],
  },
}

/** A pod's log as it lies on its node, a banner first. */
async function writeLog(
  folder: string,
  pod: number,
  lines: readonly JournalLine[],
): Promise<string> {
  const path = join(folder, `pod-${pod}.log`)
  const texts = ['     execution: local', ...lines.map((line) => JSON.stringify(line))]
  const time = '2026-11-21T12:00:00.123456789Z'
  await writeFile(path, texts.map((text) => `${time} stdout F ${text}\n`).join(''))
  return path
}

describe('crewload report merge --logs', () => {
  test('judges the thresholds over all pods, and leaves a run folder to render again', async () => {
    await using folder = await temporaryFolder()
    const logs = await Promise.all(
      [0, 1, 2, 3].map(async (pod) => writeLog(folder.path, pod, instanceLines(pod, RUN))),
    )
    const out = join(folder.path, 'out')
    const before = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const merged = await cli(['report', 'merge', '--logs', ...logs, '--out', out])
    expect(merged.code).toBe(0)
    expect(merged.stdout).toMatch(
      /^PASSED {3}.*1 of 1 threshold met .*4 instances, .*400 executions/s,
    )

    const path = / report {2}(.*)\/report\.html/.exec(merged.stdout)![1]!
    // By the time of the merge: that of a run in virtual time is of the year 2000.
    expect(path.split('-merged-')[1]! >= before).toBe(true)
    const again = await cli(['report', path])
    expect(again.stdout).toBe(merged.stdout)
  })

  test('names the pod that was killed, and the one that is missing', async () => {
    await using folder = await temporaryFolder()
    const killed = instanceLines(3, RUN).slice(0, -1)
    const cut = `${JSON.stringify(killed.at(-1)).slice(0, 60)}\n`
    const logs = await Promise.all([
      writeLog(folder.path, 0, instanceLines(0, RUN)),
      writeLog(folder.path, 1, instanceLines(1, RUN)),
      writeLog(folder.path, 3, killed.slice(0, -1)),
    ])
    await writeFile(logs[2], `2026-11-21T12:00:01Z stdout P ${cut}`, { flag: 'a' })
    const out = join(folder.path, 'out')
    const { code, stdout, stderr } = await cli([
      'report',
      'merge',
      ...logs,
      '--logs',
      '--out',
      out,
      '--json',
    ])
    expect(code).toBe(3)
    expect(stderr).toBe(`note: ${logs[2]} ends too early: instance 3 of 4\n`)
    const { verdict } = JSON.parse(stdout) as ResultDocument
    expect(verdict.reasons.map(({ message }) => message)).toEqual([
      'no journal of instance 2 of 4. Instance 3 of 4 did not finish: 1 execution ' +
        'without an end',
      'the journal is incomplete: 1 line not readable',
      'instance 3 of 4 was cut after 42.1 s: 1 execution in flight',
    ])
  })
})

/** Of another version of crewload: the sentence names it, and what to do. */
const OTHER_RUN = ['run', 'smoke', '--profile', 'fast', '--engine', 'virtual', '--quiet']

/** A run folder in which one file follows another schema. */
async function otherRun(out: string, file: string, ours: string, other: string): Promise<string> {
  expect(await cli([...OTHER_RUN, '--out', out])).toMatchObject({ code: 0 })
  const [name = ''] = await readdir(out)
  const path = join(out, name, file)
  const text = await readFile(path, 'utf8')
  expect(text).toContain(`"schema":"${ours}"`)
  await writeFile(path, text.replace(ours, other))
  return join(out, name)
}

const refusal = (path: string, ours: string, other: string): string =>
  `crewload: ${path} schema: this version of crewload reads ${ours}: ` +
  `use the version that wrote it (found ${other})\n`

test('a journal, by every command that reads one', async () => {
  await using folder = await temporaryFolder()
  const [ours, other] = ['crewload/journal/1', 'crewload/journal/2']
  const run = await otherRun(folder.path, 'executions.ndjson', ours, other)
  const out = join(folder.path, 'out')
  const commands = [
    ['report', 'render', run],
    ['report', 'render', run, '--recover'],
    ['report', 'merge', run, '--out', out],
    ['resume', run],
    ['twin', run, '--out', out],
    ['polling', run, '--out', out],
    ['limits', '--from', run, '--out', out],
    ['run', 'smoke', '--profile', 'fast', '--engine', 'virtual', '--network', run],
    ['capacity', 'smoke', '--slo', 'execution.p90 < 60s', '--from', run, '--out', out],
  ]
  const stderr = refusal(join(run, 'executions.ndjson'), ours, other)
  // One after another, in one process.
  for (const words of commands) {
    expect({ words, ...(await cli(words)) }).toMatchObject({ words, code: 2, stderr })
  }
})

test('a result, by what compares it; rendering the run writes it again', async () => {
  await using folder = await temporaryFolder()
  const [ours, other] = ['crewload/result/1', 'crewload/result/2']
  const run = await otherRun(folder.path, 'result.json', ours, other)
  const told = await cli(['compare', '--out', join(folder.path, 'out'), run, '--', run])
  expect(told).toMatchObject({ code: 2 })
  expect(told.stderr).toContain(refusal(join(run, 'result.json'), ours, other))
  expect(await cli(['report', 'render', run])).toMatchObject({ code: 0 })
  expect(await readFile(join(run, 'result.json'), 'utf8')).toContain(`"schema":"${ours}"`)
})

test('the document of a study', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'recovery.json')
  await writeFile(path, '{"schema":"crewload/recovery/9"}')
  expect(await cli(['report', 'render', folder.path])).toMatchObject({
    code: 2,
    stderr: refusal(path, 'crewload/recovery/1', 'crewload/recovery/9'),
  })
})

test.each(['resume', 'report'])(
  '%s of what is neither a run nor a study names both',
  async (name) => {
    await using folder = await temporaryFolder()
    const { code, stderr } = await cli([name, folder.path])
    const documents = 'saturation.json, recovery.json, limits.json'
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        `${folder.path}: contains neither a run (executions.ndjson) nor a study (study.json, or one of ${documents}`,
      ),
    ])
    const absent = await cli([name, join(folder.path, 'absent')])
    expect(absent.stderr).toContain('does not exist; expected the folder of a run or of a study')
  },
)

test('a study that left its document alone is not resumed as a run', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'recovery.json'), '{}')
  const { code, stderr } = await cli(['resume', folder.path])
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('contains a study (recovery) without study.json'),
  ])
})

/** What a study of saturation says when it is continued with these flags; `more` are options of it. */
async function continued(
  more: object,
  ...flags: string[]
): Promise<{ code: number | null; stderr: string }> {
  await using folder = await temporaryFolder()
  const run = { target: 'https://crew.invalid', headers: { 'x-team': '***' } }
  await writeStudyRecipe(folder.path, {
    schema: 'crewload/study/1',
    study: 'saturation',
    crewload: version(),
    id: '1a2b3c4d',
    startedAt: '2026-11-21T08:15:00.000Z',
    asked: { options: { endpoint: 'inputs', maxRequests: 50, run, ...more }, from: folder.path },
    fingerprint: fingerprintOf(null, undefined),
    command: null,
  })
  return await cli(['resume', folder.path, ...flags], { env: { CREWLOAD_TOKEN: 'sesame' } })
}

test('a study at a deployment goes on only with a yes', async () => {
  const { code, stderr } = await continued({}, '--header', 'x-team: blue')
  expect(code).toBe(2)
  expect(stderr).toContain('target')
  expect(stderr).toContain('https://crew.invalid')
  expect(stderr).toContain('not interactive: pass --yes to confirm')
})

test('headers whose values are not stored have to be given again', async () => {
  const { code, stderr } = await continued({}, '--yes')
  expect([code, stderr]).toEqual([2, expect.stringContaining("give --header 'x-team: ...'")])
})

test('with them, it is sent to its target', async () => {
  const { code, stderr } = await continued({}, '--header', 'x-team: blue', '--yes')
  expect([code, stderr]).toEqual([5, expect.stringContaining('crew.invalid')])
})

test('what its kickoffs carry has to be given again, and nothing else', async () => {
  const carried = { inputs: '***', members: '***' }
  const kept = { endpoint: 'kickoff', maxKickoffs: 50, ...carried }
  const given = ['--header', 'x-team: blue', '--yes', '--inputs', '{"topic":"ants"}']
  const lacking = await continued(kept, ...given)
  expect([lacking.code, lacking.stderr]).toEqual([2, expect.stringContaining('give --members ...')])
  const { code, stderr } = await continued(kept, ...given, '--members', '{"meta":"a"}')
  expect([code, stderr]).toEqual([5, expect.stringContaining('crew.invalid')])
  const stranger = await continued({}, ...given)
  expect(stranger.stderr).toContain('--inputs: is not among the options of')
  const changed = await continued({}, '--header', 'x-team: blue', '--set', 'inputs.topic=ants')
  expect(changed.stderr).toContain('--set: does not apply to this kind of study')
})

type Json = Record<string, unknown>

const path = sharedFolder()
let sound: Json
let folder: string

beforeAll(async () => {
  const options = { profile: 'fast', engine: 'virtual', seed: 1, out: path('runs') } as const
  folder = (await run('smoke', options)).folder!
  const [rich, small] = await Promise.all(
    ['reports/example', folder].map(async (of) => readFile(join(of, 'result.json'), 'utf8')),
  )
  // Every member of both, and the smaller values: each case reads and judges all of them.
  sound = { ...(JSON.parse(rich!) as Json), ...(JSON.parse(small!) as Json) }
  await writeFile(
    path('sound.json'),
    JSON.stringify({ ...sound, run: { ...ranIn(sound), id: 'a' } }),
  )
})

const ranIn = (result: Json): Json => result['run'] as Json

const without = (result: Json, member: string): Json => {
  const { [member]: _, ...others } = result
  return others
}

/** Some are sound values of some members. */
const OTHERS: readonly unknown[] = [7, null, [], {}]

interface Damaged {
  name: string
  result: Json
}

/** Some suffice to see that damage is named at all; the experiments try all of it. */
const EACH_OTHER = areExperimentsRun ? 1 : 3

/** The result without each of its members, and with another value of it. */
const damagedOf = (result: Json): Damaged[] => {
  const members = Object.keys(result)
  const others = members.flatMap((member) =>
    OTHERS.map((other) => ({
      name: `${member} is ${JSON.stringify(other)}`,
      result: { ...result, [member]: other },
    })),
  )
  const less = members.map((member) => ({
    name: `without ${member}`,
    result: without(result, member),
  }))
  return [...less, ...others.filter((_, i) => i % EACH_OTHER === 0)]
}

/** Null for what was read, or else the mistakes; throws what is no mistake. */
const mistakesOf = async (reading: Promise<unknown>): Promise<string | null> => {
  try {
    await reading
    return null
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
}

type End = 'read' | 'its fault is named'

const ending = (isSound: boolean): End => (isSound ? 'read' : 'its fault is named')

/** Of mistakes, or of none. */
const endOf = (told: string | null): string =>
  told === null || NAMED.test(told) ? ending(told === null) : told
const NAMED = /\.json \w+.*: (?:the file is damaged|this version of crewload reads)/

let written = 0
const compared = async (damaged: Json): Promise<string | null> => {
  const file = path(`${written++}.json`)
  await writeFile(file, JSON.stringify(damaged))
  const options = { base: [path('sound.json')], new: [file], out: false } as const
  return mistakesOf(conductStudy(comparing, options))
}

/** The folder of a run as `ui` and `mcp` need it. */
const kept = async (name: string, result: Json): Promise<string> => {
  const own = path('kept', name)
  await mkdir(own, { recursive: true })
  await writeFile(join(own, 'executions.ndjson'), '')
  await writeFile(join(own, 'result.json'), JSON.stringify(result))
  return own
}

describe('any member of a result that is missing, or is something else', () => {
  test('is named by compare, or is not needed', async () => {
    for (const { name, result } of damagedOf(sound)) {
      const isSound = keptResult.safeParse(result).success
      expect({ name, ends: endOf(await compared(result)) }).toEqual({ name, ends: ending(isSound) })
    }
  })

  test('is named by mcp, and by the list of ui', async () => {
    const cases = damagedOf(sound).map(({ name, result }) => {
      return { name, result, ends: ending(resultDocument.safeParse(result).success) }
    })
    for (const [i, { name, result, ends }] of cases.entries()) {
      const own = await kept(String(i), result)
      for (const reading of [verdictIn, explanationIn]) {
        expect({ name, ends: endOf(await mistakesOf(reading(own))) }).toEqual({ name, ends })
      }
    }
    for (const { id, verdict, cause } of await new Library(path('kept')).entries()) {
      const { name, ends } = cases[Number(id)]!
      const found = verdict === 'UNREADABLE' ? endOf(cause) : verdict
      expect({ name, found }).toEqual({ name, found: ends === 'read' ? 'PASSED' : ends })
    }
    await rm(path('kept'), { recursive: true })
  })

  test('is not needed by what reads the journal, or is named', async () => {
    const file = join(folder, 'result.json')
    const result = JSON.parse(await readFile(file, 'utf8')) as Json
    const out = ['--out', path('out')]
    const commands = [
      ['polling', folder, ...out],
      ['twin', folder, '--out', path('out'), '--replays', '0'],
      ['limits', '--from', folder, ...out],
      ['capacity', 'smoke', '--slo', 'execution.p90 < 60s', '--from', folder, '--dry-run'],
      ['lab', folder, '--out', path('lab.html')],
    ]
    // Each writes a folder of its own.
    const answerOf = ({ code, stdout }: Finished): unknown => [code, stdout.split(path('out'))[0]]
    const needed = Object.keys(keptResult.shape)
    // All read by one schema: those that take longer to start show by two members that they do.
    const lacking = ({ 0: name }: string[]): string[] => (name === 'lab' ? needed : ['run', 'tags'])
    const other = Object.fromEntries(needed.map((member) => [member, result[member]]))
    for (const words of commands) {
      await writeFile(file, JSON.stringify(result))
      const whole = await cli(words)
      expect({ words, isRead: whole.code !== 2 }).toEqual({ words, isRead: true })
      await writeFile(file, JSON.stringify(other))
      expect(answerOf(await cli(words))).toEqual(answerOf(whole))
      for (const member of lacking(words)) {
        await writeFile(file, JSON.stringify(without(result, member)))
        const refused = await cli(words)
        expect({ words, member, ...refused }).toMatchObject({ code: 2 })
        expect(refused.stderr).toContain(`${file} ${member}: the file is damaged: `)
      }
    }
    await writeFile(file, JSON.stringify(result))
  })
})

test('every fault of a result is named with its place', async () => {
  const damaged = without(without(without(without(sound, 'tags'), 'plan'), 'metrics'), 'arrivals')
  const file = path('damaged.json')
  await writeFile(file, JSON.stringify({ ...damaged, run: { ...ranIn(sound), seed: 'x' } }))
  const { code, stderr } = await cli(['compare', file, '--', file])
  expect(code).toBe(2)
  for (const place of ['tags', 'plan', 'metrics', 'arrivals', 'run.seed']) {
    expect(stderr).toContain(`damaged.json ${place}: the file is damaged: `)
  }
})

test('of a mix, the damaged part is named', async () => {
  const parts = [{ part: 'quiet', result: without(sound, 'tags') }]
  await mkdir(path('mix'))
  await writeFile(path('mix', 'result.json'), JSON.stringify({ schema: 'crewload/mix/1', parts }))
  const { code, stderr } = await cli(['compare', path('mix', 'quiet'), '--', path('sound.json')])
  expect([code, stderr]).toEqual([2, expect.stringContaining('result.json parts[0].result.tags: ')])
})

describe.each(['run', 'mix'])('of a %s, what is damaged is said', (kind) => {
  test('and the rest is rendered, which writes the result again', async () => {
    const options = { profile: 'fast', engine: 'virtual', out: path(kind) } as const
    const parts = { quiet: 'smoke', noisy: 'smoke' }
    const ran = kind === 'run' ? run('smoke', options) : runMix({ name: 'two', parts }, options)
    const made = (await ran).folder!
    const file = join(made, 'result.json')
    const result = await readFile(file, 'utf8')
    await writeFile(file, result.replaceAll('"seed":', '"seed":"x","was":'))
    await rm(join(made, 'clock.json'))
    const { code, stderr } = await cli(['report', made])
    expect(code).toBe(0)
    const places = kind === 'run' ? ['run.seed'] : ['mix.seed', 'parts[1].result.run.seed']
    for (const place of places) {
      expect(stderr).toContain(`note: ${file} ${place}: the file is damaged: `)
    }
    expect(stderr).toContain(`note: ${join(made, 'clock.json')}: is missing, so that `)
    expect(await cli(['report', made])).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining('damaged') as unknown,
    })
  })
})
