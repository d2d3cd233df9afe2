/** Names of instances in sentences: by their numbers, from 0, as in their journals. */
import { formatCount } from '../metrics/format.ts'
import { listed } from '../../base/text.ts'

/** Further instances are only counted. */
export const INSTANCES_NAMED = 5

/**
 * `instance 4 of 10`, `instances 3 and 7 of 10`, `instances 0, 1, 2, 3, 4 and 995 more of 1,000`.
 * `numbers` are the first of `count`, default all; at least one.
 */
export function instanceNames(
  numbers: readonly number[],
  of: number,
  count = numbers.length,
): string {
  const named = numbers.slice(0, INSTANCES_NAMED).map(String)
  const more = count - named.length
  const words = more > 0 ? [...named, `${formatCount(more)} more`] : named
  const all = formatCount(of)
  if (words.length === 1) return `instance ${words[0]} of ${all}`
  return `instances ${listed(words)} of ${all}`
}

/** `the run` if it has a single instance. */
export function runOrInstances(numbers: readonly number[], of: number): string {
  return of === 1 ? 'the run' : instanceNames(numbers, of)
}

/** How many instances a run has, according to its first line. */
export function instancesOf(runs: readonly { instances: number }[]): number {
  return runs[0]?.instances ?? 1
}
