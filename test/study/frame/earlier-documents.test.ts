/** Documents of studies that an earlier version wrote are read: what they lack has a default. */
import { expect, test } from 'vitest'
import { limitsSchema } from '../../../src/study/limits/document.ts'
import { pollingSchema } from '../../../src/study/polling/document.ts'
import { answered as limits } from '../limits/sample-limits.ts'
import { answered as polling } from '../polling/sample-pollings.ts'

/** A copy as a file has it, without members of these names, however deep. */
function without(document: unknown, ...names: readonly string[]): unknown {
  return JSON.parse(
    JSON.stringify(document, (name, value: unknown) => (names.includes(name) ? undefined : value)),
  )
}

test('limits: without the steps of the plan, and what was tried for a shared limit', () => {
  const { plan, operations } = limitsSchema.parse(without(limits(), 'steps', 'tried'))
  expect(plan.steps).toEqual([])
  expect(operations.status!.scope.tried).toEqual([])
})

test('polling: without the limits that the quota is from', () => {
  const { limits: _limits, ...wish } = polling().wish
  const document = { ...polling(), wish }
  expect(pollingSchema.parse(without(document)).wish.limits).toBeNull()
})
