/** `crewload limits` on a crew that is not ours and keeps a limit as slowapi does. */
import { describe, expect, test } from 'vitest'
import { limitsSchema } from '../../../src/study/limits/document.ts'
import { pythonOrSkip, startStranger } from '../../support/targets/stranger.ts'
import { newOwner } from './owner.ts'

const python = pythonOrSkip('the limits of a crew that is not ours')

const LIMIT = { requests: 20, seconds: 3 }

describe.skipIf(python === null).concurrent('a limiter in the manner of slowapi', () => {
  test.each(['path', 'client'] as const)('is found, with a counter for each %s', async (scope) => {
    await using crew = await startStranger({ limit: { ...LIMIT, scope } })
    await using owner = await newOwner('')
    const what = ['--kickoffs', '1', '--operations', 'status', '--yes']
    const { code, stdout } = await owner.ask('limits', '--target', crew.url, ...what, '--json')
    const { verdict, operations, kickoffs } = limitsSchema.parse(JSON.parse(stdout))
    expect([code, verdict.outcome, kickoffs]).toEqual([0, 'answered', 1])
    const { limit, windowMs, kind, aligned, scope: found } = operations.status!
    expect([kind, limit!.value]).toEqual(['fixed-window', LIMIT.requests])
    // Whether it begins by a first request may stay unknown on a busy machine.
    expect(aligned).not.toBe('calendar')
    expect(Math.abs(windowMs!.value / 1_000 / LIMIT.seconds - 1)).toBeLessThan(0.05)
    expect(windowMs!.low).toBeLessThanOrEqual(LIMIT.seconds * 1_000)
    expect(windowMs!.high).toBeGreaterThanOrEqual(LIMIT.seconds * 1_000)
    expect(found.path).toBe(scope === 'path')
    const { requests } = await crew.truth()
    expect(requests.filter(({ path }) => path === '/kickoff')).toHaveLength(1)
  })
})
