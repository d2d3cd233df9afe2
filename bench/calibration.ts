/** Prints the calibration tables of docs/calibration.md: `node bench/run.mjs calibration [replications]`. */
import { coverageSection } from './calibration/coverage.ts'

const [replications = 1_000] = process.argv.slice(2).map(Number)

process.stdout.write('# Calibration\n\n')
for (const part of coverageSection(replications)) process.stdout.write(part)
