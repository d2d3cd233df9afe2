/** A limiter behind a simulated network, by what a profile says of it. */
import type { WorldOptions } from '../../../bench/truth/limits/world.ts'
import { World } from '../../../bench/truth/limits/world.ts'
import { parseProfileText } from '../../../fake-crew/profiles.ts'

/** `limiters`: each as a profile has it, as in `slidingLog: { limit: 12, window: 3s }`. */
export function profileWorld(
  limiters: string | readonly string[],
  seed: number,
  more: Partial<Omit<WorldOptions, 'limits' | 'seed'>> = {},
): World {
  const rules = [limiters]
    .flat()
    .map((limiter, i) => `{ name: polls${i}, operations: [status], per: all, ${limiter} }`)
  const text = `{ description: limited, inputs: [topic], tasks: [{ id: a, agent: A, duration: 1s }], limits: { rules: [${rules.join(', ')}] } }`
  const { limits } = parseProfileText(text, 'limited.yaml')
  return new World({
    seed,
    limits: limits.rules,
    anchorUnixMs: 1_790_000_000_000,
    jitterMs: 4,
    serviceMs: () => 6,
    ...more,
  })
}
