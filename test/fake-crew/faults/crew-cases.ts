/** Faults of the crew as a whole, and what each must end in. */
import type { Outcome } from '../../../src/execution/record.ts'

export interface CrewCase {
  fault: string
  outcome: Outcome
  /** Each of these, and nothing else, may stand in the errors; one of them must, if there are any. */
  errors: string[]
}

/** By then every kickoff has been answered, also on a busy machine. */
const LATER = 'window: { from: 1500ms }'
const MEANWHILE = 'window: { from: 1500ms, for: 500ms }'
const GONE = ['404', 'reset', 'closed']
const AWAY = ['refused', 'reset', 'closed']

export const CREW_CASES: [string, CrewCase][] = [
  [
    'a restart that loses all',
    { fault: `{ restart: { loses: all }, ${LATER} }`, outcome: 'lost', errors: GONE },
  ],
  [
    'a restart that loses what runs, and takes its time',
    {
      fault: `{ restart: { loses: running }, ${MEANWHILE} }`,
      outcome: 'lost',
      errors: ['404', ...AWAY],
    },
  ],
  [
    'a restart that loses nothing, and takes its time',
    { fault: `{ restart: { loses: none }, ${MEANWHILE} }`, outcome: 'completed', errors: AWAY },
  ],
  [
    'a token revoked in mid-run',
    { fault: `{ denied: {}, ${LATER} }`, outcome: 'unreadable', errors: ['401'] },
  ],
  [
    'a wrong wall clock',
    { fault: '{ clockSkew: { behind: 1h } }', outcome: 'completed', errors: [] },
  ],
]

/** It needs a run of its own: kickoffs that want a new connection while it lasts. */
export const REFUSE = '{ refuse: {}, window: { for: 4s } }'
