/** The k6 body: one or several k6 processes, whose VUs are the instances of the run. */
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { env as processEnv } from 'node:process'
import { rootCertificates } from 'node:tls'
import { UserError } from '../../base/mistakes.ts'
import { holdFor } from '../folder/lock.ts'
import { temporaryFolder } from '../folder/temporary.ts'
import type { Plan } from '../../scenario/plan.ts'
import { earlyAbort } from '../early-abort.ts'
import type { K6Command } from './arguments.ts'
import { k6Commands, k6Environment } from './arguments.ts'
import type { K6Binary } from './binary.ts'
import { findK6 } from './binary.ts'
import type { K6Bundle } from './bundle.ts'
import { bundleForK6 } from './bundle.ts'
import { ControlServer } from './control-server.ts'
import type { Member } from './load.ts'
import { K6Load } from './load.ts'
import { K6Process } from './process.ts'
import { vusOf } from './engine.ts'
import { K6Words } from './words.ts'
import type { K6Engine, RunOptions, Environment } from '../options.ts'
import { openPlace } from '../target/place.ts'
import { requestsOfPreflight } from '../target/preflight.ts'
import { tracesOf } from '../../host/telemetry/open.ts'
import type { Ledger } from '../../result/ledger/reconcile.ts'
import type { Body } from '../body.ts'
import type { Measuring } from '../place-body.ts'
import { PlaceBody } from '../place-body.ts'

/** Finds k6 and bundles the scenario before anything else is started. */
export async function openK6Body(
  engine: K6Engine,
  plan: Plan,
  options: RunOptions,
  scenario: string | null,
): Promise<Body> {
  const env = options.env ?? processEnv
  const vus = vusOf(engine)
  const { instances = 1, out = [], binary } = engine
  const k6 = await findK6(binary === undefined ? env : { ...env, K6_BIN: binary })
  const metrics = out.length > 0
  const ownCrew = options.profile !== undefined
  const bundle = await bundleForK6(plan, { scenario, vus, metrics, ownCrew })
  const place = await openPlace(options, plan, env)
  return new PlaceBody(
    { place, plan, options },
    {
      // It also detects changes of the machine's clock, which k6 cannot do.
      host: () => ({ http: { ...plan.http, maxConnections: 1, preOpenConnections: 0 } }),
      measure: async (measuring) =>
        equipped({ ...measuring, k6, bundle, vus, instances, out, env }),
    },
  )
}

/** What the k6 processes of a run are, and what they carry. */
interface K6Parts extends Measuring {
  k6: K6Binary
  bundle: K6Bundle
  vus: number
  instances: number
  out: readonly string[]
  env: Environment
}

interface Equipped extends K6Parts {
  control: ControlServer
  /** Takes what k6 reads and prints. */
  folder: string
}

/** Neither the control server nor the folder outlives the run. */
async function equipped(parts: K6Parts): Promise<Ledger | null> {
  const folder = await temporaryFolder('k6')
  try {
    const control = await ControlServer.open(parts.vus, parts.host)
    try {
      return await measure({ ...parts, control, folder: folder.path })
    } finally {
      await control.close()
    }
  } finally {
    await folder.remove()
  }
}

async function measure(run: Equipped): Promise<Ledger | null> {
  const { vus, out, control, plan, options, lineSink, host, clocks } = run
  const { onNote = () => {} } = options
  host.startClock()
  clocks?.started(host)
  const members = await membersOf(run)
  const measures = out.length > 0
  const load = new K6Load({ plan, lineSink, members, vus, measures, control, clock: host, onNote })
  const early = earlyAbort(plan, lineSink.recorder)
  try {
    await run.drive(load, (now) =>
      load.lost === null ? early(now) : { code: 'asked', why: load.lost },
    )
  } finally {
    await load.close()
  }
  if (!load.hasBegun) throw load.calledOff ?? notBegun(load.lost)
  for (const { consoleFile } of members) await rm(consoleFile, { force: true })
  return run.ledger()
}

/**
 * Their console files are in the run folder, where they survive a kill of this process; the journal
 * is made from them line by line.
 */
async function membersOf(run: Equipped): Promise<Member[]> {
  const { folder, bundle, instances, out: outputs } = run
  const { journalPath } = run.lineSink
  const script = join(folder, 'crewload.js')
  await writeFile(script, bundle.code)
  const env = await environmentOf(run)
  const consoles = journalPath === null ? folder : dirname(journalPath)
  const commands = k6Commands(instances, { script, folder: consoles, outputs })
  return commands.map((command, i) => memberOf(run, command, join(folder, `words-${i + 1}`), env))
}

function memberOf(
  { k6, bundle, place, options }: Equipped,
  { name, consoleFile, args }: K6Command,
  wordsFile: string,
  env: Readonly<Record<string, string>>,
): Member {
  const words = new K6Words({ tokens: place.tokens, map: bundle.map })
  const onWords = (line: string): void => {
    const told = words.heard(line)
    if (told !== null) options.onNote?.(`${name}: ${told}`)
  }
  const start = (): K6Process => {
    const process = new K6Process({ path: k6.path, args, env, wordsFile, onWords })
    if (process.pid !== undefined) void holdWhileItLives(dirname(consoleFile), process)
    return process
  }
  return { name, consoleFile, words, start }
}

async function environmentOf(run: Equipped): Promise<Record<string, string>> {
  const { place, plan, options, runId, missingInputs } = run
  const { insecure = false, ca, cert, key } = options.tls ?? {}
  const authorities = ca === undefined ? null : join(run.folder, 'authorities.pem')
  if (authorities !== null) await writeFile(authorities, [...rootCertificates, ca].join('\n'))
  const headers = Object.entries(plan.http.headers)
  const variables = {
    target: place.target.href,
    token: place.tokens.join('\n'),
    headers: headers.map(([name, value]) => `${name}: ${value}`).join('\n'),
    runId,
    insecure: insecure ? '1' : '0',
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
    spent: String(requestsOfPreflight(place)),
    traces: String(tracesOf(options)),
    control: run.control.url,
    missingInputs: JSON.stringify(missingInputs),
  }
  return k6Environment(run.env, variables, authorities)
}

/** k6 ended before its first line: its script or its configuration is at fault. */
function notBegun(lost: string | null): UserError {
  const problem = lost ?? 'k6 ended without any output'
  return new UserError({ source: '--engine k6', problem })
}

/**
 * k6 outlives a kill of this process until its executions have ended; until then nobody may resume
 * the run.
 */
async function holdWhileItLives(folder: string, process: K6Process): Promise<void> {
  const hold = await holdFor(folder, process.pid ?? 0)
  await process.ended
  await hold.release()
}
