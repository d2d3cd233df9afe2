/** An interval reaches as far as the answers leave a parameter open. */
import { expect, test } from 'vitest'
import { drawLimiter } from '../../../../../../bench/truth/limits/draw.ts'
import { onFastNetwork } from '../../../../../../bench/truth/limits/fast.ts'
import { judge } from '../../../../../../bench/truth/limits/judge.ts'
import { inferIn, worldOf } from '../../../../../../bench/truth/limits/trial.ts'

test.each([97_084, 97_273, 97_546, 97_749])(
  'of a penalty on a network of 1 ms, seed %i',
  (seed) => {
    const drawn = onFastNetwork(drawLimiter(seed))
    expect(drawn.kind).toBe('penalty')
    const judged = judge(drawn, inferIn(worldOf(drawn), seed).conclusion)
    // Null where nothing is claimed.
    expect(judged.covered).not.toBe(false)
    expect(judged.claimClose).not.toBe(false)
  },
)
