/**
 * Measures how often ramps, steps and spikes are judged correctly when the true value is at the
 * bound, and well inside it.
 */
import { createRandom } from '../../../src/base/random.ts'
import {
  exceededBy,
  judgedAt,
  longSpike,
  ramp,
  spike,
  steps,
  variedRuns,
} from '../../../test/support/cells/varied-load.ts'

const SEED = 20_261_123

const ARRIVALS = 660
const SHAPES = [
  ['ramp from a tenth to the peak', ramp],
  ['four steps', steps],
  ['spike of 1/18, five times the base', spike],
  ['spike of 1/3, five times the base', longSpike],
] as const

const INTRODUCTION = `## Load that varies by plan

{n} simulated runs a row (seed ${SEED}) of about ${ARRIVALS} arrivals each in M/M/c queues that begin empty; "peak" is the load where the rate is highest. The truth is
over all runs of the same schedule: the share of their executions that are beyond the bound of \`execution.p95\`, which allows 5 %. Figures are % of the runs.

| schedule | c | peak | truth | met | missed | met, judged as a steady load | nothing beyond the bound |
| -------- | -: | ---: | ----: | --: | -----: | ---------------------------: | -----------------------: |
`

/** Yields the text piece by piece as it is computed. */
export function* variedSection(replications: number): Generator<string> {
  const random = createRandom(SEED)
  yield INTRODUCTION.replace('{n}', String(replications))
  const percent = (count: number): string => ((100 * count) / replications).toFixed(1)
  for (const [name, shape] of SHAPES) {
    for (const servers of [4, 10]) {
      for (const peakLoad of [0.67, 0.85, 1, 1.2, 1.5]) {
        const queue = { servers, peakLoad, shape, arrivals: ARRIVALS }
        const runs = variedRuns(queue, replications, random.fork(`${name} ${servers} ${peakLoad}`))
        for (const truth of [0.05, 0.001]) {
          const told = judgedAt(exceededBy(truth, runs), runs)
          const counts = [told.met, told.missed, told.metAsSteady, told.none].map(percent)
          const cells = [name, servers, peakLoad, `${truth * 100} %`, ...counts]
          yield `| ${cells.join(' | ')} |\n`
        }
      }
    }
  }
  yield '\n'
}
