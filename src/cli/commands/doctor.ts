/** `crewload doctor`: says whether this machine can measure. */
import type { Given, OptionTable } from '../../base/options/table.ts'
import type { MainCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { JSON_RESULT } from '../flags/output.ts'
import type { Diagnosis } from '../../run/check/diagnosis.ts'
import { visibleLine } from '../../base/visible.ts'

const DOCTOR = {
  json: { ...JSON_RESULT, help: 'print the diagnoses as JSON' },
} satisfies OptionTable

export const doctor: MainCommand = {
  name: 'doctor',
  group: 'This machine',
  description: 'check whether this machine can measure, with a remedy for each problem',
  options: DOCTOR,
  async act(io, { json = false }: Given<typeof DOCTOR>) {
    const { examine } = await import('../../run/doctor.ts')
    const findings = await examine('.', io.env)
    io.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : listDiagnoses(findings))
    return findings.some(({ state }) => state === 'problem') ? EXIT.failed : EXIT.passed
  },
}

const WORDS = { ok: 'ok', warning: 'WARN', problem: 'BAD', absent: '-' } as const

/**
 * Every finding has a line with its meaning; a remedy follows after an arrow. Ends with a newline.
 * `longest`: the longest name of a list that is printed in parts. Default: that of these findings.
 */
export function listDiagnoses(findings: readonly Diagnosis[], longest = ''): string {
  const names = Math.max(longest.length, ...findings.map(({ name }) => name.length))
  const indent = ' '.repeat(names + 8)
  return findings
    .flatMap(({ name, state, message, meaning, remedy }) => {
      const head = `${WORDS[state].padEnd(4)}  ${name.padEnd(names)}  ${visibleLine(message)}`
      const remedies = remedy === null ? [] : [`${indent}-> ${visibleLine(remedy)}`]
      return [head, `${indent}${meaning}`, ...remedies]
    })
    .join('\n')
    .concat('\n')
}
