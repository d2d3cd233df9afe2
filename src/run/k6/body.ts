/** The k6 body: one or several k6 processes, whose VUs are the instances of the run. */
import type { MissingInputs } from '../../crew/inputs/words.ts'
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { env as processEnv } from 'node:process'
import { rootCertificates } from 'node:tls'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { ownBudget } from '../../host/budget.ts'
import type { NodeHost } from '../../host/node/index.ts'
import { createNodeHost } from '../../host/node/index.ts'
import { UserError } from '../../base/mistakes.ts'
import { holdFor } from '../folder/lock.ts'
import { temporaryFolder } from '../folder/temporary.ts'
import type { Plan } from '../../scenario/plan.ts'
import { linkClocks } from '../fake/clock-link.ts'
import { drive } from '../drive.ts'
import type { LineSink } from '../line-sink.ts'
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
import type { K6Engine, RunOptions } from '../options.ts'
import type { Place } from '../target/place.ts'
import { demandBudget } from '../target/paid.ts'
import { openPlace } from '../target/place.ts'
import { preflight, requestsOfPreflight } from '../target/preflight.ts'
import { version } from '../environment/version.ts'
import { tracesOf } from '../../host/telemetry/options.ts'
import type { Body, Carried } from '../body.ts'

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
  return new K6Body(plan, options, { k6, bundle, place, vus, instances, out, env })
}

/** What k6 reads and asks in this run. */
interface Equipment {
  control: ControlServer
  folder: string
  missingInputs: MissingInputs
}

interface Parts {
  k6: K6Binary
  bundle: K6Bundle
  place: Place
  vus: number
  instances: number
  out: readonly string[]
  env: Readonly<Record<string, string | undefined>>
}

class K6Body implements Body {
  readonly runId = randomBytes(4).toString('hex')
  readonly #plan: Plan
  readonly #options: RunOptions
  readonly #parts: Parts

  constructor(plan: Plan, options: RunOptions, parts: Parts) {
    this.#plan = plan
    this.#options = options
    this.#parts = parts
  }

  get target(): string {
    return this.#parts.place.target.href
  }

  get profile(): string | null {
    return this.#parts.place.profile
  }

  get hasLedger(): boolean {
    return this.#parts.place.fake !== null
  }

  async carry(lineSink: LineSink): Promise<Carried> {
    const witness = await this.#witness(lineSink)
    try {
      const { onNote } = this.#options
      const missing = await preflight(witness, this.#plan, this.#parts.place, this.runId, onNote)
      demandBudget(this.#parts.place, this.#plan.budget)
      return await this.#equipped(lineSink, witness, missing)
    } finally {
      await witness.close()
    }
  }

  async close(): Promise<void> {
    await this.#parts.place.close()
  }

  /**
   * A host in this process: it asks the crew for its inputs, holds the ledger's clock, and detects
   * changes of the machine's clock, which k6 cannot do.
   */
  async #witness(lineSink: LineSink): Promise<NodeHost> {
    const { place, env } = this.#parts
    return createNodeHost({
      target: place.target,
      tokens: place.tokens,
      http: { ...this.#plan.http, maxConnections: 1, preOpenConnections: 0 },
      emit: (line) => lineSink.keep(line),
      budget: ownBudget(this.#plan.budget),
      userAgent: `crewload/${version()}`,
      proxies: env,
      ...(this.#options.tls === undefined ? {} : { tls: this.#options.tls }),
    })
  }

  /**
   * Provides a folder for what k6 reads and prints, and a control server for its questions; neither
   * outlives the run.
   */
  async #equipped(lineSink: LineSink, witness: NodeHost, missing: MissingInputs): Promise<Carried> {
    const folder = await temporaryFolder('k6')
    try {
      const control = await ControlServer.open(this.#parts.vus)
      try {
        return await this.#measure(lineSink, witness, missing, { control, folder: folder.path })
      } finally {
        await control.close()
      }
    } finally {
      await folder.remove()
    }
  }

  async #measure(
    lineSink: LineSink,
    witness: NodeHost,
    missingInputs: MissingInputs,
    { control, folder }: { control: ControlServer; folder: string },
  ): Promise<Carried> {
    const { place, vus, out } = this.#parts
    const { signal, onStart, onProgress, onNote = () => {} } = this.#options
    const clocks = place.fake === null ? null : await linkClocks(place.fake)
    witness.startClock()
    clocks?.started(witness)
    const members = await this.#members(lineSink, { control, folder, missingInputs })
    const load = new K6Load({
      plan: this.#plan,
      lineSink,
      members,
      vus,
      measures: out.length > 0,
      control,
      onNote,
    })
    const tell = (line: JournalLine): void => witness.emit(line)
    const early = earlyAbort(this.#plan, lineSink.recorder)
    try {
      await drive(this.#plan, load, {
        target: place.target.origin,
        profile: place.profile,
        lineSink,
        missingInputs,
        died: place.died,
        signal,
        onStart,
        onProgress,
        abortReason: (now) => (load.lost === null ? early(now) : { code: 'asked', why: load.lost }),
        tell,
      })
    } finally {
      await load.close()
    }
    if (!load.hasBegun) throw load.calledOff ?? notBegun(load.lost)
    for (const { consoleFile } of members) await rm(consoleFile, { force: true })
    return {
      ledger: clocks === null ? null : await clocks.finish(this.runId, witness.now(), tell),
      abandoned: load.abandoned,
    }
  }

  /**
   * Their console files are in the run folder, where they survive a kill of this process; the
   * journal is made from them line by line.
   */
  async #members(lineSink: LineSink, equipment: Equipment): Promise<Member[]> {
    const { folder } = equipment
    const script = join(folder, 'crewload.js')
    await writeFile(script, this.#parts.bundle.code)
    const env = await this.#environment(equipment)
    const { instances, out: outputs } = this.#parts
    const commands = k6Commands(instances, {
      script,
      folder: lineSink.journalPath === null ? folder : dirname(lineSink.journalPath),
      outputs,
    })
    return commands.map((command, i) => this.#member(command, join(folder, `words-${i + 1}`), env))
  }

  #member(
    { name, consoleFile, args }: K6Command,
    wordsFile: string,
    env: Readonly<Record<string, string>>,
  ): Member {
    const { k6, bundle, place } = this.#parts
    const words = new K6Words({ tokens: place.tokens, map: bundle.map })
    const onWords = (line: string): void => {
      const told = words.heard(line)
      if (told !== null) this.#options.onNote?.(`${name}: ${told}`)
    }
    const start = (): K6Process => {
      const process = new K6Process({ path: k6.path, args, env, wordsFile, onWords })
      if (process.pid !== undefined) void holdWhileItLives(dirname(consoleFile), process)
      return process
    }
    return { name, consoleFile, words, start }
  }

  async #environment({
    control,
    folder,
    missingInputs,
  }: Equipment): Promise<Record<string, string>> {
    const { place, env } = this.#parts
    const { insecure = false, ca } = this.#options.tls ?? {}
    const authorities = ca === undefined ? null : join(folder, 'authorities.pem')
    if (authorities !== null) await writeFile(authorities, [...rootCertificates, ca].join('\n'))
    const headers = Object.entries(this.#plan.http.headers)
    return k6Environment(
      env,
      {
        target: place.target.href,
        token: place.tokens.join('\n'),
        headers: headers.map(([name, value]) => `${name}: ${value}`).join('\n'),
        runId: this.runId,
        insecure: insecure ? '1' : '0',
        spent: String(requestsOfPreflight(place)),
        traces: String(tracesOf(this.#options)),
        control: control.url,
        missingInputs: JSON.stringify(missingInputs),
      },
      authorities,
    )
  }
}

/** k6 ended before its first line: its script or its configuration is at fault. */
function notBegun(lost: string | null): UserError {
  const problem = lost ?? 'k6 ended without any output'
  return new UserError({ source: '--engine k6', path: '', problem })
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
