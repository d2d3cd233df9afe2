/** Documents of searches that end in every way a reader may meet. */
import type { Random } from '../../../src/base/random.ts'
import type { CapacityDocument } from '../../../src/study/capacity/document.ts'
import { once } from '../../support/study-samples.ts'
import { documentOf, exponential } from './searched.ts'
import { MEAN_MICROS, promise } from './systems.ts'

const uniform = (random: Random): number => MEAN_MICROS * (0.5 + random.next())
const thrashing = (random: Random, busy: number): number => uniform(random) * (busy > 20 ? 5 : 1)

/** A processor that works at full speed on 2.3 executions. */
const onProcessors = (random: Random, busy: number): number =>
  uniform(random) * Math.max(1, busy / 2.3)

const simulated = 20_000
const crew = { slots: 8, serviceMicros: exponential }
const median = [promise('execution.p50', '< 20s')]

export const SAMPLES: Readonly<Record<string, () => CapacityDocument>> = {
  answered: once(() => documentOf(crew, { simulated, within: 0.1 }, { expectedPerHour: 300 })),
  below: once(() => documentOf(crew, { simulated }, { expectedPerHour: 900 })),
  alone: once(() =>
    documentOf({ slots: 5, serviceMicros: uniform }, { simulated, criteria: median }),
  ),
  unlimited: once(() =>
    documentOf({ slots: 1_000, serviceMicros: uniform }, { simulated, mostClients: 64 }),
  ),
  cliff: once(() =>
    documentOf({ slots: 40, serviceMicros: thrashing }, { simulated, budget: 5_000 }),
  ),
  'last-come': once(() =>
    documentOf(
      { slots: 4, serviceMicros: exponential, lastComeFirst: true },
      { simulated, within: 0.1 },
    ),
  ),
  shared: once(() =>
    documentOf({ slots: 4, serviceMicros: onProcessors }, { simulated, within: 0.15 }),
  ),
  poor: once(() => documentOf(crew, { simulated, budget: 300, within: 0.02 })),
}
