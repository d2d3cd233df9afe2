/** How a run polls a crew that is not ours, beside a `Retry-After` on every answer. */
import { describe, expect, test } from 'vitest'
import { pythonOrSkip, startStranger } from '../../support/targets/stranger.ts'
import { CONSENT, newOwner } from './owner.ts'

const python = pythonOrSkip('the polls of a crew that is not ours')

const LIMIT = { requests: 20, seconds: 2 }

describe.skipIf(python === null)('a limiter in the manner of slowapi', () => {
  test('does not slow the polls of a run, none of which it refuses', async () => {
    const tasks = [{ name: 'research', agent: 'Researcher', mean: 1.5, cv: 0.1 }]
    await using crew = await startStranger({ tasks, limit: { ...LIMIT, scope: 'path' } })
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
