/** A crew that is not ours and asks people, as live deployments do, against whom it asked. */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from 'crewload/run'
import type { StrangerSettings } from '../../support/targets/stranger.ts'
import { pythonOrSkip, startStranger } from '../../support/targets/stranger.ts'
import { CONSENT, newOwner } from './owner.ts'

const python = pythonOrSkip('a crew that is not ours and asks people')

const LOAD = "arrivals: { rate: '5/s', for: '2s' }, polling: { fixed: '30ms' },"

/** The first task takes so long that polls see it at work, on a busy machine too. */
const CREW = {
  dialect: 'platform',
  workers: 10,
  tasks: [
    { name: 'draft', agent: 'Writer', mean: 0.8, cv: 0.1 },
    { name: 'publish', agent: 'Publisher', mean: 0.1, cv: 0.1 },
  ],
} satisfies StrangerSettings
const ASKS = { after: 1, shown: 'not found' } as const

describe.skipIf(python === null).concurrent('people who are asked', () => {
  test.each([
    ['not found', 'human: true'],
    ['paused', ''],
  ] as const)('and answer late end nothing: "%s"', async (shown, members) => {
    const person = { after: 1, seconds: 1.5, shown }
    await using crew = await startStranger({ ...CREW, person })
    await using owner = await newOwner(`${LOAD} ${members}`)
    const args = ['run', 'scenario.mjs', '--target', crew.url, ...CONSENT, '--json']
    const { code, stdout } = await owner.ask(...args)
    const { outcomes, arrivals } = JSON.parse(stdout) as ResultDocument
    const { executions } = await crew.truth()
    expect(executions.every(({ ended, personAnswered }) => ended! > personAnswered!)).toBe(true)
    expect([code, arrivals, outcomes.completed]).toEqual([0, 10, executions.length])
  })

  test('and never answer are waited for to the deadline, which is no failure of the crew', async () => {
    const person = { ...ASKS, seconds: null }
    await using crew = await startStranger({ ...CREW, person })
    await using owner = await newOwner(`${LOAD} human: true, deadline: '4s'`)
    const args = ['run', 'scenario.mjs', '--target', crew.url, ...CONSENT, '--json']
    const { code, stdout } = await owner.ask(...args)
    const { outcomes, verdict } = JSON.parse(stdout) as ResultDocument
    const { executions } = await crew.truth()
    const asked = executions.filter(({ askedPerson }) => askedPerson !== null).length
    expect([code, verdict.outcome, outcomes.paused]).toEqual([4, 'inconclusive', asked])
  })

  test('and answer after the deadline are asked about again by resume', async () => {
    await using crew = await startStranger({ ...CREW, person: { ...ASKS, seconds: 6 } })
    await using owner = await newOwner(`${LOAD} human: true, deadline: '2s'`)
    const first = await owner.ask('run', 'scenario.mjs', '--target', crew.url, ...CONSENT)
    expect([first.code, first.stdout]).toEqual([4, expect.stringContaining('crewload resume')])
    const [folder] = await owner.runs()
    const again = await owner.ask('resume', folder!, '--json')
    const { executions } = await crew.truth()
    expect(again.stderr).toContain(`${executions.length} executions waited for a person`)
    const { outcomes, verdict, arrivals } = JSON.parse(again.stdout) as ResultDocument
    expect([again.code, arrivals, outcomes.completed]).toEqual([4, 10, executions.length])
    expect(verdict.reasons[0]!.message).toMatch(
      /^the run ended after \d.* to ask again about 10 executions that waited for a person/,
    )
    const over = await owner.ask('resume', folder!)
    expect([over.code, over.stderr]).toEqual([2, expect.stringContaining('nothing to resume')])
  })

  test('and are not named in the scenario are one reason for "not found", not the only one', async () => {
    const person = { ...ASKS, seconds: 4 }
    await using crew = await startStranger({ ...CREW, person })
    await using owner = await newOwner(`${LOAD} notFoundGrace: '500ms'`)
    const { code, stdout } = await owner.ask(
      'run',
      'scenario.mjs',
      '--target',
      crew.url,
      ...CONSENT,
    )
    expect(code).toBe(1)
    expect(stdout).toMatch(/lost 10/)
    expect(stdout).toMatch(/human: true/)
    expect(stdout).not.toMatch(/start them again/)
  })
})
