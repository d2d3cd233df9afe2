/**
 * Prints the calibration tables of bench/results/calibration.md: `node bench/run.mjs calibration
 * [replications] [coverage|varied|verdicts] [table]`.
 */
import { coverageSection } from './calibration/coverage.ts'
import { variedSection } from './calibration/varied.ts'
import { verdictSection } from './calibration/verdicts.ts'

const [replications = '1000', only, table] = process.argv.slice(2)
const count = Number(replications)

const wanted = (part: string): boolean => only === undefined || only === part

if (only === undefined) process.stdout.write('# Calibration\n\n')
if (wanted('coverage')) for (const part of coverageSection(count)) process.stdout.write(part)
if (wanted('varied')) for (const part of variedSection(count)) process.stdout.write(part)
if (wanted('verdicts'))
  for await (const part of verdictSection(count, table)) process.stdout.write(part)
