/** Takes a group into a model's state, and what headers say of the state after it. */
import type { RequestGroup, Grouped } from '../evidence/group.ts'
import type { Model } from '../hypotheses/hypothesis.ts'

/**
 * Where all of the limit is left, nothing before matters. Buckets are left alone: they may have
 * filled between the group and its answers.
 */
export function advance(
  model: Model<unknown>,
  state: unknown,
  group: RequestGroup,
  promise: Grouped['promise'],
): void {
  model.advance(state, group, group.refused)
  if (group.left === null || promise === null || model.turnMs !== null) return
  const isFull = group.left.count >= promise.limit
  if (isFull && state !== null) Object.assign(state as object, model.fresh())
}
