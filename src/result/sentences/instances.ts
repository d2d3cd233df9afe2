/** Some of the instances of a run in words: by their numbers, from 0, as in their journals. */
import { z } from 'zod'
import { formatCount, inNumber } from '../../base/numbers.ts'
import { listed } from '../../base/text.ts'
import { count } from '../document-parts.schema.ts'

/** Further instances are only counted. */
export const INSTANCES_NAMED = 5

export const someInstances = z.object({
  numbers: z.array(count).describe('The first five of them, from 0'),
  count,
  of: count.describe('All instances of the run'),
})
export type SomeInstances = z.infer<typeof someInstances>

/** `count`: default all that are given. */
export function someOf(
  all: readonly { instance: number }[],
  of: number,
  count = all.length,
): SomeInstances {
  const numbers = all.slice(0, INSTANCES_NAMED).map(({ instance }) => instance)
  return { numbers, count, of }
}

/**
 * `instance 4 of 10`, `instances 3 and 7 of 10`, `instances 0, 1, 2, 3, 4 and 995 more of 1,000`.
 */
export function instanceNames({ numbers, count, of }: SomeInstances): string {
  const more = count - numbers.length
  const words = numbers.map(String)
  if (more > 0) words.push(`${formatCount(more)} more`)
  const noun = inNumber(words.length, 'instance', 'instances')
  return `${noun} ${listed(words)} of ${formatCount(of)}`
}

/** `the run` if it has a single instance. */
export function runOrInstances(some: SomeInstances): string {
  return some.of === 1 ? 'the run' : instanceNames(some)
}

/** `the run was` if it has a single instance; else `instances 3 and 7 of 10 were`. */
export function subject(alone: string, some: SomeInstances): string {
  if (some.of === 1 || some.count === 0) return `${alone} was`
  return `${instanceNames(some)} ${inNumber(some.count, 'was', 'were')}`
}
