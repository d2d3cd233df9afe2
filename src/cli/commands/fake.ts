/** `crewload fake`: a fake crew, or a proxy in front of a real one, until a signal ends it. */
import type { FakeCrew, FakeProxy } from '../../../fake-crew/index.ts'
import { isLoopback } from '../../base/loopback.ts'
import type { MainCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { dialectOption, positive, wholeNumber } from '../flags/options.ts'
import type { Io } from '../io/io.ts'

interface FakeFlags {
  profile: string
  port: number
  host: string
  dialect?: 'interface' | 'platform'
  speed?: number
  seed?: number
  proxy?: string
  json?: boolean
}

const HELP = `Tokens: CREWLOAD_FAKE_TOKEN, CREWLOAD_FAKE_USER_TOKEN; drawn when unset.

With --proxy, requests go on to the target and its answers come back, for any client that shall be tried against faults and limits:
crewload fake --proxy https://crew.example --profile flaky. Of the profile its limits and faults count, and nothing else; faults
that need executions of the fake crew's own (stuck, backwards, flip, noResult, swap, a restart that loses some) are refused. A fault
that changes answers or cuts them leaves alone what is compressed, no UTF-8, or over 8 MiB. The client's token goes through and
is written nowhere. /__fake__/ never reaches the target.`

export const fake: MainCommand = {
  name: 'fake',
  group: 'Stand in for a crew',
  description: 'a fake crew: free, seeded, with a ledger of the truth',
  help: HELP,
  declare(command) {
    command
      .option('--profile <name|file>', 'how it behaves', 'default')
      .option('--port <n>', '0 takes a free one', wholeNumber(0, 65_535), 0)
      .option(
        '--host <address>',
        'other than loopback needs CREWLOAD_FAKE_ADMIN_TOKEN',
        '127.0.0.1',
      )
      .addOption(dialectOption())
      .option('--speed <factor>', 'time-lapse: divides the times of the profile', positive)
      .option('--seed <n>', 'seed of every random draw', wholeNumber(0))
      .option(
        '--proxy <url>',
        "stand in front of this target, with the profile's limits and faults",
      )
      .option(
        '--json',
        'print one line {"url","token","userToken"}, or {"url","proxy"}, when ready',
      )
  },
  async act(io, flags: FakeFlags) {
    const ended = endOf(io)
    const { proxy: target } = flags
    const { stop } = target === undefined ? await crew(flags, io) : await proxy(target, flags, io)
    await ended
    await stop()
    return EXIT.passed
  },
}

interface Started {
  stop: () => Promise<void>
}

async function crew({ json, ...options }: FakeFlags, io: Io): Promise<Started> {
  const { startFakeCrew } = await import('../../../fake-crew/index.ts')
  const started = await startFakeCrew({ ...options, ...tokensFrom(io.env) })
  const { url, token, userToken } = started
  const line = `${JSON.stringify({ url, token, userToken })}\n`
  io.stdout.write(json ? line : crewGreeting(started, options.profile))
  return { stop: async () => started.stop() }
}

async function proxy(url: string, options: FakeFlags, io: Io): Promise<Started> {
  const { parseTarget } = await import('../../run/target/target.ts')
  const { startFakeProxy } = await import('../../../fake-crew/index.ts')
  const { json, proxy: _, ...behaviour } = options
  const target = parseTarget(url, '--proxy')
  const { adminToken } = tokensFrom(io.env)
  const started = await startFakeProxy({
    ...behaviour,
    target,
    ...(adminToken === undefined ? {} : { adminToken }),
  })
  const line = `${JSON.stringify({ url: started.url, proxy: target.href })}\n`
  io.stdout.write(json ? line : proxyGreeting(started, options.profile, target))
  return { stop: async () => started.stop() }
}

function tokensFrom(env: Io['env']): { token?: string; userToken?: string; adminToken?: string } {
  const token = env['CREWLOAD_FAKE_TOKEN']
  const userToken = env['CREWLOAD_FAKE_USER_TOKEN']
  const adminToken = env['CREWLOAD_FAKE_ADMIN_TOKEN']
  return {
    ...(token ? { token } : {}),
    ...(userToken ? { userToken } : {}),
    ...(adminToken ? { adminToken } : {}),
  }
}

/**
 * A signal, or the parent's end. A fake crew that is tied to a run hears the terminal's Ctrl-C too,
 * and must live on while the run drains: only its parent ends it.
 */
async function endOf(io: Io): Promise<void> {
  if (io.env['CREWLOAD_FAKE_TIED'] === '1') {
    io.onInterrupt(() => {})
    return io.parentGone
  }
  return new Promise((resolve) => {
    const off = io.onInterrupt(() => {
      off()
      resolve()
    })
    void io.parentGone.then(resolve)
  })
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ')
}

function proxyGreeting({ url, limits, faults }: FakeProxy, profile: string, target: URL): string {
  const real = isLoopback(target.hostname)
    ? ''
    : `
What is sent here goes to a real deployment, and costs what it costs there. Commands that take this address for one on loopback
ask for no budget: give them one, as in crewload run --max-kickoffs 10.
`
  return `Proxy "${profile}" on ${url}
forwards to ${target.href}
${real}
  limits      ${listed(limits)}
  faults      ${listed(faults)}

  add one     curl ${url}/__fake__/faults -d '{ status: { code: 503 }, chance: 10% }'
  clear all   curl -X DELETE ${url}/__fake__/faults

Your client's token goes through to the target. Ctrl-C ends it.
`
}

function crewGreeting({ url, token, userToken }: FakeCrew, profile: string): string {
  return `Fake crew "${profile}" on ${url}

  token       ${token}
  user token  ${userToken}

  curl -H 'Authorization: Bearer ${token}' ${url}/inputs
  CREWLOAD_TOKEN=${token} crewload run smoke --target ${url}

  truth       ${url}/__fake__/ledger
  interface   ${url}/openapi.json

Ctrl-C ends it.
`
}
