/** `crewload doctor`: says whether this machine can measure. */
import type { Given, OptionTable } from '../../base/options/table.ts'
import type { MainCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { JSON_RESULT } from '../flags/output.ts'

const DOCTOR = {
  json: { ...JSON_RESULT, help: 'print the findings as JSON' },
} satisfies OptionTable

export const doctor: MainCommand = {
  name: 'doctor',
  group: 'This machine',
  description: 'check whether this machine can measure, with a remedy for each problem',
  options: DOCTOR,
  async act(io, { json = false }: Given<typeof DOCTOR>) {
    const { examine } = await import('../../run/doctor/index.ts')
    const { listDiagnoses } = await import('../shown/diagnoses.ts')
    const findings = await examine('.', io.env)
    io.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : listDiagnoses(findings))
    return findings.some(({ state }) => state === 'problem') ? EXIT.failed : EXIT.passed
  },
}
