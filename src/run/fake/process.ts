/**
 * The fake crew of a run, in its own process, so the generator's event loop does only the
 * generator's work.
 */
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from '../../base/assert.ts'
import { isProfileText } from '../../crew/fake/profile-text.ts'
import type { DialectName } from '../../crew/wire.ts'
import type { CrewEnd } from '../../execution/record/reason.schema.ts'
import type { Mistake } from '../../base/mistakes.ts'
import { formatMistake, UserError } from '../../base/mistakes.ts'
import { FakeCrewCrashed } from '../errors.ts'
import { packageRoot } from '../environment/package.ts'
import { excerpt } from '../../crew/excerpt.ts'
import type { Environment } from '../options.ts'

export interface FakeProcess {
  url: string
  /** The organization token. */
  token: string
  stop(): Promise<void>
  /** Resolves when the process ends without having been stopped. */
  died: Promise<CrewEnd>
}

export interface FakeProcessOptions {
  /** The name of a shipped profile, a file, or the text of one. */
  profile: string
  speed: number
  seed: number
  dialect: DialectName | null
  /** Inherited by the child, in addition to its tokens. */
  env: Environment
  /** Receives what the process prints on standard error after its start. */
  onComplaint: (words: string) => void
}

/** What the program sends over the channel to the process that started it, before it ends. */
export type LastMessage =
  | { kind: 'mistakes'; mistakes: readonly Mistake[] }
  /** `words`: all that it prints of it. */
  | { kind: 'failure'; cause: string; words: string }

const START_LIMIT_MS = 20_000
const CONNECT_EVERY_MS = 50
const STOP_LIMIT_MS = 3_000

/**
 * Starts `crewload fake` on a free port. Throws UserError with the mistakes or the words of the
 * child when it cannot start.
 */
export async function startFakeProcess(options: FakeProcessOptions): Promise<FakeProcess> {
  const main = join(packageRoot(), 'dist', 'bin', 'crewload.js')
  assert(existsSync(main), 'crewload is not built: run "npm run build"')
  const token = randomBytes(6).toString('hex')
  const env = {
    ...options.env,
    CREWLOAD_FAKE_TOKEN: token,
    CREWLOAD_FAKE_USER_TOKEN: randomBytes(6).toString('hex'),
    CREWLOAD_FAKE_TIED: '1',
  }
  const file = await profileFile(options.profile)
  const child = fork(main, fakeArguments({ ...options, profile: file.path }), {
    env,
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let last: LastMessage | null = null
  child.on('message', (message) => (last = message as LastMessage))
  const url = await readUrl(child, () => last).finally(file.remove)
  await untilReachable(new URL(url), child)
  const complaints = new Complaints(options.onComplaint)
  child.stderr?.removeAllListeners('data').on('data', (text: string) => complaints.hear(text))
  let stopped = false
  const died = new Promise<CrewEnd>((resolve) => {
    // `close` follows `exit`: by then all output has arrived.
    child.once('close', (code, signal) => {
      complaints.flush()
      const own = last?.kind === 'failure' ? last.cause : complaints.crash
      if (!stopped) resolve({ exit: { code, signal }, why: excerpt(own, MOST_CHARACTERS_OF_CAUSE) })
    })
  })
  const stop = async (): Promise<void> => {
    stopped = true
    await stopChild(child)
  }
  return { url, token, stop, died }
}

/** The child is given a text as a file, which it reads before it is ready. */
async function profileFile(
  profile: string,
): Promise<{ path: string; remove: () => Promise<void> }> {
  if (!isProfileText(profile)) return { path: profile, remove: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), 'crewload-profile-'))
  const path = join(folder, 'profile.yaml')
  await writeFile(path, profile)
  return { path, remove: async () => rm(folder, { recursive: true, force: true }) }
}

function fakeArguments(options: FakeProcessOptions): string[] {
  const { profile, speed, seed, dialect } = options
  const fixed = ['fake', '--profile', profile, '--port', '0', '--json']
  const times = ['--speed', String(speed), '--seed', String(seed)]
  return [...fixed, ...times, ...(dialect === null ? [] : ['--dialect', dialect])]
}

async function readUrl(
  child: ChildProcess,
  lastMessage: () => LastMessage | null,
): Promise<string> {
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-4_000)
  })
  return new Promise((resolve, reject) => {
    const end = (error: UserError): void => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      reject(error)
    }
    const fail = (problem: string): void => end(new UserError({ source: '--profile', problem }))
    const timer = setTimeout(
      () => fail(`the fake crew did not start within ${START_LIMIT_MS / 1000} s`),
      START_LIMIT_MS,
    )
    child.once('error', (error) => fail(`the fake crew did not start: ${error.message}`))
    // `close` follows `exit`: by then all that it said has arrived.
    child.once('close', (code, signal) => {
      const last = lastMessage()
      if (last?.kind === 'mistakes') return end(new UserError(last.mistakes.map(ofProfile)))
      // Where Node cannot run the program at all, it alone says why.
      const said = excerpt(last?.words ?? complaint.trim(), MOST_CHARACTERS)
      end(new FakeCrewCrashed(signal ?? `exit code ${code}`, said))
    })
    createInterface({ input: child.stdout! }).once('line', (line) => {
      clearTimeout(timer)
      child.removeAllListeners('close')
      const { url } = JSON.parse(line) as { url: string }
      resolve(url)
    })
  })
}

/** A mistake that it found in what it was given. */
function ofProfile(mistake: Mistake): Mistake {
  return { source: '--profile', problem: formatMistake(mistake) }
}

/**
 * A fault of its profile may refuse connections from its start. After `START_LIMIT_MS`, or if it
 * ends, the run goes on, and says what it meets.
 */
async function untilReachable({ hostname, port }: URL, child: ChildProcess): Promise<void> {
  const giveUpMs = performance.now() + START_LIMIT_MS
  while (performance.now() < giveUpMs && child.exitCode === null && child.signalCode === null) {
    if (await accepts(hostname, Number(port))) return
    await sleep(CONNECT_EVERY_MS)
  }
}

async function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  await ended
  clearTimeout(timer)
}

/** Text is reported when nothing has followed for this long. */
const QUIET_MS = 50
const MOST_CHARACTERS = 2_000
/** The number of pieces reported; the rest is omitted. */
const MOST_SHOWN = 20
const MOST_CHARACTERS_OF_CAUSE = 200

/** Node's own hint after a warning: `(Use `node --trace-warnings ...` to show where ...)`. */
const ADVICE = /^\(Use `node /
/** By a crash of V8 or of Node itself, the program can send no message: its text is not ours. */
const CRASH = /fatal error|out of memory|assertion .*failed/i

export class Complaints {
  readonly #tell: (words: string) => void
  #text = ''
  #timer: NodeJS.Timeout | undefined
  #reported = 0
  #crash = ''

  /** `tell` receives whole sentences on one line, in which text from a target is neutralised. */
  constructor(tell: (words: string) => void) {
    this.#tell = tell
  }

  /** The last line by which Node names a crash of its own; empty when none does. */
  get crash(): string {
    return this.#crash
  }

  hear(text: string): void {
    this.#text = (this.#text + text).slice(0, 2 * MOST_CHARACTERS)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.flush(), QUIET_MS).unref()
  }

  /** Reports what has not been reported yet. */
  flush(): void {
    clearTimeout(this.#timer)
    const lines = this.#text.split('\n').filter((line) => line.trim() !== '' && !ADVICE.test(line))
    this.#text = ''
    if (lines.length === 0) return
    this.#crash = lines.findLast((line) => CRASH.test(line)) ?? this.#crash
    if (++this.#reported > MOST_SHOWN) return
    this.#tell(`the fake crew of this run says: ${excerpt(lines.join('\n'), MOST_CHARACTERS)}`)
  }
}
