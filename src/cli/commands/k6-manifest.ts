/** `crewload k6 manifest`. */
import { isLoopback } from '../../base/loopback.ts'
import { UserError } from '../../base/mistakes.ts'
import { renderPlan } from '../../report/run/terminal/plan.ts'
import { k6Manifest } from '../../run/k6/manifest/file.ts'
import { parseTarget } from '../../run/target/target.ts'
import { EXIT } from '../exit-codes.ts'
import type { Io } from '../io/io.ts'
import type { PlanFlags } from '../flags/options.ts'
import { printOrWrite } from '../io/print-or-write.ts'
import { planOptionsOf, shellWord } from '../flags/to-run-options.ts'

export interface ManifestFlags extends PlanFlags {
  target: string
  instances: number
  k6Vus?: number
  k6Out?: string[]
  out?: string
  name?: string
  namespace?: string
  image?: string
  tokenSecret: string
  volumeClaim?: string
  cpu: string
  memory: string
  separate?: boolean
  insecure?: boolean
}

const LOOPBACK =
  'the target is a loopback address, which is the pod itself in a pod: give the address of the crew as the cluster knows it'

/** The plan goes to stderr: it says what applying the manifest will put on the target. */
export async function k6ManifestCommand(
  scenario: string,
  flags: ManifestFlags,
  io: Io,
): Promise<number> {
  const { target, out } = flags
  const onNote = (note: string): void => {
    io.stderr.write(`note: ${note}\n`)
  }
  const options = { ...planOptionsOf(flags), onNote, target }
  const { text, facts } = await k6Manifest(scenario, options, {
    instances: flags.instances,
    vus: flags.k6Vus ?? null,
    outputs: flags.k6Out ?? [],
    name: flags.name ?? null,
    namespace: flags.namespace ?? null,
    image: flags.image ?? null,
    tokenSecret: flags.tokenSecret,
    volumeClaim: flags.volumeClaim === undefined ? null : claimOf(flags.volumeClaim),
    cpu: flags.cpu,
    memory: flags.memory,
    separate: flags.separate === true,
    insecure: flags.insecure === true,
    file: shellWord(out ?? 'FILE'),
  })
  io.stderr.write(renderPlan(facts))
  if (isLoopback(parseTarget(target).hostname)) io.stderr.write(`note: ${LOOPBACK}\n`)
  await printOrWrite(text, out, io)
  return EXIT.passed
}

/** `CLAIM/FILE`: the name of a claim has no slash. */
function claimOf(text: string): { claim: string; file: string } {
  const slash = text.indexOf('/')
  if (slash > 0) return { claim: text.slice(0, slash), file: text.slice(slash + 1) }
  const problem = 'expected the name of a claim and the path of the script on it: CLAIM/crewload.js'
  throw new UserError({ source: '--volume-claim', path: '', found: text, problem })
}
