/** `crewload k6 manifest`: writes a manifest for k6-operator. */
import { text } from '../../../base/options/kinds.ts'
import type { Given, Table } from '../../../base/options/table.ts'
import { option } from '../../../base/options/table.ts'
import { MANIFEST } from '../../../run/k6/manifest/options.ts'
import { JUDGEMENT, PLAN } from '../../../run/options.ts'
import type { ActingCommand } from '../../command.ts'
import { EXIT } from '../../exit-codes.ts'
import type { Io } from '../../io/io.ts'

const OPTIONS = {
  scenario: option('<scenario>', 'a file, or a shipped name', text, { required: true }),
  target: option('--target <url>', 'base URL of the crew, as the pods reach it', text, {
    required: true,
  }),
  out: { flag: '--out <file>', help: 'output file', takes: text, otherwise: 'stdout' },
  manifest: MANIFEST,
  plan: { ...PLAN, ...JUDGEMENT },
} satisfies Table

const LOOPBACK =
  'the target is a loopback address, which inside a pod is the pod itself: give ' +
  'the address of the crew within the cluster'

export const manifest: ActingCommand = {
  name: 'manifest',
  description: 'write a TestRun and its ConfigMap for k6-operator',
  options: OPTIONS,
  act: async (io, given: Given<typeof OPTIONS>) => writeManifest(given, io),
}

/** The plan is printed on stderr: it says what applying the manifest will put on the target. */
async function writeManifest(
  { scenario, target, out, manifest: flags, plan }: Given<typeof OPTIONS>,
  io: Io,
): Promise<number> {
  const { k6Manifest } = await import('../../../run/k6/manifest/manifest.ts')
  const { renderPlan } = await import('../../../report/run/terminal/plan.ts')
  const { isLoopback } = await import('../../../base/loopback.ts')
  const { parseTarget } = await import('../../../run/target/target.ts')
  const { shellWord } = await import('../../flags/command-words.ts')
  const { printOrWrite } = await import('../../io/print-or-write.ts')
  const onNote = (note: string): void => {
    io.stderr.write(`note: ${note}\n`)
  }
  const options = { ...plan, onNote, target }
  const { text: yaml, facts } = await k6Manifest(scenario, options, flags, shellWord(out ?? 'FILE'))
  io.stderr.write(renderPlan(facts))
  if (isLoopback(parseTarget(target).hostname)) io.stderr.write(`note: ${LOOPBACK}\n`)
  await printOrWrite(yaml, out, io)
  return EXIT.passed
}
