/** `crewload/vitest`: the assertions on a client, with their types for vitest's `expect`. */
import type { Assertion } from 'vitest'
import type { AskedCrew, CrewMatchers } from './index.ts'

export type { AskedCrew, CrewMatchers, Tolerance } from './index.ts'
export { crewMatchers, expectCrew } from './index.ts'

/** What `expect(crew)` returns, with these assertions. */
export type CrewAssertion = Assertion<AskedCrew>

declare module 'vitest' {
  interface Matchers<T> extends CrewMatchers<T> {}
}
