/**
 * `kill -9` at moments by chance: no line is lost, no paid kickoff is forgotten, and what was in
 * flight is followed to its end; of a study and a mix too, which are also interrupted; a mix shares a
 * budget.
 */
import type { FakeCrew } from 'crewload/fake-crew'
import { startFakeCrew } from 'crewload/fake-crew'
import { resume } from 'crewload/run'
import { once } from 'node:events'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import type { JournalLine } from '../../../src/execution/record/journal-lines.ts'
import type { MixDocument } from '../../../src/result/mix.ts'
import {
  cli,
  cliAfter,
  documentOf,
  finished,
  folderIn,
  startCli,
  temporaryFolder,
} from '../../support/cli.ts'
import {
  ARRIVALS,
  arrivalsIn,
  indexesOf,
  killedRun,
  killedTogether,
  linesIn,
  recordsOf,
  runIdOf,
  scenarioIn,
  slowToAnswer,
} from '../../support/killed/run.ts'

/** Runs in one process. */
const TOGETHER = 10
const KILLS = 50
/** Of each killed run: fewer cost less, and leave some in flight at any moment all the same. */
const FEW = 30
const AT_ONCE = 2
const LIMIT_MS = 240_000

let crew: FakeCrew
beforeAll(async () => {
  crew = await slowToAnswer()
})
afterAll(async () => crew.stop())

interface ComparedRun {
  started: number
  accepted: number
  endedBefore: number
  unheard: number
}

interface Kill {
  out: string
  latestMs: number
}

interface CutRun {
  folder: string
  before: JournalLine[]
}

/** Runs of one process, at moments by chance. */
function killsOf(root: string, group: number): Kill[] {
  return Array.from({ length: TOGETHER }, (_, i) => {
    const kill = group * TOGETHER + i
    const latestMs = createRandom(20_261_121).fork('kill', kill).int(1_000)
    return { out: join(root, String(kill)), latestMs }
  })
}

/** On a loaded machine a run may end before it is killed: then another one is, sooner. */
async function cutRuns(root: string, kills: readonly Kill[]): Promise<CutRun[]> {
  const cut: CutRun[] = []
  let left = kills
  for (let tries = 0; tries < 5 && left.length > 0; tries++) {
    const runs = left.map(({ out, latestMs }) => ({
      out: join(out, String(tries)),
      ageMs: latestMs / 2 ** tries,
    }))
    const folders = await killedTogether(crew, join(root, 'cut.ts'), runs)
    const journals = await Promise.all(folders.map(linesIn))
    const hasEnded = journals.map((lines) => recordsOf(lines).size === FEW)
    cut.push(...folders.map((folder, i) => ({ folder, before: journals[i]! })))
    left = left.filter((_, i) => hasEnded[i])
  }
  const inTime = cut.filter(({ before }) => recordsOf(before).size < FEW)
  if (inTime.length < kills.length) throw new Error('a run could not be killed before its end')
  return inTime
}

/** Resumes a run, and holds journal, ledger and result against each other. */
async function tellsOf({ folder, before }: CutRun): Promise<ComparedRun> {
  const started = new Set(indexesOf(before, 'started'))
  const accepted = new Set(indexesOf(before, 'accepted'))
  const endedBefore = recordsOf(before)

  const { document, unheard, unwritten } = await resume(folder, { tokens: [crew.token] })
  const runId = runIdOf(before)
  const after = await linesIn(folder)
  const records = recordsOf(after)

  // No line lost: what stood there stands there, and what the ledger knows was written down before.
  expect(after.slice(0, before.length)).toEqual(before)
  expect(arrivalsIn(crew.ledger(), runId).filter((index) => !started.has(index))).toEqual([])
  expect(indexesOf(after, 'started')).toEqual(indexesOf(before, 'started'))
  // Every kickoff whose answer was read has come to its end, and the others are told.
  const unread = [...started].filter((index) => !accepted.has(index) && !endedBefore.has(index))
  for (const index of accepted) {
    const resumed = !endedBefore.has(index)
    expect(records.get(index)).toMatchObject({ outcome: 'completed', resumed })
    expect(records.get(index)?.checks).toEqual({ 'says something': true })
    expect(records.get(index)?.tags).toEqual({ third: String(index % 3) })
  }
  for (const index of unread) expect(records.get(index)).toMatchObject({ outcome: 'aborted' })
  expect(unheard.toSorted()).toEqual(unread.map((index) => `${runId}/${index}`).toSorted())
  // The result counts every arrival once.
  expect(document.arrivals).toBe(FEW)
  expect(records.size).toBe(FEW)
  expect(Object.values(document.outcomes).reduce((sum, count) => sum + count, 0)).toBe(FEW)
  expect(document.outcomes).toMatchObject({ completed: accepted.size, aborted: unread.length })
  expect(document.verdict).toMatchObject({ valid: true, outcome: 'inconclusive' })
  expect(document.ledger?.disagreements ?? []).toEqual([])
  expect(unwritten).toBeNull()
  return {
    started: started.size,
    accepted: accepted.size,
    endedBefore: endedBefore.size,
    unheard: unread.length,
  }
}

/** Applies to every answer about an execution until it is removed. */
const HANGING = '{ hang: {}, operations: [status] }'

async function faults(method: 'POST' | 'DELETE', body?: string): Promise<void> {
  const { ok } = await fetch(`${crew.url}/__fake__/faults`, { method, ...(body && { body }) })
  expect(ok).toBe(true)
}

/** As soon as it has written that it goes on; the crew hangs, so that it cannot end before. */
async function killedResumption(folder: string): Promise<void> {
  await faults('POST', HANGING)
  const child = startCli(['resume', folder], { env: { CREWLOAD_TOKEN: crew.token } })
  const gone = once(child, 'exit')
  for (let tries = 0; tries < 6_000 && child.exitCode === null; tries++) {
    const journal = await readFile(join(folder, 'executions.ndjson'), 'utf8')
    if (journal.includes('"type":"resumed"')) break
    await sleep(20)
  }
  child.kill('SIGKILL')
  await gone
  await faults('DELETE')
}

describe('a run that is killed', () => {
  test(
    `at ${KILLS} moments loses nothing, and is followed to its end`,
    async () => {
      await using root = await temporaryFolder()
      await scenarioIn(root.path, FEW)
      const stories: ComparedRun[] = []
      let next = 0
      const worker = async (): Promise<void> => {
        for (let group = next++; group < KILLS / TOGETHER; group = next++) {
          const runs = await cutRuns(root.path, killsOf(root.path, group))
          stories.push(...(await Promise.all(runs.map(tellsOf))))
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      // The moments were worth it: executions in flight, ended ones and unanswered ones were all
      // there.
      const total = (of: (story: ComparedRun) => number): number =>
        stories.reduce((sum, story) => sum + of(story), 0)
      expect(stories).toHaveLength(KILLS)
      expect(total(({ accepted, endedBefore }) => accepted - endedBefore)).toBeGreaterThan(
        4 * KILLS,
      )
      expect(total(({ endedBefore }) => endedBefore)).toBeGreaterThan(KILLS)
      expect(total(({ unheard }) => unheard)).toBeGreaterThan(KILLS / 5)
    },
    LIMIT_MS,
  )

  test('is rendered for whoever asks for what there is', async () => {
    await using root = await temporaryFolder()
    const scenario = await scenarioIn(root.path)
    const out = join(root.path, 'out')
    const folder = await killedRun(crew, { scenario, out, afterMs: 350 })
    const lines = await linesIn(folder)
    const ids = lines.flatMap((line) => (line.type === 'accepted' ? [line.kickoffId] : []))
    const left = ids.length - recordsOf(lines).size
    const refused = await cli(['report', folder])
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain(
      `crewload report render --recover ${folder} renders what was measured`,
    )
    expect(await readdir(folder)).not.toContain('report.html')
    const told = await cli(['report', '--recover', folder, '--json'])
    const { code, stderr } = told
    expect(code).toBe(3)
    expect(ids.filter((id) => stderr.includes(id))).toHaveLength(left)
    expect(left).toBeGreaterThan(0)
    const { run, verdict } = documentOf(told)
    expect(run.stopped).toBe('crashed')
    expect(run.command).toContain(`crewload run ${scenario} --target ${crew.url}`)
    expect(verdict).toMatchObject({ valid: false, outcome: 'invalid' })
    expect(await readdir(folder)).toContain('report.html')
    expect(await linesIn(folder)).toEqual(lines)
  })

  test('can be killed while it is resumed, and is resumed again by the command line', async () => {
    await using root = await temporaryFolder()
    const scenario = await scenarioIn(root.path)
    const out = join(root.path, 'out')
    const folder = await killedRun(crew, { scenario, out, afterMs: 350 })
    const inFlight = indexesOf(await linesIn(folder), 'accepted').length
    await killedResumption(folder)
    expect((await linesIn(folder)).filter(({ type }) => type === 'resumed')).toHaveLength(1)
    const env = { CREWLOAD_TOKEN: crew.token }
    const { code, stdout, stderr } = await cli(['resume', folder], { env })
    expect(code).toBe(4)
    expect(stdout).toContain(`completed ${inFlight} `)
    expect(stdout).toContain('resumed')
    expect(stderr).not.toContain(crew.token)
    const again = await cli(['resume', folder], { env })
    expect(again).toMatchObject({ code: 2 })
    expect(again.stderr).toContain('has nothing to resume: every execution has ended')
    const rendered = await cli(['report', folder, '--json'])
    expect(rendered.code).toBe(4)
    const stored: unknown = JSON.parse(await readFile(join(folder, 'result.json'), 'utf8'))
    expect(JSON.parse(rendered.stdout)).toEqual(stored)
  })
})

test('a run of a study that is killed has its own journal, by which it is resumed', async () => {
  await using root = await temporaryFolder()
  const scenario = await scenarioIn(root.path)
  const out = join(root.path, 'out')
  const inputs = ['--set', 'inputs={"topic":"a"}']
  const steady = ['--set', 'arrivals={"rate":"4/s","for":"1m"}', ...inputs]
  const times = ['--before', '60s', '--for', '1s', '--observe', '1s']
  const words = ['recovery', scenario, '--target', crew.url, '--trigger-command', 'true', ...times]
  const env = { CREWLOAD_TOKEN: crew.token }
  const child = startCli([...words, ...steady, '--out', out], { env })
  const gone = once(child, 'exit')
  const runFolder = async (): Promise<string> => join(await folderIn(out), 'run-1')
  const accepted = async (): Promise<number> =>
    indexesOf(await linesIn(await runFolder()).catch(() => []), 'accepted').length
  await expect.poll(accepted, { timeout: 60_000 }).toBeGreaterThan(1)
  child.kill('SIGKILL')
  await gone
  const before = await accepted()
  const resume = ['resume', await runFolder(), ...inputs, '--json']
  const { outcomes } = documentOf(await cli(resume, { env }))
  const { completed, notReached, aborted, ...others } = outcomes
  expect([completed >= before, notReached > 0]).toEqual([true, true])
  expect(aborted).toBeLessThanOrEqual(2)
  expect(Object.values(others).reduce((sum, count) => sum + count, 0)).toBe(0)
})

const PATIENT = { timeout: 20_000 }
const SHORT =
  '--profile metastable --seeds 1 --no-bisect --no-control --for 20s --before 65s --observe 100s ' +
  '--set arrivals.warmUp=10s --set deadline=25s --set polling={"fixed":"5s"}'

test('a study that is killed between two trials goes on with the second', async () => {
  await using folder = await temporaryFolder()
  const args = ['recovery', 'recovery', ...SHORT.split(' '), '--seeds', '2', '--out', folder.path]
  const child = startCli(args)
  const told = finished(child)
  const study = async (): Promise<string> => join(folder.path, (await readdir(folder.path))[0]!)
  const kept = async (): Promise<string> => readFile(join(await study(), 'trials.ndjson'), 'utf8')
  await expect.poll(async () => kept().catch(() => ''), PATIENT).toContain('"seed 42"')
  child.kill('SIGKILL')
  await told
  const cut = await cli(['report', await study()])
  expect([cut.code, cut.stderr]).toEqual([
    2,
    `crewload: ${await study()}: the study was cut before its end; crewload resume ${await study()} runs the missing trials\n`,
  ])
  const resumed = await cli(['resume', await study()])
  expect(resumed.stdout).toMatch(/^RECOVERS /)
  expect([resumed.code, resumed.stderr]).toEqual([
    0,
    expect.stringMatching(
      /^(recovery {2}step 2 of 2: seed 43[^\n]*\n)* seed 43 {2}recovers[^\n]*\n$/,
    ),
  ])
  const document = JSON.parse(await readFile(join(await study(), 'recovery.json'), 'utf8'))
  expect(document).toMatchObject({ ended: 'complete', runs: 2, command: expect.any(String) })
})

test('Ctrl-C in a study says how to go on', async () => {
  await using folder = await temporaryFolder()
  const args = ['recovery', 'recovery', ...SHORT.split(' '), '--seeds', '20', '--out', folder.path]
  const child = startCli(args)
  const told = finished(child)
  const stderr: string[] = []
  child.stderr!.on('data', (text: string) => stderr.push(text))
  await expect.poll(() => stderr.join(''), PATIENT).toContain(' seed 42')
  child.kill('SIGINT')
  const { code, stderr: all } = await told
  const [name = ''] = await readdir(folder.path)
  expect(code).toBe(130)
  expect(all).toContain(`crewload resume ${join(folder.path, name)} runs the missing trials`)
})

describe.runIf(process.platform === 'linux')('a disk that is full in mid-run', () => {
  test('is said once, and the run goes on to its end, INVALID', async () => {
    await using root = await temporaryFolder()
    const scenario = await scenarioIn(root.path)
    const words = ['run', scenario, '--target', crew.url, '--out', join(root.path, 'out'), '--json']
    const before = crew.ledger().length
    // No file may grow beyond 10 to 20 kB, depending on the shell's unit.
    const told = await cliAfter('ulimit -f 20', words, { env: { CREWLOAD_TOKEN: crew.token } })
    const { code, stderr } = told
    const document = documentOf(told)
    expect(code).toBe(3)
    expect(stderr.match(/the journal cannot be written: .*; the run continues/g)).toHaveLength(1)
    expect(document.outcomes.completed).toBe(ARRIVALS)
    expect(crew.ledger()).toHaveLength(before + ARRIVALS)
    expect(document.verdict.reasons.map((reason) => reason.code)).toContain('journal')
  })
})

const PARTS = ['one', 'other'] as const
const profile = `name: steady
inputs: [topic]
tasks: [{ id: write, agent: Writer, duration: 1500ms }]
`

async function mixIn(folder: string, arrivals: object, more: object = {}): Promise<string> {
  const part = {
    name: 'tenant',
    arrivals,
    inputs: { topic: 'tides' },
    polling: { fixed: '100ms' },
    validity: { lateness: '20s', utilisation: 1 },
    ...more,
  }
  const path = join(folder, 'pair.json')
  const parts = Object.fromEntries(PARTS.map((name) => [name, part]))
  await writeFile(path, JSON.stringify({ name: 'pair', parts }))
  return path
}

function at({ url, token }: FakeCrew, out: string) {
  return { args: ['--target', url, '--out', out], env: { CREWLOAD_TOKEN: token } }
}

async function wholeLinesIn(folder: string): Promise<JournalLine[]> {
  const text = await readFile(join(folder, 'executions.ndjson'), 'utf8').catch(() => '')
  const complete = text.slice(0, text.lastIndexOf('\n') + 1)
  return complete.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)))
}

async function documentIn(folder: string): Promise<MixDocument> {
  return JSON.parse(await readFile(join(folder, 'result.json'), 'utf8')) as MixDocument
}

/** Until every part has lines of that type. */
async function untilAll(out: string, type: JournalLine['type'], atLeast: number): Promise<string> {
  const few = async (): Promise<number> => {
    const lines = await wholeLinesIn(await folderIn(out))
    const counts = PARTS.map(
      (name) => lines.filter((line) => line.part === name && line.type === type).length,
    )
    return Math.min(...counts)
  }
  await expect.poll(few, { timeout: 60_000 }).toBeGreaterThanOrEqual(atLeast)
  return folderIn(out)
}

test('kill -9: every paid execution of all parts is followed to its end, and none is begun', async () => {
  await using place = await temporaryFolder()
  await using crew = await startFakeCrew({ profile })
  const out = join(place.path, 'reports')
  const { args, env } = at(crew, out)
  const file = await mixIn(place.path, { rate: '10/s', for: '5m' })
  const run = startCli(['run', file, ...args, '--max-kickoffs', '400'], { env })
  const folder = await untilAll(out, 'accepted', 5)
  run.kill('SIGKILL')
  await once(run, 'exit')
  const before = await wholeLinesIn(folder)
  const paid = crew.ledger()

  const { code, stderr } = await cli(['resume', folder], { env })
  expect([code, stderr]).toEqual([4, expect.any(String)])
  const after = await wholeLinesIn(folder)
  expect(after.slice(0, before.length)).toEqual(before)
  expect(crew.ledger().map(({ kickoff_id: id }) => id)).toEqual(
    paid.map(({ kickoff_id: id }) => id),
  )
  const { mix, parts } = await documentIn(folder)
  expect([mix.name, parts.map(({ part }) => part)]).toEqual(['pair', PARTS])
  for (const { part, result } of parts) {
    const accepted = before.filter((line) => line.part === part && line.type === 'accepted')
    expect(result.outcomes.completed).toBe(accepted.length)
    expect(result.ledger!.disagreements).toEqual([])
  }
  const again = await cli(['resume', folder], { env })
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('nothing to resume')])
}, 120_000)

test('Ctrl-C drains all parts, in a crew that the mix has started', async () => {
  await using place = await temporaryFolder()
  const out = join(place.path, 'reports')
  const file = await mixIn(place.path, { rate: '5/s', for: '1h' })
  const crewFile = join(place.path, 'steady.yaml')
  await writeFile(crewFile, profile)
  const run = startCli(['run', file, '--profile', crewFile, '--out', out])
  const end = finished(run)
  const folder = await untilAll(out, 'accepted', 3)
  // A terminal's Ctrl-C reaches the whole process group, and so the fake crew.
  process.kill(-run.pid!, 'SIGINT')
  const { code, stderr } = await end
  expect([code, stderr]).toEqual([130, expect.stringContaining('no new kickoffs')])
  const { mix, parts } = await documentIn(folder)
  expect(mix.stopped).toBe('drained')
  for (const { result } of parts) {
    const { completed, aborted } = result.outcomes
    expect([result.run.stopped, aborted]).toEqual(['drained', 0])
    expect(completed).toBeGreaterThanOrEqual(3)
    expect(result.ledger!.agreed).toBe(completed)
  }
}, 120_000)

test('--max-kickoffs is of all parts together, also where kickoffs are sent again', async () => {
  await using place = await temporaryFolder()
  await using crew = await startFakeCrew({
    profile: `${profile}faults: [{ name: busy, status: { code: 503 }, operations: [kickoff], chance: 40% }]\n`,
  })
  const out = join(place.path, 'reports')
  const { args, env } = at(crew, out)
  const retry = { backoff: { initial: '50ms', max: '100ms' } }
  const file = await mixIn(place.path, { rate: '20/s', for: '2s' }, { retry })
  const { code } = await cli(['run', file, ...args, '--max-kickoffs', '25'], { env })
  expect(code).not.toBe(0)
  expect(crew.requests({ operation: 'kickoff' })).toHaveLength(25)
  const { budget, parts } = await documentIn(await folderIn(out))
  expect(budget.kickoffs).toBe(25)
  const accepted = crew.ledger().length
  expect(accepted).toBeLessThan(25)
  const completed = parts.map(({ result }) => result.outcomes.completed)
  expect(completed.reduce((sum, count) => sum + count, 0)).toBe(accepted)
}, 60_000)
