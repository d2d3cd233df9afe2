/**
 * Measures how often verdicts are correct when the truth is known, by whole virtual runs, cell by
 * cell.
 */
import type { CellResult, CrewCell } from '../../../test/support/cells/crew-cells.ts'
import { runCell } from '../../../test/support/cells/crew-cells.ts'

/** The tests use other seeds. */
const SEED = 20_261_122

interface Row {
  crew: string
  cell: CrewCell
}

interface Table {
  title: string
  text: string
  rows: readonly Row[]
  /** Shows the verdicts of thresholds, or the effect of early stops. */
  shows: 'thresholds' | 'stops'
}

const INTRODUCTION = `## Verdicts

Whole runs in virtual time, from kickoff to verdict: what they say where the truth is known by formula. Arrivals are Poisson, work takes an exponential
time, and so does accepting a kickoff. "No queue": nobody waits, executions are independent. "4 workers at 0.67": they wait for one of 4, busy for that
part of their time; "4 at the door": kickoffs do. A metric's true share of bad ones (failed, not served, above the bound of a quantile) stands behind it;
its bound is 5 %, which is the bound of a p95 too. Figures are % of the runs; twice the standard error is at 1,000 runs 1.0 for 2.5 % and 1.4 for 95 %,
at 200 runs 2.2 and 3.1, at 100 runs 3.1 and 4.4.

`

const four = (load: number) => ({ count: 4, load })
const ten = (load: number) => ({ count: 10, load })

/** Each kind of failure with this share, and a threshold for each. */
const each = (share: number) => ({ slow: share, lateKickoff: share, failed: share })

const INSIDE: Table = {
  title: 'Truth well inside the bound',
  text: 'Wanted: PASSED in at least 95 %.',
  shows: 'thresholds',
  rows: [
    { crew: 'no queue', cell: { executions: 700, truth: each(0.01) } },
    { crew: 'no queue', cell: { executions: 700, truth: each(0.02) } },
    { crew: 'no queue', cell: { executions: 2_000, truth: each(0.02) } },
    {
      crew: '10 workers at 0.67',
      cell: { executions: 2_000, workers: ten(0.67), truth: each(0.01) },
    },
  ],
}

const AT_BOUND: Table = {
  title: 'Truth at the bound',
  text: 'Wanted: each threshold met, and missed, in at most 2.5 %, up to a load of 0.7.',
  shows: 'thresholds',
  rows: [
    { crew: 'no queue', cell: { executions: 700, truth: each(0.05) } },
    { crew: 'no queue', cell: { executions: 2_000, truth: each(0.05) } },
    {
      crew: 'no queue, 5 % rejected, so that the rest decides a p90',
      cell: {
        executions: 700,
        quantile: 0.9,
        truth: { slow: 0.1, lateKickoff: 0.1, rejected: 0.05 },
      },
    },
    {
      crew: 'no queue, 0.5 % dropped',
      cell: { executions: 700, dropped: 0.005, truth: { slow: 0.05, failed: 0.05 } },
    },
    ...[four(0.67), ten(0.67), four(0.85), four(0.9)].map((workers) => ({
      crew: `${workers.count} workers at ${workers.load}, stuck at the bound`,
      cell: { executions: 700, workers, stuck: true, truth: { slow: 0.05, failed: 0.05 } },
    })),
    ...[four(0.67), four(0.85), four(0.9)].map((front) => ({
      crew: `${front.count} at the door, at ${front.load}`,
      cell: { executions: 700, front, truth: { lateKickoff: 0.05 } },
    })),
  ],
}

const OUTSIDE: Table = {
  title: 'Truth well outside the bound',
  text: 'Wanted: FAILED in at least 95 %.',
  shows: 'thresholds',
  rows: [
    { crew: 'no queue', cell: { executions: 700, truth: each(0.1) } },
    {
      crew: 'no queue, 10 % rejected',
      cell: { executions: 700, truth: { rejected: 0.1 } },
    },
    {
      crew: 'no queue, 5 % dropped',
      cell: { executions: 700, dropped: 0.05, truth: { slow: 0.2, failed: 0.2 } },
    },
  ],
}

const CUT: Table = {
  title: 'Cut short, and load that was not offered',
  text: 'Truth well inside the bound. Wanted: not one PASSED.',
  shows: 'thresholds',
  rows: [
    {
      crew: 'no queue, cut in the middle',
      cell: { executions: 1_400, cutAt: 0.5, truth: { slow: 0.01, failed: 0.01 } },
    },
    {
      crew: 'no queue, 5 % dropped',
      cell: { executions: 700, dropped: 0.05, truth: { slow: 0.01, failed: 0.01 } },
    },
  ],
}

const early = (truth: CrewCell['truth'], workers?: CrewCell['workers']): CrewCell => ({
  executions: 1_000,
  abortEarly: true,
  truth,
  ...(workers === undefined ? {} : { workers }),
})

const EARLY: Table = {
  title: '`abortEarly`, 1,000 arrivals planned',
  text:
    'Wanted: at most 1 % of the runs against a good crew stopped, up to a load of 0.75; against ' +
    'a bad one, 35, 67 and 84 % of the kickoffs saved at 10, ' +
    '20 and 40 %.',
  shows: 'stops',
  rows: [
    { crew: 'no queue', cell: early({ slow: 0.02, failed: 0.02 }) },
    ...[four(0.67), four(0.75), four(0.85), four(0.9)].map((workers) => ({
      crew: `4 workers at ${workers.load}`,
      cell: early({ slow: 0.02 }, workers),
    })),
    ...[0.1, 0.2, 0.4].map((failed) => ({ crew: 'no queue', cell: early({ failed }) })),
  ],
}

const TABLES = [AT_BOUND, INSIDE, OUTSIDE, CUT, EARLY]

/**
 * Yields the text piece by piece as it is computed; `title` selects one table of the section, and
 * without it all are computed.
 */
export async function* verdictSection(runs: number, title?: string): AsyncGenerator<string> {
  yield INTRODUCTION
  for (const table of TABLES.filter((each) => title === undefined || each.title === title)) {
    yield `### ${table.title}\n\n${table.text}\n\n`
    yield* table.shows === 'stops' ? stopRows(table.rows, runs) : thresholdRows(table.rows, runs)
    yield '\n'
  }
}

async function* thresholdRows(rows: readonly Row[], runs: number): AsyncGenerator<string> {
  yield heading(
    ['crew', 'executions', 'runs', 'threshold'],
    ['met', 'undecided', 'missed', 'PASSED', 'FAILED'],
  )
  for (const { crew, cell } of rows) {
    const result = await runCell(cell, runs, SEED)
    const percent = percentOf(result)
    const { passed, failed } = result.outcomes
    for (const { metric, share } of promisesOf(cell)) {
      const { met, undecided, missed } = result.statuses.get(metric)!
      yield line([
        crew,
        cell.executions.toLocaleString('en'),
        result.runs.toLocaleString('en'),
        `\`${metric}\`, ${Number((100 * share).toFixed(3))} %`,
        ...[met, undecided, missed, passed, failed].map(percent),
      ])
    }
  }
}

async function* stopRows(rows: readonly Row[], runs: number): AsyncGenerator<string> {
  yield heading(
    ['crew', 'runs', 'true shares, bound 5 %'],
    ['stopped', 'kickoffs saved', 'PASSED', 'FAILED'],
  )
  for (const { crew, cell } of rows) {
    const result = await runCell(cell, runs, SEED)
    const percent = percentOf(result)
    const { passed, failed } = result.outcomes
    const truths = promisesOf(cell).map(({ metric, share }) => `\`${metric}\`, ${100 * share} %`)
    yield line([
      crew,
      result.runs.toLocaleString('en'),
      truths.join('; '),
      percent(result.stopped),
      (100 * result.saved).toFixed(1),
      ...[passed, failed].map(percent),
    ])
  }
}

/** The thresholds of a cell, with the true share of bad executions for each. */
function promisesOf({
  truth,
  quantile = 0.95,
  stuck,
}: CrewCell): { metric: string; share: number }[] {
  const { slow, lateKickoff, failed, rejected } = truth
  const unserved = stuck === true ? slow : rejected
  const named: [string, number | undefined][] = [
    [`execution.p${100 * quantile}`, slow],
    [`kickoff.response.p${100 * quantile}`, lateKickoff],
    ['execution.failed', failed],
    ['outcome.unserved', unserved],
  ]
  return named.flatMap(([metric, share]) => (share === undefined ? [] : [{ metric, share }]))
}

function percentOf({ runs }: CellResult): (count: number) => string {
  return (count) => ((100 * count) / runs).toFixed(1)
}

function heading(names: readonly string[], figures: readonly string[]): string {
  const rule = [...names.map(() => '---'), ...figures.map(() => '---:')]
  return line([...names, ...figures]) + line(rule)
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`
}
