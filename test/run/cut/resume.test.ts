/** `resume` as its users use it: what it picks up, and when it says no. */
import { rmSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineScenario } from 'crewload'
import type { FakeCrew } from 'crewload/fake-crew'
import type { RunOptions, Scenario } from 'crewload/run'
import { resume, run } from 'crewload/run'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lockFolder } from '../../../src/run/folder/lock.ts'
import { readUnfinished } from '../../../src/journal/unfinished.ts'
import { temporaryFolder } from '../../support/cli.ts'
import { linesIn, recordsOf, slowToAnswer } from '../../support/killed/run.ts'

const scenario: Scenario = {
  name: 'stopped',
  arrivals: { rate: '20/s', for: '1m', process: 'uniform' },
  inputs: { topic: 'bees' },
  polling: { fixed: '50ms' },
  validity: { lateness: '10s', utilisation: 1 },
}

let crew: FakeCrew
beforeAll(async () => {
  crew = await slowToAnswer()
})
afterAll(async () => crew.stop())

/** A run that gives up what is in flight after half a second; its folder. */
async function stoppedRun(
  out: string,
  what: Scenario | string = scenario,
  options: RunOptions = {},
): Promise<string> {
  const { folder, abandoned } = await run(what, {
    target: crew.url,
    tokens: [crew.token],
    out,
    onStart: (control) => void setTimeout(() => control.stop('now'), 500),
    ...options,
  })
  expect(abandoned.length).toBeGreaterThan(0)
  return folder!
}

function die(): never {
  throw new Error('killed')
}

/** Kickoff ids of accepted executions whose last word is that they were given up. */
async function leftBehind(folder: string): Promise<(string | null)[]> {
  const records = [...recordsOf(await linesIn(folder)).values()]
  const given = records.filter(
    ({ outcome, kickoffId }) => outcome === 'aborted' && kickoffId !== null,
  )
  return given.map(({ kickoffId }) => kickoffId)
}

describe.concurrent('a run that gave up what was in flight', () => {
  test('is resumed, and then has nothing left', async ({ onTestFinished }) => {
    await using out = await temporaryFolder()
    // Not the crew that others send kickoffs to.
    const own = await slowToAnswer()
    onTestFinished(async () => own.stop())
    const place = { target: own.url, tokens: [own.token] }
    const folder = await stoppedRun(out.path, scenario, place)
    const kickoffs = own.ledger().length
    const options = { tokens: [own.token], scenario }
    const { document, abandoned } = await resume(folder, options)
    expect(await leftBehind(folder)).toEqual([])
    expect(document.outcomes.completed).toBeGreaterThan(3)
    expect(document.arrivals).toBe(1_200)
    expect(document.verdict.reasons[0]?.code).toBe('resumed')
    expect(own.ledger()).toHaveLength(kickoffs)
    expect(abandoned).toEqual([])
    await expect(resume(folder, options)).rejects.toThrow('every execution has ended')
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('keeps its budget of requests', async () => {
    await using out = await temporaryFolder()
    const tight = defineScenario({ ...scenario, budget: { requests: 400 } })
    const folder = await stoppedRun(out.path, tight)
    const { document } = await resume(folder, { tokens: [crew.token], scenario: tight })
    const sent = (await linesIn(folder)).flatMap((line) =>
      line.type === 'ended'
        ? line.record.kickoff.answer.length + line.record.polls.answer.length
        : 0,
    )
    expect(sent.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(400)
    expect(document.outcomes.completed).toBeGreaterThan(0)
  })

  test('keeps it over resumptions that are cut themselves, whose preflights count too', async () => {
    await using out = await temporaryFolder()
    const tight = defineScenario({ ...scenario, budget: { requests: 400 } })
    const folder = await stoppedRun(out.path, tight)
    const reserved = async (): Promise<number> =>
      (await readUnfinished(join(folder, 'executions.ndjson'))).instances[0]!.requestsReserved
    const before = await reserved()
    for (let cut = 1; cut <= 3; cut++) {
      const options = { tokens: [crew.token], scenario: tight, onStart: die }
      await expect(resume(folder, options)).rejects.toThrow('killed')
    }
    expect(await reserved()).toBeGreaterThanOrEqual(before + 3)
  })

  test('stays INVALID where lines of it were lost before', async () => {
    await using out = await temporaryFolder()
    const folder = await stoppedRun(out.path)
    const journal = join(folder, 'executions.ndjson')
    const text = await readFile(journal, 'utf8')
    await writeFile(journal, text.replace('"journalErrors":0', '"journalErrors":2'))
    const { document } = await resume(folder, { tokens: [crew.token], scenario })
    expect(document.verdict).toMatchObject({ valid: false, outcome: 'invalid' })
  })

  test('tells what still runs where its folder is removed while it is resumed', async () => {
    await using out = await temporaryFolder()
    const folder = await stoppedRun(out.path)
    const left = await leftBehind(folder)
    const lost = resume(folder, {
      tokens: [crew.token],
      scenario,
      onStart: (control) => {
        rmSync(folder, { recursive: true })
        setImmediate(() => control.stop('now'))
      },
    })
    await expect(lost).rejects.toMatchObject({ name: 'JournalLost', exitCode: 3 })
    const error = String(await lost.catch((reason: unknown) => reason))
    expect(left.filter((id) => error.includes(String(id)))).toEqual(left)
    expect(left.length).toBeGreaterThan(0)
  })

  test('ends as aborted where its fake crew was a part of the run', async () => {
    await using out = await temporaryFolder()
    const inputs = { topic: 'bees', audience: 'children' }
    const own = defineScenario({ ...scenario, inputs })
    const { folder } = await run(own, {
      profile: 'fast',
      speed: 0.1,
      out: out.path,
      onStart: (control) => void setTimeout(() => control.stop('now'), 500),
    })
    const notes: string[] = []
    const { document, abandoned } = await resume(folder!, {
      scenario: own,
      onNote: (note) => notes.push(note),
    })
    expect(notes.join()).toContain('the fake crew ended with the run')
    expect(document.reasons.aborted?.[0]?.reason).toEqual({
      code: 'stopped',
      when: 'now',
      stop: { code: 'crew-ended' },
    })
    expect(abandoned).toEqual([])
  })
})

describe.concurrent('a resumption is refused', () => {
  test('with a scenario that has changed, and changes nothing', async () => {
    await using out = await temporaryFolder()
    const file = join(out.path, 'stopped.json')
    await writeFile(file, JSON.stringify(scenario))
    const folder = await stoppedRun(join(out.path, 'runs'), file)
    await writeFile(file, JSON.stringify({ ...scenario, polling: { fixed: '70ms' } }))
    const before = await readFile(join(folder, 'executions.ndjson'), 'utf8')
    await expect(resume(folder, { tokens: [crew.token] })).rejects.toThrow(
      'is not the plan that was run',
    )
    expect(await readFile(join(folder, 'executions.ndjson'), 'utf8')).toBe(before)
    await writeFile(file, JSON.stringify(scenario))
    await resume(folder, { tokens: [crew.token] })
    expect(await leftBehind(folder)).toEqual([])
  })

  test('without the headers and changes of the run whose values are stored nowhere', async () => {
    await using out = await temporaryFolder()
    const headers = { 'x-team': 'blue-4711' }
    const secret = { 'kickoff.meta.team': 'blue-4711', 'headers.x-key': 'blue-4711' }
    const set = { ...secret, confirm: '0' }
    const folder = await stoppedRun(out.path, scenario, { headers, set })
    const stored = await readFile(join(folder, 'run.json'), 'utf8')
    expect(stored).not.toContain('blue-4711')
    const options = { tokens: [crew.token], scenario }
    await expect(resume(folder, options)).rejects.toThrow(
      "give --header 'x-team: ...' --set kickoff.meta.team=... --set headers.x-key=...",
    )
    const more = { ...secret, 'inputs.topic': 'ants' }
    await expect(resume(folder, { ...options, headers, set: more })).rejects.toThrow(
      '--set inputs.topic: is not among the options of',
    )
    await resume(folder, { ...options, headers, set: secret })
    expect(await leftBehind(folder)).toEqual([])
  })

  test('by a target that does not take the token, with nothing changed', async () => {
    await using out = await temporaryFolder()
    const folder = await stoppedRun(out.path)
    const before = await readFile(join(folder, 'executions.ndjson'), 'utf8')
    await expect(resume(folder, { tokens: ['wrong'], scenario })).rejects.toThrow(
      'refused our token',
    )
    expect(await readFile(join(folder, 'executions.ndjson'), 'utf8')).toBe(before)
  })

  test('without the scenario that came as an object, and while somebody works on the folder', async () => {
    await using out = await temporaryFolder()
    const folder = await stoppedRun(out.path)
    await expect(resume(folder, { tokens: [crew.token] })).rejects.toThrow(
      'give it with --scenario FILE',
    )
    const hold = await lockFolder(folder)
    await expect(resume(folder, { scenario })).rejects.toThrow('is still using it')
    await hold.release()
  })

  test('for a run in virtual time, and for a folder that holds none', async () => {
    await using out = await temporaryFolder()
    const { folder } = await run(
      {
        ...scenario,
        arrivals: { clients: 1, iterations: 1 },
        inputs: { topic: 'a', audience: 'b' },
      },
      { engine: 'virtual', profile: 'fast', out: out.path },
    )
    await expect(resume(folder!)).rejects.toThrow('nothing is in flight; run it again')
    await expect(resume(out.path)).rejects.toThrow('no run can be read there')
  })
})
