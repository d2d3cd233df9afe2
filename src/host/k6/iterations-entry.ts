/** Binds a bundle in the mode of iterations to k6. Only inside k6 can this file be loaded; the bundle's own entry re-exports what it gives. */
import { check } from 'k6'
import { SharedArray } from 'k6/data'
import { scenario as current, vu } from 'k6/execution'
import { Counter, Trend } from 'k6/metrics'
import type { Options } from 'k6/options'
import { k6World } from './calls.ts'
import type { Lists } from './entry.ts'
import { sharedOf } from './entry.ts'
import type { Instruments } from './iterations-meters.ts'
import { COUNTERS, TRENDS } from './iterations-meters.ts'
import type { K6Summary } from './iterations-summary.ts'
import { intendedTimes } from './iterations-turns.ts'
import type { Begun } from './iterations.ts'
import { createIterationsScript } from './iterations.ts'
import type { Bundled } from './script.ts'

export interface K6Iterations {
  options: Options
  setup: () => Begun
  iteration: (begun: Begun) => Promise<void>
  handleSummary: (summary: K6Summary & { setup_data?: Begun }) => Record<string, never>
}

/** Called in k6's init context, by each VU. */
export function k6Iterations(bundled: Bundled, lists: Lists, scenario: unknown): K6Iterations {
  const shared = sharedOf(lists)
  const { arrivals, seed } = bundled.plan
  const times = new SharedArray('times', () => {
    const whole =
      arrivals.kind === 'replay' ? { ...arrivals, offsetsMicros: lists.offsetsMicros() } : arrivals
    return intendedTimes({ arrivals: whole, seed })
  })
  const body = { world: k6World, instruments: k6Instruments() }
  const script = createIterationsScript(body, __ENV, bundled, { ...shared, times }, scenario)
  return {
    options: script.options,
    setup: script.setup,
    iteration: async (begun) => script.iteration(begun, current.iterationInTest, vu.idInTest),
    handleSummary: ({ setup_data: begun, ...summary }) => {
      script.summary(begun ?? null, summary)
      return {}
    },
  }
}

function k6Instruments(): Instruments {
  const counters = made(COUNTERS, (name) => new Counter(name))
  const trends = made(TRENDS, (name) => new Trend(name, true))
  return {
    count: (counter, by, tags) => counters[counter].add(by, tags),
    time: (trend, ms) => trends[trend].add(ms),
    check: (name, passed) => {
      check(null, { [name]: () => passed })
    },
  }
}

function made<K extends string, M>(
  names: Readonly<Record<K, string>>,
  make: (name: string) => M,
): Record<K, M> {
  const pairs = Object.entries<string>(names).map(([key, name]) => [key, make(name)])
  return Object.fromEntries(pairs) as Record<K, M>
}
