/** `crewload doctor`: says whether this machine can measure. */
import type { MainCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'

export const doctor: MainCommand = {
  name: 'doctor',
  group: 'This machine',
  description: 'check whether this machine can measure, with a remedy for each problem',
  declare(command) {
    command.option('--json', 'print the findings as JSON')
  },
  async act(io, { json = false }: { json?: boolean }) {
    const { examine } = await import('../../run/doctor/index.ts')
    const { listDiagnoses } = await import('../shown/diagnoses.ts')
    const findings = await examine('.', io.env)
    io.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : listDiagnoses(findings))
    return findings.some(({ state }) => state === 'problem') ? EXIT.failed : EXIT.passed
  },
}
