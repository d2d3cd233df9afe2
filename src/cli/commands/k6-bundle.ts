/** `crewload k6 bundle`. */
import { k6Script } from '../../run/k6/bundle/script-file.ts'
import { EXIT } from '../exit-codes.ts'
import type { Io } from '../io/io.ts'
import type { PlanFlags } from '../flags/options.ts'
import { printOrWrite } from '../io/print-or-write.ts'
import { planOptionsOf } from '../flags/to-run-options.ts'

export interface BundleFlags extends PlanFlags {
  k6Vus: number
  k6Metrics?: boolean
  target?: string
  out?: string
}

export async function k6BundleCommand(
  scenario: string,
  flags: BundleFlags,
  io: Io,
): Promise<number> {
  const { target } = flags
  const onNote = (note: string): void => {
    io.stderr.write(`note: ${note}\n`)
  }
  const options = { ...planOptionsOf(flags), onNote, ...(target === undefined ? {} : { target }) }
  const script = await k6Script(scenario, options, {
    vus: flags.k6Vus,
    metrics: flags.k6Metrics === true,
  })
  await printOrWrite(script, flags.out, io)
  return EXIT.passed
}
