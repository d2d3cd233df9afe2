/**
 * Experiments (`*.experiment.ts`, tests that run if `areExperimentsRun`, and the larger of two
 * samples) hold answers against a known truth over many crews, seeds or hours, carry studies over
 * real HTTP, build what is shipped, or end many processes: CI runs them, and `CREWLOAD_CI=1 npm
 * test` anywhere. The other tests of their rooms run always.
 */
export const areExperimentsRun = process.env['CREWLOAD_CI'] === '1'

export const EXPERIMENTS = areExperimentsRun ? ['test/**/*.experiment.ts'] : []

/** Says that they were not run. */
export function tellSkipped(): void {
  if (!areExperimentsRun) {
    process.stderr.write(
      'SKIPPED the experiments, which take longest (*.experiment.ts): CREWLOAD_CI=1 runs them\n',
    )
  }
}
