/**
 * False alarms of the confirmation: searches with small budgets of crews that a queue for workers
 * describes, and how many of them are refused: `node bench/run.mjs confirmation [crews] [budget]
 * [first seed]`; budget 0 is max(600, 6 x workers).
 */
import type { ConfirmedPart } from '../../src/study/capacity/document.ts'
import { DESCRIBED, drawCrew, OTHERS } from './drawn/crews.ts'
import { partsOf, searchOf } from './drawn/trial.ts'

const [crews = '300', asked = '600', first = '1'] = process.argv.slice(2)
const SIMULATED = 30_000

const refused = new Map<ConfirmedPart['name'], number>()
const all = { described: { crews: 0, refused: 0 }, others: { crews: 0, refused: 0 } }
for (let seed = Number(first); seed < Number(first) + Number(crews); seed++) {
  look(seed, 'described')
  // A confirmation that never refuses anything would be useless, so every fourth seed also draws a
  // crew that the model does not describe.
  if (seed % 4 === 0) look(seed, 'others')
}
for (const [name, { crews: count, refused: away }] of Object.entries(all)) {
  process.stdout.write(`${name}: ${away} of ${count} refused (${share(away, count)})\n`)
}
for (const [name, count] of refused) process.stdout.write(`  ${name}: ${count}\n`)

function look(seed: number, which: keyof typeof all): void {
  const crew = drawCrew(seed, which === 'described' ? DESCRIBED : OTHERS)
  const budget = Number(asked) || Math.max(600, 6 * crew.slots)
  const search = searchOf(crew, { budget, within: 0.1, simulated: SIMULATED })
  const { confirmation, estimate } = search
  const isRefused = partsOf(search, crew) !== ''
  if (which === 'others') {
    all.others.crews++
    if (isRefused) all.others.refused++
    return
  }
  if (confirmation === null) return
  all.described.crews++
  if (!isRefused) return
  all.described.refused++
  const parts = confirmation.parts.filter(({ agrees }) => !agrees)
  for (const { name } of parts) refused.set(name, (refused.get(name) ?? 0) + 1)
  const told = parts.map(
    ({ name, observed, low, high }) =>
      `${name} ${observed.toPrecision(4)} not in ${low.toPrecision(4)} to ${high.toPrecision(4)}`,
  )
  const { kind, shape, slots } = crew
  const learned = estimate?.system.slots
  process.stderr.write(`${seed} ${kind} ${shape} ${slots} (${learned}): ${told.join('; ')}\n`)
}

function share(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`
}
