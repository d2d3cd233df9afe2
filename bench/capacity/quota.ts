/**
 * Searches for the capacity of drawn crews that share a quota or a processor, with at most 3,000
 * kickoffs within 5 %: `node bench/run.mjs quota [crews] [first seed]` prints a table of
 * bench/results/capacity.md. The truth is that of long simulations of each crew, by code of the
 * bench's own.
 */
import { limitOf, oneMoreWorkerOf } from '../../src/study/capacity/analyse/analyse.ts'
import { rangesOf } from '../../src/study/capacity/analyse/search/estimator.ts'
import type { DrawnCrew } from './quota/crews.ts'
import { KINDS, drawCrew } from './quota/crews.ts'
import { searchOf } from './quota/trial.ts'
import { truthOf } from './quota/truth.ts'

const [crews = '150', first = '0'] = process.argv.slice(2)
const ASKED = { budget: 3_000, within: 0.05, simulated: 100_000 }

/** What it is told to bring at most, where it brings nothing. */
const NOTHING = 0.05

interface Row {
  crew: DrawnCrew
  accepted: boolean
  off: number
  holds: boolean
  limit: string | null
  /** Whether the capacity with one more worker lies in the range that was told; null for none. */
  moreHolds: boolean | null
  /** Whether one more worker is told to bring at most 5 %; null where nothing is told. */
  isNothing: boolean | null
}

/** Tells each crew on the standard error, since a table takes half an hour. */
function rowOf(seed: number): Row {
  const crew = drawCrew(seed)
  const { capacity: truth, withOneMore: more } = truthOf(crew)
  const search = searchOf(crew, ASKED)
  const { estimate, confirmation } = search
  const capacity = estimate === null ? null : rangesOf(estimate).capacity
  const one = capacity === null ? null : oneMoreWorkerOf(search, capacity)
  const told = { seed, kind: crew.kind, share: crew.share, truth, capacity, more, one }
  process.stderr.write(`${JSON.stringify(told)}\n`)
  return {
    crew,
    accepted:
      capacity !== null &&
      confirmation !== null &&
      confirmation.parts.every(({ agrees }) => agrees),
    off: (capacity?.perHour ?? 0) / truth - 1,
    holds: capacity !== null && capacity.low <= truth && truth <= capacity.high,
    limit: limitOf(search)?.kind ?? null,
    moreHolds: one === null ? null : one.low <= more && more <= one.high,
    isNothing: one === null ? null : one.gain <= NOTHING,
  }
}

/** What the limit is, where that is beyond doubt. */
function trueLimit({ kind, share }: DrawnCrew): string | null {
  if (kind === 'none' || share > 1.2) return 'workers'
  return share < 0.8 ? 'shared' : null
}

const rows = Array.from({ length: Number(crews) }, (_, i) => rowOf(Number(first) + i))

function lineOf(name: string, own: readonly Row[]): string {
  const accepted = own.filter((row) => row.accepted)
  const clear = accepted.filter(({ crew }) => trueLimit(crew) !== null)
  const ranged = accepted.filter(({ moreHolds }) => moreHolds !== null)
  const capped = ranged.filter(({ crew: { kind, share } }) => kind !== 'none' && share < 0.7)
  const of = (few: readonly Row[], all: readonly Row[]): string => `${few.length} of ${all.length}`
  const cells = [
    name,
    `${own.length}`,
    of(accepted, own),
    of(
      accepted.filter(({ off }) => Math.abs(off) <= 0.05),
      accepted,
    ),
    of(
      accepted.filter(({ off }) => Math.abs(off) <= 0.1),
      accepted,
    ),
    of(
      accepted.filter(({ holds }) => holds),
      accepted,
    ),
    of(
      clear.filter(({ crew, limit }) => limit === trueLimit(crew)),
      clear,
    ),
    of(
      ranged.filter(({ moreHolds }) => moreHolds),
      ranged,
    ),
    of(
      capped.filter(({ isNothing }) => isNothing),
      capped,
    ),
  ]
  return `| ${cells.join(' | ')} |`
}

const wrong = rows.filter(
  ({ accepted, crew, limit }) =>
    accepted && limit === 'workers' && crew.kind !== 'none' && crew.share < 0.8,
)
process.stdout.write(
  [
    '| what is shared | crews | accepted | within 5 % | within 10 % | interval holds | limit right | one more worker in its range | told at most 5 % more, below 0.7 |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...KINDS.map((kind) =>
      lineOf(
        kind,
        rows.filter(({ crew }) => crew.kind === kind),
      ),
    ),
    lineOf('all', rows),
    '',
    `"Workers" where less than 0.8 of what they could do is shared: ${wrong.length}.`,
    '',
  ].join('\n'),
)
