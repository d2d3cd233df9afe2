/**
 * Measures how well rate limiters are inferred from answers alone: `node bench/run.mjs limits
 * [count] [seed]` prints bench/results/limiter-inference.md, and a line for each limiter on
 * standard error. The seeds of the document begin at 80,000; development uses smaller ones.
 */
import type { HeaderDialect } from '../../fake-crew/model/limits/headers.ts'
import { HEADER_DIALECT_NAMES } from '../../fake-crew/model/limits/headers.ts'
import type { Drawn } from './limits/draw.ts'
import { drawLimiter } from './limits/draw.ts'
import { onFastNetwork, penaltiesFrom } from './limits/fast.ts'
import { judge } from './limits/judge.ts'
import { lineOf } from './limits/line.ts'
import { OTHERS } from './limits/others.ts'
import { inferShared } from './limits/shared.ts'
import type { Row } from './limits/table.ts'
import { documentOf } from './limits/table.ts'
import { inferIn, worldOf } from './limits/trial.ts'
import type { ServiceName } from './limits/varying.ts'
import { inferVaried, SERVICES } from './limits/varying.ts'

const [count = '200', firstSeed = '10000'] = process.argv.slice(2)
const DIALECTS = HEADER_DIALECT_NAMES.filter((name) => name !== 'none')
/** The number of limiters that are tried while another client uses them. */
const OF_SHARED = Math.ceil(Number(count) / 3)
/** The number of limiters, and of penalties alone, that are tried on a fast network. */
const OF_FAST = Math.ceil(Number(count) / 2)
const OF_PENALTIES = Math.ceil(Number(count) * 0.4)
/** The number of limiters that are tried in front of a target whose service times vary. */
const OF_VARIED = Math.ceil(Number(count) / 2)
/** The number of trials for each target without a limiter. */
const OF_OTHERS = Math.ceil(Number(count) / 20)

const rows = seeds(Number(count)).map((seed) => rowOf(drawLimiter(seed)))
/**
 * The same limiters again; each now reports its true state in headers, in one dialect after the
 * other.
 */
const told = rows.map(({ drawn }) => rowOf(drawn, DIALECTS[drawn.seed % DIALECTS.length]))
const others = Object.entries(OTHERS).map(([name, worldFrom]) => ({
  name,
  conclusions: seeds(OF_OTHERS).map((seed) => inferIn(worldFrom(seed), seed).conclusion),
}))
const shared = new Map(
  [0.1, 0.4].map((share) => [
    share,
    rows
      .slice(0, OF_SHARED)
      .map(({ drawn }) => inferShared(drawn, share))
      .filter((one) => one !== null),
  ]),
)
const fast = new Map([
  ['all kinds', rows.slice(0, OF_FAST).map(({ drawn }) => rowOf(onFastNetwork(drawn)))],
  [
    'penalties',
    penaltiesFrom(Number(firstSeed), OF_PENALTIES).map((drawn) => rowOf(onFastNetwork(drawn))),
  ],
])
const varied = new Map(
  (Object.keys(SERVICES) as ServiceName[]).map((name) => [
    name,
    rows.slice(0, OF_VARIED).map(({ drawn }) => inferVaried(drawn, name)),
  ]),
)
process.stdout.write(
  documentOf({ rows, told, others, shared, fast, varied, firstSeed: Number(firstSeed) }),
)

function rowOf(drawn: Drawn, dialect: HeaderDialect = 'none'): Row {
  const trial = inferIn(worldOf(drawn, dialect), drawn.seed)
  const row = { drawn, trial, judged: judge(drawn, trial.conclusion) }
  const prefix = dialect === 'none' ? '' : `${dialect} `
  process.stderr.write(`${prefix}${lineOf(row)}\n`)
  return row
}

function seeds(length: number): number[] {
  return Array.from({ length }, (_, i) => Number(firstSeed) + i)
}
