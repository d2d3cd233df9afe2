/**
 * Prints docs/polling-truth.md: what the study of polling recommends and predicts, held against runs
 * that it has not seen: `node bench/run.mjs polling [seeds]`.
 */
import { writtenPolling } from '../src/scenario/polling/index.ts'
import { costOf } from '../src/study/polling/analyse/choice/wish.ts'
import type { FamilyName } from '../src/study/polling/analyse/families/list.ts'
import { subjectsOf } from '../src/study/polling/analyse/replay/lives.ts'
import type { Recording } from '../src/study/polling/analyse/replay/recording.ts'
import { CREWS } from './polling/crews.ts'
import { recordedRun } from './polling/record.ts'
import {
  answerTo,
  FIRST_POLLING,
  inMilliseconds,
  isWithin,
  policyOf,
  PRICES,
  Replays,
} from './polling/truth.ts'

const [seeds = '100'] = process.argv.slice(2)
const LEARNED = 2_000
const FRESH = 2_000
const REFERENCE = 20_000
const FEW = 50

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

process.stdout.write(
  '| crew | family | cost over best of family | polls | p95 | polls, other seed | p95, other seed |\n',
)
const references: Recording[] = []
for (const crew of CREWS) {
  const learned = await recordedRun(crew, { executions: LEARNED, seed: 1, polling: FIRST_POLLING })
  const { recommended } = answerTo(learned)
  if (recommended === null) throw new Error(`nothing is recommended for ${crew.name}`)
  const policy = policyOf(recommended)
  const polling = writtenPolling(policy)
  const same = await recordedRun(crew, { executions: FRESH, seed: 1, polling })
  const fresh = await recordedRun(crew, { executions: FRESH, seed: 7, polling })
  const replays = new Replays(fresh)
  const excess =
    costOf(replays.figures(policy), PRICES) / replays.least(recommended.family as FamilyName) - 1
  const off = (run: Recording): string[] => [
    percent(run.observed.pollsPerExecution! / recommended.pollsPerExecution.value - 1),
    percent(inMilliseconds(run.observed.delayP95Micros!) / recommended.detectionDelayMs!.p95 - 1),
  ]
  const cells = [
    crew.name,
    `${recommended.family}: ${recommended.words}`,
    percent(excess),
    ...off(same),
    ...off(fresh),
  ]
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}

process.stdout.write('\n')
for (const crew of CREWS) {
  references.push(
    await recordedRun(crew, { executions: REFERENCE, seed: 3, polling: FIRST_POLLING }),
  )
}
let [polls, p95, mean, decided] = [0, 0, 0, 0]
for (let seed = 0; seed < Number(seeds); seed++) {
  const reference = references[seed % CREWS.length]!
  const from = Math.floor(((seed + 0.5) / Number(seeds)) * (reference.executions.length - FEW))
  const ordered = reference.executions.toSorted((a, b) => a.acceptedMicros - b.acceptedMicros)
  const some = { ...reference, executions: ordered.slice(from, from + FEW) }
  const { recommended, verdict } = answerTo(some)
  if (recommended === null) continue
  const truth = new Replays(reference).figures(policyOf(recommended))
  const { pollsPerExecution: told, detectionDelayMs: delay } = recommended
  const isIn = [
    isWithin(truth.pollsMean, told.low, told.high),
    isWithin(inMilliseconds(truth.delayP95), delay!.low, delay!.high),
    isWithin(inMilliseconds(truth.delayMean), delay!.meanLow, delay!.meanHigh),
  ]
  polls += Number(isIn[0])
  p95 += Number(isIn[1])
  mean += Number(isIn[2])
  decided += Number(verdict.outcome === 'answered')
  if (isIn.includes(false)) {
    process.stdout.write(
      `outside: ${CREWS[seed % CREWS.length]!.name}, ${recommended.words}: ${isIn.join(' ')} polls ${truth.pollsMean.toFixed(2)} in ${told.low.toFixed(2)}..${told.high.toFixed(2)}, p95 ${inMilliseconds(truth.delayP95).toFixed(0)} in ${delay!.low.toFixed(0)}..${delay!.high.toFixed(0)} mean ${inMilliseconds(truth.delayMean).toFixed(0)} in ${delay!.meanLow.toFixed(0)}..${delay!.meanHigh.toFixed(0)} ${verdict.outcome} ${subjectsOf(some).length}\n`,
    )
  }
}
process.stdout.write(
  `Of ${seeds} recordings of ${FEW} executions: polls ${polls}, p95 ${p95}, mean ${mean} inside; answered ${decided}\n`,
)
