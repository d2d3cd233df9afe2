/** `crewload limits` on a crew that is not ours and keeps a limit as slowapi does. */
import { describe, expect, test } from 'vitest'
import type { LimitsDocument } from '../../../src/study/limits/document.ts'
import { limitsSchema } from '../../../src/study/limits/document.ts'
import { pythonOrSkip, startStranger } from '../../support/targets/stranger.ts'
import { newOwner } from './owner.ts'

const python = pythonOrSkip('the limits of a crew that is not ours')

const LIMIT = { requests: 20, seconds: 3 }
const MOST_STUDIES = 4

/** Other work on this machine delayed so many requests that no window is claimed. */
function isLate({ operations }: LimitsDocument): boolean {
  return operations.status!.reasons.some(({ code }) => code === 'late')
}

describe.skipIf(python === null)('a limiter in the manner of slowapi', () => {
  test.each(['path', 'client'] as const)('is found, with a counter for each %s', async (scope) => {
    await using crew = await startStranger({ limit: { ...LIMIT, scope } })
    await using owner = await newOwner('')
    const what = ['--max-kickoffs', '1', '--operations', 'status', '--yes']
    const ask = async (): Promise<{ code: number | null; document: LimitsDocument }> => {
      const { code, stdout } = await owner.ask('limits', '--target', crew.url, ...what, '--json')
      return { code, document: limitsSchema.parse(JSON.parse(stdout)) }
    }
    let studies = 1
    let { code, document } = await ask()
    for (; isLate(document) && studies < MOST_STUDIES; studies++) ({ code, document } = await ask())
    // On a machine that stays busy, that is what is said: no window is claimed.
    if (isLate(document) && code === 4) return
    const { verdict, operations, kickoffs } = document
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
    expect(requests.filter(({ path }) => path === '/kickoff')).toHaveLength(studies)
  })
})
