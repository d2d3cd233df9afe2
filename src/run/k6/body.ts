/** The k6 body: one or several k6 processes, whose VUs are the instances of the run. */
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { env as processEnv } from 'node:process'
import { rootCertificates } from 'node:tls'
import { k6EndText } from '../../result/sentences/end-reasons.ts'
import { UserError } from '../../base/mistakes.ts'
import { temporaryFolder } from '../folder/temporary.ts'
import type { Plan } from '../../scenario/plan.ts'
import { earlyAbort } from '../early-abort.ts'
import { k6Commands, k6Environment } from './arguments.ts'
import type { K6Binary } from './binary.ts'
import { findK6 } from './binary.ts'
import type { K6Bundle } from './bundle.ts'
import { bundleForK6 } from './bundle.ts'
import { openControlServer } from './control-server.ts'
import type { K6Run } from './load.ts'
import { K6Load } from './load.ts'
import type { K6Start } from './process.ts'
import { vusOf } from './demands.ts'
import { K6Output } from './output.ts'
import type { K6Engine, RunOptions, Environment } from '../options.ts'
import { openPlace } from '../target/open-place.ts'
import { requestsOfPreflight } from '../target/preflight.ts'
import { tracesOf } from '../../host/telemetry/open.ts'
import type { KnownAtStart } from '../../host/k6/settings.ts'
import { VARIABLES } from '../../host/k6/variables.ts'
import { secretsOf } from '../../host/secrets.ts'
import type { Ledger } from '../../result/ledger/reconcile.ts'
import type { Body } from '../bodies/body.ts'
import { SendingBody } from '../bodies/sending.ts'

/** Finds k6 and bundles the scenario before anything else is started. */
export async function openK6Body(
  engine: K6Engine,
  plan: Plan,
  options: RunOptions,
  scenario: string | null,
): Promise<Body> {
  const env = options.env ?? processEnv
  const vus = vusOf(engine)
  const { out = [], binary } = engine
  const k6 = await findK6(binary === undefined ? env : { ...env, K6_BIN: binary })
  const metrics = out.length > 0
  const bundle = await bundleForK6(plan, { scenario, vus, metrics })
  const place = await openPlace(options, plan, env)
  return new SendingBody(
    { place, plan, options },
    {
      // It also detects changes of the machine's clock, which k6 cannot do.
      host: () => ({ http: { ...plan.http, maxConnections: 1, preOpenConnections: 0 } }),
      measure: async (measuring) => {
        const control = await openControlServer(vus, measuring.host)
        try {
          return await measure({ ...measuring, engine, control, k6, bundle, env })
        } finally {
          await control.close()
        }
      },
    },
  )
}

/** What the k6 processes of a run carry. */
interface Equipped extends K6Run {
  k6: K6Binary
  bundle: K6Bundle
  env: Environment
}

async function measure(run: Equipped): Promise<Ledger | null> {
  const { plan, lineSink, host, clocks } = run
  const folder = await temporaryFolder('k6')
  try {
    host.startClock()
    clocks?.started(host)
    const starts = await startsIn(folder.path, run)
    const load = new K6Load(run, starts)
    const early = earlyAbort(plan, lineSink.recorder)
    try {
      await run.drive(load, (now) =>
        load.lost === null ? early(now) : { code: 'k6-ended', ...load.lost },
      )
    } finally {
      await load.close()
    }
    if (!load.hasBegun) {
      // Its script or its configuration is at fault.
      const problem = load.lost === null ? 'k6 ended without any output' : k6EndText(load.lost)
      throw load.calledOff ?? new UserError({ source: '--engine k6', problem })
    }
    for (const { command } of starts) await rm(command.consoleFile, { force: true })
    return await run.ledger()
  } finally {
    await folder.remove()
  }
}

/**
 * The processes' console files are in the run folder, where they survive a kill of this process;
 * the journal is made from them line by line. `folder` takes the rest.
 */
async function startsIn(folder: string, run: Equipped): Promise<K6Start[]> {
  const { k6, bundle, engine, options, place, lineSink } = run
  const { instances = 1, out: outputs = [] } = engine
  const { onNote = () => {} } = options
  const secrets = secretsOf(run.plan.http.headers, () => place.tokens)()
  const script = join(folder, 'crewload.js')
  await writeFile(script, bundle.code)
  const env = await environmentOf(folder, run)
  const consoles = lineSink.journalPath === null ? folder : dirname(lineSink.journalPath)
  const commands = k6Commands(instances, { script, folder: consoles, outputs })
  return commands.map((command, i) => {
    const wordsFile = join(folder, `words-${i + 1}`)
    const words = new K6Output({ secrets, map: bundle.map })
    return { command, path: k6.path, env, wordsFile, words, onNote }
  })
}

async function environmentOf(folder: string, run: Equipped): Promise<Record<string, string>> {
  const { place, plan, options, runId, missingInputs } = run
  const { insecure = false, ca, cert, key } = options.tls ?? {}
  const authorities = ca === undefined ? null : join(folder, 'authorities.pem')
  if (authorities !== null) await writeFile(authorities, [...rootCertificates, ca].join('\n'))
  const headers = Object.entries(plan.http.headers)
  const requestsSpent = requestsOfPreflight(place)
  const { crew } = place
  const known: KnownAtStart = { requestsSpent, traces: tracesOf(options), missingInputs, crew }
  const variables = {
    [VARIABLES.target]: place.target.href,
    [VARIABLES.token]: place.tokens.join('\n'),
    [VARIABLES.headers]: headers.map(([name, value]) => `${name}: ${value}`).join('\n'),
    [VARIABLES.runId]: runId,
    [VARIABLES.insecure]: insecure ? '1' : '0',
    ...(cert === undefined || key === undefined
      ? {}
      : { [VARIABLES.cert]: cert, [VARIABLES.key]: key }),
    [VARIABLES.control]: run.control.url,
    [VARIABLES.known]: JSON.stringify(known),
  }
  return k6Environment(run.env, variables, authorities)
}
