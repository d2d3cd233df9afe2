/** Recorded executions for tests: their lengths in seconds, known exactly, one after another. */
import type { Random } from '../../../../src/base/random.ts'
import { createRandom } from '../../../../src/base/random.ts'
import type {
  PastExecution,
  Recording,
} from '../../../../src/study/polling/analyse/replay/recording.ts'
import type { ReplayStage } from '../../../../src/study/polling/analyse/replay/trace.ts'

export const SECOND = 1_000_000
const DEADLINE_SECONDS = 1_800

function ended(seconds: number, at = 0): PastExecution {
  const micros = seconds * SECOND
  return {
    acceptedMicros: at,
    fate: 'ended',
    afterMicros: micros,
    byMicros: micros,
    deadlineMicros: DEADLINE_SECONDS * SECOND,
    completionsMicros: null,
  }
}

const NO_WAITS = { answers: 0, waitsMicros: [] }

/** One a second. */
export function recordingOf(
  lengths: readonly number[],
  others: Partial<Recording> = {},
): Recording {
  return {
    executions: lengths.map((seconds, i) => ended(seconds, i * SECOND)),
    requestMicros: [0],
    failures: { polls: 1, failed: 0, pausesMicros: [] },
    hints: { kickoff: NO_WAITS, polls: NO_WAITS, exhausted: 0 },
    gaps: [],
    asked: { polls: 1, waitsMicros: [], refused: 0 },
    loads: [],
    arrivalsPerSecond: 1,
    statusPath: undefined,
    current: null,
    observed: { pollsPerExecution: null, delayMeanMicros: null, delayP95Micros: null },
    truth: 'ledger',
    pushes: null,
    ...others,
  }
}

export function drawn(n: number, draw: (random: Random) => number, seed = 1): number[] {
  const random = createRandom(seed)
  return Array.from({ length: n }, (_, i) => draw(random.fork('length', i)))
}

/** Requests that take no time. */
export const AT_ONCE: ReplayStage = {
  requests: { tookMicros: () => 0, pauseMicros: () => null, hintMicros: () => 0 },
  random: createRandom(2),
}
