/** The real Prometheus for tests, from Debian's package. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/**
 * Returns the program that `PROMETHEUS_BIN` names, or else that on the `PATH`. Without one the
 * tests are skipped, and say so; with `CREWLOAD_CI=1` this throws.
 */
export async function prometheusOrSkip(): Promise<string | null> {
  const program = process.env['PROMETHEUS_BIN'] ?? 'prometheus'
  try {
    await execute(program, ['--version'])
    return program
  } catch {
    const why = `${program} does not run; set PROMETHEUS_BIN`
    if (process.env['CREWLOAD_CI'] === '1')
      throw new Error(`CREWLOAD_CI=1 needs Prometheus: ${why}`)
    process.stderr.write(`SKIPPED the test with a real Prometheus: ${why}\n`)
    return null
  }
}
