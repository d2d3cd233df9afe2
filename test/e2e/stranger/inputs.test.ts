/** A crew that is not ours and lists inputs which it does not need, or refuses. */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from 'crewload/run'
import { pythonOrSkip, startStranger } from '../../support/targets/stranger.ts'
import { CONSENT, newOwner } from './owner.ts'

const python = pythonOrSkip('the inputs of a crew that is not ours')

const LOAD = "arrivals: { clients: 2, iterations: 4 }, polling: { fixed: '40ms' }"

describe.skipIf(python === null).concurrent('inputs that are listed', () => {
  test.each([true, false])('and not needed stop nothing; described: %s', async (described) => {
    const listed = { required: ['topic'], optional: ['history'], reserved: ['id'], described }
    await using crew = await startStranger(listed)
    await using owner = await newOwner(LOAD)
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
    await using owner = await newOwner(LOAD)
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
