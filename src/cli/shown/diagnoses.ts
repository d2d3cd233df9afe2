/**
 * Findings of `doctor` and `check` as a list: state, name, what was found, what it means, what to
 * do.
 */
import type { Diagnosis } from '../../run/doctor/index.ts'
import { visibleLine } from '../../base/visible.ts'

const WORDS = { ok: 'ok', warning: 'WARN', problem: 'BAD', absent: '-' } as const

/**
 * Every finding has a line with its meaning; a remedy follows after an arrow. Ends with a newline.
 * `longest`: the longest name of a list that is printed in parts. Default: that of these findings.
 */
export function listDiagnoses(findings: readonly Diagnosis[], longest = ''): string {
  const names = Math.max(longest.length, ...findings.map(({ name }) => name.length))
  const indent = ' '.repeat(names + 8)
  return findings
    .flatMap(({ name, state, found, meaning, remedy }) => {
      const head = `${WORDS[state].padEnd(4)}  ${name.padEnd(names)}  ${visibleLine(found)}`
      const remedies = remedy === null ? [] : [`${indent}-> ${visibleLine(remedy)}`]
      return [head, `${indent}${meaning}`, ...remedies]
    })
    .join('\n')
    .concat('\n')
}
