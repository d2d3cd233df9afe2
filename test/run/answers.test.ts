/** Runs that answer for people: what they count, against the fake crew's ledger. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { FakeCrew, WrittenProfile } from '../../fake-crew/index.ts'
import { startFakeCrew } from '../../fake-crew/index.ts'
import { counted } from '../../src/base/collections/counts.ts'
import { resume } from '../../src/run/resume/index.ts'
import { run } from '../../src/run/run.ts'
import type { RunOptions } from '../../src/run/options.ts'
import type { Scenario } from '../../src/scenario/define.ts'
import type { ResultDocument } from '../../src/result/document.ts'
import { areExperimentsRun } from '../experiments.ts'

/** Work of that length, perhaps a person, 50 ms of work. */
function crew(dialect: WrittenProfile['dialect'], chance = '60%', draft = '100ms'): WrittenProfile {
  // The documented dialect has no word for it.
  const asks = dialect === 'interface' ? ({ chance, shows: 'not-found' } as const) : { chance }
  return {
    name: 'asking',
    seed: 5,
    dialect: dialect!,
    inputs: ['topic'],
    tasks: [
      { id: 'draft', agent: 'Writer', duration: draft, output: '100B', asks },
      { id: 'print', agent: 'Printer', duration: '50ms', output: '100B' },
    ],
    capacity: { workers: 'unlimited' },
  }
}

const SCENARIO: Scenario = {
  name: 'answering',
  arrivals: { rate: '20/s', for: '1s' },
  inputs: { topic: 'bees' },
  polling: { fixed: '20ms' },
  human: { answer: ['no', 'yes'], after: '300ms' },
  deadline: '10s',
  confirm: 0,
  validity: { lateness: '10s', utilisation: 1, little: 1 },
}

/**
 * Long enough for a poll on a busy machine: an execution that is hidden before it was seen at work is
 * lost.
 */
const SEEN = '1s'

let place: string
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'answers-'))
})
afterAll(async () => rm(place, { recursive: true }))

async function runOn(
  profile: WrittenProfile,
  kind: 'node' | 'virtual',
  scenario: Partial<Scenario> = {},
  options: Partial<RunOptions> = {},
): Promise<{ document: ResultDocument; folder: string | null }> {
  const file = join(place, `${profile.name}-${profile.dialect}.yaml`)
  await writeFile(file, JSON.stringify(profile))
  const result = await run(
    { ...SCENARIO, ...scenario },
    { profile: file, out: false, engine: { kind }, ...options },
  )
  return { document: result.document, folder: result.folder ?? null }
}

/** All of them with the experiments. */
const DIALECTS = (['platform', 'interface', 'platform-2026-10'] as const).slice(
  0,
  areExperimentsRun ? 3 : 1,
)

describe.each(DIALECTS)('on a crew that speaks %s', (dialect) => {
  test('counts are those of the ledger, over HTTP and in virtual time', async () => {
    const profile = crew(dialect, '60%', SEEN)
    const real = await runOn(profile, 'node', { polling: { fixed: '80ms' } })
    const virtual = await runOn(profile, 'virtual')
    for (const { document } of [real, virtual]) {
      const { people, outcomes, ledger, metrics } = document
      expect(outcomes.completed).toBe(20)
      expect(ledger!.disagreements).toEqual([])
      const { executions, refused: _, ledger: told, ...counts } = people!
      expect(counts).toEqual(told)
      expect(counts).toMatchObject({ questions: 2 * executions, gone: 0, waiting: 0 })
      expect([counts.no, counts.yes]).toEqual([executions, executions])
      expect(metrics['people.asked']?.value).toBe(executions / 20)
      expect(metrics['people.waited.p50']!.value).toBeGreaterThanOrEqual(300)
    }
    expect(real.document.people?.executions).toBe(virtual.document.people?.executions)
    expect(virtual.document.metrics['people.waited.p50']!.value).toBeLessThan(320)
  })

  test('nobody answers: paused, never lost, as many as the ledger has', async () => {
    for (const kind of ['node', 'virtual'] as const) {
      const changes = { human: true, deadline: '3s', polling: { fixed: '80ms' } } as const
      const { document } = await runOn(crew(dialect, '60%', SEEN), kind, changes)
      const { people, outcomes, verdict } = document
      expect(outcomes.paused + outcomes.completed).toBe(20)
      expect(outcomes.paused).toBe(people!.ledger!.waiting)
      expect(people).toMatchObject({ executions: outcomes.paused, waiting: outcomes.paused })
      expect(verdict.outcome).toBe('inconclusive')
    }
  })
})

test('the form that the crew refuses is left at once, for the whole run', async () => {
  const { document, folder } = await runOn(
    crew('platform', '100%'),
    'virtual',
    {
      human: { answer: 'yes' },
    },
    { out: join(place, 'forms') },
  )
  expect(document.people).toMatchObject({ yes: 20, refused: {} })
  const journal = await readFile(join(folder!, 'executions.ndjson'), 'utf8')
  const answers = journal.split('\n').flatMap((line) => {
    const { record } = (line === '' ? {} : JSON.parse(line)) as {
      record?: { resumes?: { answer: number[] } }
    }
    return record?.resumes?.answer ?? []
  })
  expect(answers.filter((code) => code === 200)).toHaveLength(20)
  const tried = answers.filter((code) => code === 422).length
  expect(tried).toBeGreaterThan(0)
  expect(tried).toBeLessThan(5)
})

test('an answer about another task counts as accepted, and the ledger shows that it was none', async () => {
  const human = { answer: 'yes', task: 'print', after: '2s' } as const
  const { document } = await runOn(crew('platform', '100%'), 'virtual', { human, deadline: '3s' })
  const { people, outcomes } = document
  expect(outcomes.paused).toBe(20)
  expect(people).toMatchObject({ yes: 20, waiting: 20, ledger: { yes: 0, waiting: 20 } })
})

test('thresholds bound the wait for people, which is part of the execution', async () => {
  const thresholds = {
    'people.waited.p50': { is: '< 1s', judge: 'value' },
    'people.asked': { is: '> 90%', judge: 'value' },
    'execution.p50': { is: '> 700ms', judge: 'value' },
  } as const
  const { document } = await runOn(crew('platform'), 'virtual', { thresholds })
  const own = document.thresholds.filter(({ source }) => source === 'scenario')
  expect(own.map(({ metric, status }) => [metric, status])).toEqual([
    ['people.waited.p50', 'met'],
    ['people.asked', 'missed'],
    ['execution.p50', 'met'],
  ])
})

test('nobody asked, nothing said', async () => {
  const { document } = await runOn(crew('platform', '0%'), 'virtual')
  expect(document.people).toBeUndefined()
  expect(Object.keys(document.metrics).filter((name) => name.startsWith('people'))).toEqual([])
})

test('a run that is stopped while people are asked answers for them when it is resumed', async () => {
  const own = await startFakeCrew({ profile: crew('platform-2026-10', '100%', SEEN) })
  onTestFinished(async () => own.stop())
  const scenario: Scenario = {
    ...SCENARIO,
    arrivals: { clients: 8, iterations: 8 },
    human: { answer: 'yes', after: '4s' },
  }
  const stopped = await run(scenario, {
    target: own.url,
    tokens: [own.token],
    out: join(place, 'stopped'),
    onStart: (control) => void seenAsked(own, 8).then(() => control.stop('now')),
  })
  expect(stopped.document.outcomes.aborted).toBe(8)
  expect(stopped.document.people).toMatchObject({ executions: 8, waiting: 8, yes: 0 })
  const { document } = await resume(stopped.folder!, { tokens: [own.token], scenario })
  expect(document.outcomes.completed).toBe(8)
  expect(document.people).toMatchObject({ questions: 8, yes: 8, waiting: 0 })
  const asked = own.ledger().flatMap((row) => row.asked ?? [])
  expect(asked.map(({ approved }) => approved)).toEqual(Array.from({ length: 8 }, () => true))
})

/** Waits until so many executions were polled again after a poll that told that they are asked. */
async function seenAsked(crew: FakeCrew, executions: number): Promise<void> {
  await vi.waitFor(
    () => {
      const asked = crew.requests().filter(({ reported }) => reported === 'asked')
      const polls = counted(asked.map(({ kickoff_id: id }) => id))
      expect(polls.filter(([, times]) => times > 1)).toHaveLength(executions)
    },
    { timeout: 20_000, interval: 20 },
  )
}
