/**
 * Prints the table of change points in bench/results/gate.md: `node bench/run.mjs change-points
 * [histories]`. Beside it Apache Otava on the same series, where `OTAVA_PYTHON` names a Python that
 * has the package `apache-otava` (`python3 -m venv otava && otava/bin/pip install apache-otava`).
 */
import { spawnSync } from 'node:child_process'
import { env } from 'node:process'
import { changePoints } from '../../src/result/statistics/comparing/change-points.ts'
import { createRandom } from '../../src/base/random.ts'

/** This differs from the seed of the tests. */
const SEED = 9_412_026
const GATES = 60
const STEP_AT = 40
/** A change point counts as right if it is at most this many gates away from the true one. */
const NEAR = 2
const TERMS = { level: 0.01, least: Math.log(1.05) }
const OTAVA = env['OTAVA_PYTHON']
const histories = Number(process.argv[2] ?? 1_000)

interface Case {
  name: string
  noise: number
  step: number
  /** The correlation of the noise of one gate with that of the gate before. */
  drift: number
}

const CASES: readonly Case[] = [
  { name: 'no step, noise 2 %', noise: 0.02, step: 0, drift: 0 },
  { name: 'no step, noise 5 %', noise: 0.05, step: 0, drift: 0 },
  { name: 'no step, noise 2 %, half of it carried over', noise: 0.02, step: 0, drift: 0.5 },
  { name: '+8 %, noise 1 %', noise: 0.01, step: 0.08, drift: 0 },
  { name: '+8 %, noise 2 %', noise: 0.02, step: 0.08, drift: 0 },
  { name: '+8 %, noise 3 %', noise: 0.03, step: 0.08, drift: 0 },
  { name: '+8 %, noise 5 %', noise: 0.05, step: 0.08, drift: 0 },
  { name: '+15 %, noise 5 %', noise: 0.05, step: 0.15, drift: 0 },
]

function seriesOf({ name, noise, step, drift }: Case): number[][] {
  const random = createRandom(SEED).fork(name)
  return Array.from({ length: histories }, (_, history) => {
    const own = random.fork('history', history)
    let shared = own.normal()
    return Array.from({ length: GATES }, (__, gate) => {
      shared = drift * shared + Math.sqrt(1 - drift * drift) * own.normal()
      return Math.exp(noise * shared) * (gate >= STEP_AT ? 1 + step : 1)
    })
  })
}

type Finder = (all: readonly number[][]) => number[][]

const ours: Finder = (all) =>
  all.map((values) => changePoints(values.map(Math.log), TERMS).map(({ at }) => at))

const SCRIPT = `
import json, sys, warnings
warnings.filterwarnings('ignore')
from otava.analysis import compute_change_points
asked = json.load(sys.stdin)
print(json.dumps([[int(p.index) for p in compute_change_points(s, max_pvalue=asked['p'], min_magnitude=asked['least'])[0]] for s in asked['series']]))
`

function otava(python: string, p: number, least: number): Finder {
  return (series) => {
    const input = JSON.stringify({ series, p, least })
    const options = { input, encoding: 'utf8', maxBuffer: 1e9 } as const
    const { status, stdout, stderr } = spawnSync(python, ['-c', SCRIPT], options)
    if (status !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as number[][]
  }
}

const FINDERS: readonly (readonly [name: string, find: Finder])[] = [
  ['crewload', ours],
  ...(OTAVA === undefined
    ? []
    : ([
        ['Otava, its defaults', otava(OTAVA, 0.001, 0)],
        ['Otava, changes of 5 % and more', otava(OTAVA, 0.001, 0.05)],
      ] as const)),
]

const percent = (count: number): string => ((100 * count) / histories).toFixed(1)

/**
 * The percentage of histories in which the step was named within `NEAR` gates, and of those in
 * which another gate was named.
 */
function cell(found: readonly number[][], { step }: Case): string {
  const isNear = (at: number): boolean => step !== 0 && Math.abs(at - STEP_AT) <= NEAR
  const named = found.filter((places) => places.some(isNear)).length
  const wrong = found.filter((places) => places.some((at) => !isNear(at))).length
  return step === 0 ? `– / ${percent(wrong)}` : `${percent(named)} / ${percent(wrong)}`
}

process.stdout.write(
  `${histories.toLocaleString('en')} histories of ${GATES} gates a cell: the step at the ` +
    `${STEP_AT}th named within ${NEAR} / another one named, in %.\n\n`,
)
process.stdout.write(`| history | ${FINDERS.map(([name]) => name).join(' | ')} |\n`)
process.stdout.write(`| --- |${' ---: |'.repeat(FINDERS.length)}\n`)
for (const one of CASES) {
  const series = seriesOf(one)
  const cells = FINDERS.map(([, find]) => cell(find(series), one))
  process.stdout.write(`| ${[one.name].concat(cells).join(' | ')} |\n`)
}
if (FINDERS.length === 1) {
  process.stderr.write('Apache Otava was not measured: OTAVA_PYTHON names no Python that has it.\n')
}
