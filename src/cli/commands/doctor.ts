/** `crewload doctor`. */
import { examine } from '../../run/doctor/index.ts'
import { listDiagnoses } from '../shown/diagnoses.ts'
import { EXIT } from '../exit-codes.ts'
import type { Io } from '../io/io.ts'

export async function doctorCommand(options: { json?: boolean }, io: Io): Promise<number> {
  const findings = await examine('.', io.env)
  io.stdout.write(options.json ? `${JSON.stringify(findings, null, 2)}\n` : listDiagnoses(findings))
  return findings.some(({ state }) => state === 'problem') ? EXIT.failed : EXIT.passed
}
