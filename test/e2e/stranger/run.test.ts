/** `crewload check` and `crewload run` on a crew that is not ours, against what that crew knows. */
import { describe, expect, test } from 'vitest'
import type { ExecutionRecord } from '../../../src/execution/record/record.ts'
import type { ResultDocument } from 'crewload/run'
import type { StrangersTruth } from '../../support/targets/stranger.ts'
import { pythonOrSkip, startStranger } from '../../support/targets/stranger.ts'
import { CONSENT, newOwner } from './owner.ts'

const python = pythonOrSkip('the run of a crew that is not ours')

type Truth = StrangersTruth['executions'][number]

/** Seconds from the kickoff to the end, as polls bracket them, whatever the offset of clocks. */
function secondsAllowed(record: ExecutionRecord): [number, number] {
  const { sentMicros, acceptedMicros, lastNotDoneSentMicros, firstDoneReceivedMicros } = record
  const notBefore = (lastNotDoneSentMicros ?? acceptedMicros!) - acceptedMicros!
  return [notBefore / 1e6, (firstDoneReceivedMicros! - sentMicros!) / 1e6]
}

/** What a record says that the crew did not do. */
function contradictions(record: ExecutionRecord, truth: Truth): string[] {
  const [low, high] = secondsAllowed(record)
  const seconds = truth.ended! - truth.kickedOff
  const reported = record.reported.tasks.map((task) => task.executionTimeSeconds)
  const isSilent = truth.failed || record.dialect === 'platform'
  const facts: [string, boolean][] = [
    [`ended after ${seconds}, not in ${low} to ${high}`, low <= seconds && seconds <= high],
    ['outcome', record.outcome === (truth.failed ? 'failed' : 'completed')],
    ['times of tasks', String(reported) === String(isSilent ? [] : truth.taskSeconds)],
    ['time', record.reported.executionTimeSeconds === truth.ended! - truth.begun!],
  ]
  return facts.filter(([, holds]) => !holds).map(([what]) => what)
}

describe.skipIf(python === null).concurrent('a crew that is not ours', () => {
  test.each([
    ['interface', '404, dialect interface'],
    ['platform', '200'],
  ] as const)('is checked with one kickoff, in the dialect "%s"', async (dialect, unknown) => {
    await using crew = await startStranger({ dialect, firstCall: 0.5 })
    await using owner = await newOwner('')
    const args = ['check', '--target', crew.url, '--yes', '--json']
    const { code, stdout } = await owner.ask(...args)
    const probes = JSON.parse(stdout) as { name: string; state: string; message: string }[]
    expect(probes.filter(({ state }) => state !== 'ok')).toEqual([])
    expect(code).toBe(0)
    const found = Object.fromEntries(probes.map((probe) => [probe.name, probe.message]))
    expect(found).toMatchObject({
      inputs: expect.stringContaining('topic') as string,
      'unknown id': expect.stringContaining(unknown) as string,
      dialect: expect.stringContaining(dialect) as string,
      execution: expect.stringMatching(/^completed\. It took /) as string,
    })
    const { executions, requests } = await crew.truth()
    expect(executions).toHaveLength(1)
    expect(requests.filter(({ path }) => path === '/kickoff')).toHaveLength(1)
  })

  test.each(['interface', 'platform'] as const)(
    'is run, and each record agrees with what it knows, in the dialect "%s"',
    async (dialect) => {
      await using crew = await startStranger({ dialect, failing: 0.1, firstCall: 0.5 })
      await using owner = await newOwner(`
        arrivals: { rate: '15/s', for: '4s', process: 'poisson' },
        polling: { fixed: '40ms' },
        checks: { 'says the topic': ({ inputs, output }) => output.includes(inputs.topic) },
        thresholds: {
          'execution.p95': { is: '< 5s', judge: 'value' },
          'execution.failed': { is: '< 50%', judge: 'value' },
          'checks.says the topic': { is: '>= 100%', judge: 'value' },
          'contract.documented': '<= 0',
        }`)
      const args = ['run', 'scenario.mjs', '--target', crew.url, ...CONSENT, '--json']
      const { code, stdout } = await owner.ask(...args)
      const document = JSON.parse(stdout) as ResultDocument
      expect([code, document.verdict.reasons]).toEqual([0, []])
      const { executions } = await crew.truth()
      const failed = executions.filter((execution) => execution.failed).length
      expect(failed).toBeGreaterThan(0)
      expect(document.outcomes).toMatchObject({ completed: executions.length - failed, failed })
      expect(document.run.dialect).toBe(dialect)
      const records = await owner.records()
      expect(records).toHaveLength(executions.length)
      const byId = new Map(executions.map((execution) => [execution.id, execution]))
      const wrong = records.flatMap((record) =>
        contradictions(record, byId.get(record.kickoffId!)!).map((what) => [record.index, what]),
      )
      expect(wrong).toEqual([])
    },
  )

  test('misses a promise that it does not keep: exit code 1, with its own share', async () => {
    await using crew = await startStranger({ failing: 0.4 })
    await using owner = await newOwner(`
      arrivals: { rate: '20/s', for: '2s' },
      polling: { fixed: '40ms' },
      thresholds: { 'execution.failed': '< 5%' }`)
    const args = ['run', 'scenario.mjs', '--target', crew.url, ...CONSENT, '--json']
    const { code, stdout } = await owner.ask(...args)
    const document = JSON.parse(stdout) as ResultDocument
    expect([code, document.verdict.outcome]).toEqual([1, 'failed'])
    const { executions } = await crew.truth()
    const failed = executions.filter((execution) => execution.failed).length
    expect(document.metrics['execution.failed']!.value).toBeCloseTo(failed / executions.length, 9)
  })

  test('turns away what its queue does not hold, which is counted as rejected', async () => {
    await using crew = await startStranger({ workers: 1, queue: 2 })
    await using owner = await newOwner(`
      arrivals: { rate: '20/s', for: '2s' },
      polling: { fixed: '40ms' },
      retry: { kickoff: 0 }`)
    const args = ['run', 'scenario.mjs', '--target', crew.url, ...CONSENT, '--json']
    const { code, stdout } = await owner.ask(...args)
    const document = JSON.parse(stdout) as ResultDocument
    const { executions, requests } = await crew.truth()
    const refused = requests.filter(({ code: status }) => status === 503).length
    expect(refused).toBeGreaterThan(0)
    expect(document.outcomes).toMatchObject({ completed: executions.length, rejected: refused })
    expect(code).toBe(1)
  })

  test('is not sent a kickoff without its token', async () => {
    await using crew = await startStranger({ tokens: ['another'] })
    await using owner = await newOwner(`
      arrivals: { clients: 1, iterations: 3 },
      polling: { fixed: '40ms' }`)
    const { code } = await owner.ask('run', 'scenario.mjs', '--target', crew.url, ...CONSENT)
    const { executions, requests } = await crew.truth()
    expect([code, executions]).toEqual([5, []])
    expect(requests.every(({ code: status }) => status === 401)).toBe(true)
  })
})

const FEW = "arrivals: { clients: 2, iterations: 4 }, polling: { fixed: '40ms' }"

describe.skipIf(python === null).concurrent('inputs that are listed', () => {
  test.each([true, false])('and not needed stop nothing; described: %s', async (described) => {
    const listed = { required: ['topic'], optional: ['history'], reserved: ['id'], described }
    await using crew = await startStranger(listed)
    await using owner = await newOwner(FEW)
    const checked = await owner.ask('check', '--target', crew.url, '--yes')
    expect(checked.code).toBe(0)
    const args = ['run', 'scenario.mjs', '--target', crew.url, ...CONSENT, '--json']
    const { code, stdout } = await owner.ask(...args)
    const { outcomes } = JSON.parse(stdout) as ResultDocument
    expect([code, outcomes.completed]).toEqual([0, 4])
    const { executions } = await crew.truth()
    const sent = executions.map(({ inputs }) => Object.keys(inputs).toSorted().join())
    // The first is that of check.
    expect([sent[0], new Set(sent.slice(1))]).toEqual([
      expect.stringContaining('topic'),
      new Set(['topic']),
    ])
  })

  test('and needed end the run after one kickoff that starts nothing', async () => {
    await using crew = await startStranger({ required: ['topic', 'audience'], optional: ['id'] })
    await using owner = await newOwner(FEW)
    const { code, stderr } = await owner.ask(
      'run',
      'scenario.mjs',
      '--target',
      crew.url,
      ...CONSENT,
    )
    expect([code, stderr]).toEqual([2, expect.stringContaining('audience')])
    const { executions, requests } = await crew.truth()
    expect(executions).toEqual([])
    expect(requests.filter(({ path }) => path === '/kickoff').map((r) => r.code)).toEqual([422])
  })
})

describe.skipIf(python === null)('a limiter in the manner of slowapi', () => {
  test('does not slow the polls of a run, none of which it refuses', async () => {
    const tasks = [{ name: 'research', agent: 'Researcher', mean: 1.5, cv: 0.1 }]
    await using crew = await startStranger({
      tasks,
      limit: { requests: 20, seconds: 2, scope: 'path' },
    })
    await using owner = await newOwner(`
      arrivals: { clients: 3, iterations: 3 },
      polling: { fixed: '200ms' }`)
    const { code } = await owner.ask('run', 'scenario.mjs', '--target', crew.url, ...CONSENT)
    const { executions, requests } = await crew.truth()
    expect([code, executions]).toEqual([0, expect.objectContaining({ length: 3 })])
    const polls = requests.filter(({ path }) => path.startsWith('/status/'))
    expect(polls.every(({ code: status }) => status === 200)).toBe(true)
    // Each asks to wait for three seconds or two, in which the execution would end unseen.
    expect(polls.length).toBeGreaterThan(3 * 4)
  })
})
