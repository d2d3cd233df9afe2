/**
 * How well rate limiters are inferred: `node bench/run.mjs limits [count] [seed]`.
 */
import { drawLimiter } from './limits/draw.ts'
import { judge, truthOf } from './limits/judge.ts'
import { inferIn, worldOf } from './limits/trial.ts'

const [countText = '200', seedText = '10000'] = process.argv.slice(2)
const firstSeed = Number(seedText)
const rows = []
for (let i = 0; i < Number(countText); i++) {
  const drawn = drawLimiter(firstSeed + i)
  const trial = inferIn(worldOf(drawn), drawn.seed)
  const judged = judge(drawn, trial.conclusion)
  const truth = truthOf(drawn)
  rows.push({ drawn, trial, judged, truth })
  const { finding, outcome, requests, replay } = trial.conclusion
  const limit = finding.limit ?? finding.capacity ?? finding.concurrency
  const w =
    finding.windowMs ??
    (finding.ratePerSecond === null
      ? null
      : {
          value: 1000 / finding.ratePerSecond.value,
          low: 1000 / finding.ratePerSecond.high,
          high: 1000 / finding.ratePerSecond.low,
        })
  const span =
    drawn.kind.includes('bucket') || drawn.kind.includes('leaky')
      ? truth.limit! * truth.windowMs!
      : Math.max(truth.windowMs ?? 1, truth.blockMs ?? 0)
  console.log(
    [
      judged.kindRight ? 'ok ' : 'BAD',
      judged.limitExact === false ? 'LIM' : '   ',
      judged.timeClose === false ? 'TIM' : '   ',
      judged.covered === false ? 'COV' : '   ',
      drawn.seed,
      drawn.kind,
      drawn.limit?.rejected === 'counted' ? 'counted' : '',
      drawn.limit?.algorithm.kind,
      `L=${truth.limit} W=${truth.windowMs?.toFixed(0)} B=${truth.blockMs} S=${drawn.serviceMs}`,
      '=>',
      finding.kind,
      finding.countsRefused,
      finding.probability.toFixed(3),
      outcome,
      `L=${limit?.value} [${limit?.low},${limit?.high}] W=${w?.value.toFixed(0)} [${w?.low.toFixed(0)},${w?.high.toFixed(0)}] B=${finding.blockMs?.value.toFixed(0)}`,
      `run=${finding.runnerUp?.kind} ${finding.runnerUp?.probability.toFixed(4)}`,
      `n=${requests} windows=${(trial.durationMs / span).toFixed(1)} cpu=${trial.cpuMs.toFixed(0)} ${replay.predicted}/${replay.of}`,
    ].join(' '),
  )
}
const share = (list: (boolean | null)[]) => {
  const told = list.filter((x) => x !== null)
  return `${told.filter(Boolean).length}/${told.length}`
}
const q = (list: number[], p: number) =>
  list.sort((a, b) => a - b)[Math.floor(p * (list.length - 1))]
console.log(
  'kind',
  share(rows.map((r) => r.judged.kindRight)),
  'limit',
  share(rows.map((r) => r.judged.limitExact)),
  'time',
  share(rows.map((r) => r.judged.timeClose)),
  'block',
  share(rows.map((r) => r.judged.blockClose)),
  'covered',
  share(rows.map((r) => r.judged.covered)),
)
const kinds = new Set(rows.map((r) => r.drawn.kind))
for (const kind of kinds) {
  const of = rows.filter((r) => r.drawn.kind === kind)
  console.log(
    kind.padEnd(18),
    share(of.map((r) => r.judged.kindRight)),
    share(of.map((r) => r.judged.limitExact)),
    share(of.map((r) => r.judged.timeClose)),
    'n',
    q(
      of.map((r) => r.trial.conclusion.requests),
      0.5,
    ),
    q(
      of.map((r) => r.trial.conclusion.requests),
      0.9,
    ),
  )
}
const sure = rows.filter((r) => r.trial.conclusion.finding.probability >= 0.99)
console.log(
  '99%',
  share(sure.map((r) => r.judged.kindRight)),
  'requests',
  q(
    rows.map((r) => r.trial.conclusion.requests),
    0.5,
  ),
  q(
    rows.map((r) => r.trial.conclusion.requests),
    0.9,
  ),
  q(
    rows.map((r) => r.trial.conclusion.requests),
    1,
  ),
  'cpu',
  q(
    rows.map((r) => r.trial.cpuMs),
    0.5,
  ),
  q(
    rows.map((r) => r.trial.cpuMs),
    1,
  ),
)
