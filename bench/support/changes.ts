/** The changes to a crew of known truth, by the name of their row in the tables of docs. */
import type { Crew } from '../../test/support/ci/gates.ts'

export const CHANGES: readonly (readonly [name: string, change: Partial<Crew>])[] = [
  ['all times +5 %', { slower: 1.05 }],
  ['all times +10 %', { slower: 1.1 }],
  ['all times +15 %', { slower: 1.15 }],
  ['all times +30 %', { slower: 1.3 }],
  ['failed 0.5 % to 2 %', { failed: 0.02 }],
  ['2 % newly lost', { unserved: 0.02 }],
]
