import { rangesOf } from '../../src/study/capacity/analyse/search/estimate.ts'
import { drawCrew, workersPerHour } from './quota/crews.ts'
import {
  limitOf,
  oneMoreWorkerOf,
  sharedPerHourOf,
} from '../../src/study/capacity/analyse/limit/limit.ts'
import { promisesOf, searchOf } from './quota/trial.ts'
import { capacityOf, capacityWithOneMore } from './quota/truth.ts'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const [count = 30, from = 0] = process.argv.slice(2).map(Number)
const CACHE = '/tmp/quota-truth.json'
const cache = existsSync(CACHE) ? JSON.parse(readFileSync(CACHE, 'utf8')) : {}
for (let seed = from; seed < from + count; seed++) {
  const crew = drawCrew(seed)
  const key = `${seed}`
  if (cache[key] === undefined && process.env.TRUTH !== '1') continue
  if (cache[key] === undefined) {
    const one = capacityOf(crew)
    cache[key] = [one, capacityWithOneMore(crew, one)]
    writeFileSync(CACHE, JSON.stringify(cache))
  }
  if (process.env.TRUTH === '1') continue
  const [truth, more] = cache[key]
  const began = process.cpuUsage()
  const search = searchOf(crew, { budget: 3000, within: 0.05, simulated: 100_000 })
  const used = process.cpuUsage(began)
  const { estimate } = search
  const capacity = estimate === null ? null : rangesOf(estimate).capacity
  const kick = search.loads.reduce((n, { facts }) => n + facts.seen.executions.length, 0)
  const shared = estimate?.system.shared ?? null
  const bad = search.confirmation?.parts
    .filter((p) => !p.agrees)
    .map((p) => p.name)
    .join('+')
  const limit = limitOf(search)
  const one = capacity === null ? null : oneMoreWorkerOf(search, promisesOf(crew), capacity)
  const sph = estimate === null ? null : sharedPerHourOf(estimate.system, search.learned)
  const cap = shared === null ? null : 3.6e9 / shared.demandMicros
  process.stdout.write(
    [
      seed,
      crew.kind.padEnd(22),
      `c${crew.slots}/${search.learned.slots}`,
      `t${crew.tasks.length}`,
      `q${crew.share.toFixed(2)}`,
      `B${crew.burst}`,
      `truth ${truth.toFixed(0)}`,
      `found ${capacity?.perHour.toFixed(0)} ${capacity === null ? search.estimate?.solution.kind : (100 * (capacity.perHour / truth - 1)).toFixed(1) + '%'}`,
      capacity !== null && capacity.low <= truth && truth <= capacity.high ? 'in' : 'OUT',
      `w${capacity === null ? '' : (100 * (capacity.high / capacity.perHour - 1)).toFixed(0)}%`,
      `slow ${shared === null ? '-' : ''}${cap === null ? '' : `cap ${(100 * (cap / (crew.share * workersPerHour(crew)) - 1)).toFixed(1)}%`}`,
      `more ${(100 * (more / truth - 1)).toFixed(1)}%`,
      `kind ${limit?.kind} slow ${limit?.slowdown?.value.toFixed(2)} one ${one === null ? '-' : `..${(100 * (one.high / capacity!.perHour - 1)).toFixed(1)}% ${one.low <= more && more <= one.high ? 'in' : 'OUT'}`} cap+-${sph === null ? '' : (100 * (sph.high / sph.value - 1)).toFixed(0)}`,
      bad === undefined ? 'unconfirmed' : bad === '' ? 'ok' : `REFUSED ${bad}`,
      kick,
      `${((used.user + used.system) / 1e6).toFixed(1)}s`,
    ].join(' ') + '\n',
  )
}
