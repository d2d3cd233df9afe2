/** A study searches only so much, counted in replayed groups, and claims nothing wrong for it. */
import { afterEach, expect, test, vi } from 'vitest'
import { drawLimiter } from '../../../../../../bench/truth/limits/draw.ts'
import { judge } from '../../../../../../bench/truth/limits/judge.ts'
import { inferIn, worldOf } from '../../../../../../bench/truth/limits/trial.ts'
import { SearchWork } from '../../../../../../src/study/limits/analyse/infer/search/pool.ts'

afterEach(() => vi.restoreAllMocks())

/** With all effort to the end, these take 8.4 and 6.6 million. */
test.each([20_114, 30_088])(
  'seed %i, a study that takes much: five million groups are replayed at most',
  (seed) => {
    const spend = vi.spyOn(SearchWork.prototype, 'spend')
    const drawn = drawLimiter(seed)
    const { conclusion } = inferIn(worldOf(drawn), seed)
    const groups = spend.mock.calls.reduce((sum, [each]) => sum + each, 0)
    expect(groups).toBeLessThan(5_000_000)
    const { kindRight, limitExact } = judge(drawn, conclusion)
    const isWrong = conclusion.outcome === 'settled' && !(kindRight && limitExact === true)
    expect(isWrong).toBe(false)
  },
)
