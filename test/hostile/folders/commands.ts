/** The commands that read a folder, each with the damaged copy of a sample in its place. */
import { join } from 'node:path'
import type { SampleName, Samples } from './samples.ts'
import { GATE } from './samples.ts'

export interface Reading {
  name: string
  /** The sample of which the command gets a damaged copy. */
  of: SampleName
  /** Its damage must be said even if the answer is the same. Default: none. */
  demands?: string
  /** The only files that matter, for a command that waits for its target. Default: all. */
  only?: readonly string[]
  /** Its answer differs from call to call, so that only its exit code is compared. */
  isTimed?: boolean
  /** `out`: where it may write; the other samples are sound. */
  words: (damaged: string, out: string, samples: Samples) => string[]
}

const SLO = ['--slo', 'execution.p90 < 60s']
const REACH = ['--profile', 'fast', '--engine', 'virtual']

const OF_RUN: Omit<Reading, 'of'>[] = [
  { name: 'report render', words: (run) => ['report', 'render', run] },
  { name: 'report merge', words: (run, out) => ['report', 'merge', run, '--out', out] },
  {
    name: 'twin',
    words: (run, out, { other }) => ['twin', run, other, '--out', out, '--replays', '0'],
  },
  { name: 'polling', words: (run, out, { other }) => ['polling', run, other, '--out', out] },
  {
    name: 'capacity --from',
    words: (run, out) => ['capacity', 'smoke', ...SLO, '--from', run, '--out', out],
  },
  {
    name: 'capacity --dry-run',
    words: (run) => ['capacity', 'smoke', ...SLO, '--from', run, '--dry-run'],
    demands: 'executions.ndjson',
  },
  { name: 'limits --from', words: (run, out) => ['limits', '--from', run, '--out', out] },
  {
    name: 'run --network',
    words: (run, out) => ['run', 'smoke', ...REACH, '--network', run, '--seed', '1', '--out', out],
  },
  {
    name: 'compare',
    words: (run, out, { other }) => ['compare', '--out', out, run, other, '--', other, run],
  },
]

const STUDIES = ['polling', 'limits', 'gate'] as const
const TIMED = {
  isTimed: true,
  only: ['executions.ndjson', 'run.json', 'probes.ndjson', 'study.json'],
}

export const READINGS: readonly Reading[] = [
  ...OF_RUN.map((reading) => Object.assign({}, reading, { of: 'run' as const })),
  ...STUDIES.map((of) => ({
    name: `report render of ${of}`,
    of,
    words: (study: string) => ['report', 'render', study],
  })),
  { name: 'resume of a gate', of: 'cutGate', words: (cut) => ['resume', cut] },
  { name: 'resume of limits', of: 'cutLimits', words: (cut) => ['resume', cut], ...TIMED },
  { name: 'resume of a run', of: 'cutRun', words: (cut) => ['resume', cut], ...TIMED },
  {
    name: 'report --recover',
    of: 'cutRun',
    words: (run) => ['report', 'render', '--recover', run],
  },
  {
    name: 'polling --limits',
    of: 'limits',
    words: (limits, out, { run }) => ['polling', run, '--limits', limits, '--out', out],
  },
  {
    name: 'gate --baseline',
    of: 'baseline',
    words: (baseline, out) => ['gate', ...GATE, '--baseline', baseline, '--out', out],
  },
  {
    name: 'history',
    of: 'baseline',
    words: (baseline, out) => ['history', baseline, '--out', join(out, 'history')],
  },
]
