/** Prints the calibration tables of docs/calibration.md: `node bench/run.mjs calibration [replications] [coverage|verdicts]`. */
import { coverageSection } from './calibration/coverage.ts'
import { verdictSection } from './calibration/verdicts.ts'

const [replications = '1000', only] = process.argv.slice(2)
const count = Number(replications)

if (only === undefined) process.stdout.write('# Calibration\n\n')
if (only !== 'verdicts') for (const part of coverageSection(count)) process.stdout.write(part)
if (only !== 'coverage') for await (const part of verdictSection(count)) process.stdout.write(part)
