/**
 * Experiments (`*.experiment.ts`) hold statistics against a known truth over many seeds: CI runs
 * them, and `CREWLOAD_CI=1 npm test` anywhere. The other tests of their rooms run always.
 */
const isRun = process.env['CREWLOAD_CI'] === '1'

export const EXPERIMENTS = isRun ? ['test/**/*.experiment.ts'] : []

/** Says that they were not run. */
export function tellSkipped(): void {
  if (!isRun) {
    process.stderr.write(
      'SKIPPED the experiments over many seeds (*.experiment.ts): CREWLOAD_CI=1 runs them\n',
    )
  }
}
