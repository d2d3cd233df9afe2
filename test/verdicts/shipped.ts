/** How each shipped scenario is run on each shipped profile, where it is not as it stands. */

export interface ShippedScenario {
  speed?: number
  /** What shortens it where its verdict stays the same. */
  set?: Readonly<Record<string, string>>
  /** How it was shortened or run otherwise, for whoever reads the table. */
  note?: string
}

const FOUR_MINUTES: ShippedScenario = {
  set: { 'arrivals.for': '4m' },
  note: 'For four minutes in place of ten.',
}

export const SHIPPED: Readonly<Record<string, ShippedScenario>> = {
  chaos: {},
  closed: {},
  demo: {
    speed: 120,
    note: 'At speed 120, as `crewload demo` runs it: latencies of HTTP keep their real time, and count 120-fold.',
  },
  ramp: {},
  'rate-limit': {
    set: {
      'arrivals.steps[0].for': '1m',
      'arrivals.steps[1].for': '2m',
      'arrivals.steps[2].for': '1m',
    },
    note: 'With steps of one, two and one minutes in place of five each.',
  },
  recovery: FOUR_MINUTES,
  'retry-storm': FOUR_MINUTES,
  smoke: {},
  soak: {},
  spike: {},
  steady: {},
}
