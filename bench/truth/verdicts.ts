/**
 * Measures how often a healthy crew passes the shipped scenarios in virtual time, over seeds 1 to
 * 200 by default: `node bench/run.mjs verdicts [seeds] [scenario...]` prints
 * bench/results/healthy-crews.md. Needs a build. Exit code 1 when a share is below 95 %.
 */
import type { ResultDocument, RunOptions, RunOutcome } from '../../src/run/index.ts'

type Run = (scenario: string, options: RunOptions) => Promise<RunOutcome>

interface Healthy {
  scenario: string
  profile: string
  speed: number
}

/** The scenarios, each with the profile for which it is written. */
const HEALTHY: readonly Healthy[] = [
  { scenario: 'smoke', profile: 'default', speed: 1 },
  { scenario: 'demo', profile: 'default', speed: 120 },
  { scenario: 'steady', profile: 'default', speed: 1 },
  { scenario: 'soak', profile: 'default', speed: 1 },
  { scenario: 'closed', profile: 'default', speed: 1 },
  { scenario: 'spike', profile: 'default', speed: 1 },
  { scenario: 'ramp', profile: 'default', speed: 1 },
  { scenario: 'rate-limit', profile: 'rate-limited', speed: 1 },
  { scenario: 'chaos', profile: 'chaos', speed: 1 },
  { scenario: 'recovery', profile: 'metastable', speed: 1 },
  { scenario: 'retry-storm', profile: 'metastable', speed: 1 },
]

/** The least share of passes for a shipped scenario. */
const LEAST_SHARE = 0.95

const INTRODUCTION = `# Healthy crews pass

Table of \`node bench/run.mjs verdicts\`, which computes it again in about half an hour of one core: each shipped scenario on the fake crew
that it is written for, in virtual time, with {seeds} seeds. A healthy crew must pass in at least 95 % of runs. The measured executions of
a run are those of seed 1; the last column has every other verdict with its first reason, and how many seeds gave it.

| scenario | profile | executions measured | passed | share | the others |
| --- | --- | ---: | ---: | ---: | --- |
`

const [given = '200', ...only] = process.argv.slice(2)
const seeds = Number(given)
/** The built package: scenarios import it by name. */
const built = new URL('../../../dist/src/run/index.js', import.meta.url)
const { run } = (await import(built.href)) as { run: Run }

process.stdout.write(INTRODUCTION.replace('{seeds}', String(seeds)))
let least = 1
for (const healthy of HEALTHY) {
  if (only.length > 0 && !only.includes(healthy.scenario)) continue
  const share = await row(healthy)
  least = Math.min(least, share)
}
process.exitCode = least < LEAST_SHARE ? 1 : 0

async function row({ scenario, profile, speed }: Healthy): Promise<number> {
  const others = new Map<string, number>()
  let passed = 0
  let measured = 0
  for (let seed = 1; seed <= seeds; seed++) {
    const options = { engine: 'virtual', profile, speed, seed, out: false } as const
    const { document } = await run(scenario, options)
    if (seed === 1) measured = document.metrics['outcome.completed']?.n ?? 0
    if (document.verdict.outcome === 'passed') passed++
    else count(others, reasonOf(document))
  }
  const told = [...others].sort((a, b) => b[1] - a[1]).map(([why, times]) => `${times} ${why}`)
  const share = passed / seeds
  const cells = [scenario, profile, measured, passed, `${(share * 100).toFixed(1)} %`]
  process.stdout.write(`| ${[...cells, told.join('; ')].join(' | ')} |\n`)
  return share
}

function reasonOf({ verdict: { outcome, reasons } }: ResultDocument): string {
  const [first] = reasons
  const why = [first?.code ?? 'no reason', first && 'metric' in first ? first.metric : []].flat()
  return `${outcome} (${why.join(' ')})`
}

function count(tally: Map<string, number>, key: string): void {
  tally.set(key, (tally.get(key) ?? 0) + 1)
}
