/** `crewload fake`: runs a fake crew, or a proxy in front of a real one, until a signal ends it. */
import type { FakeCrew, FakeProxy } from '../../../fake-crew/index.ts'
import { isLoopback } from '../../base/loopback.ts'
import { oneOf, profileName, text, wholeNumber, yes } from '../../base/options/kinds.ts'
import type { Given, OptionTable } from '../../base/options/table.ts'
import { option } from '../../base/options/table.ts'
import { DIALECT, PLAN } from '../../run/options.ts'
import type { MainCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { Io } from '../io/io.ts'

const FAKE = {
  profile: option('--profile <name|file>', 'how the crew behaves', profileName, {
    default: 'default',
  }),
  port: option('--port <n>', 'port to listen on; 0 picks a free one', wholeNumber(0, 65_535), {
    default: 0,
  }),
  host: option(
    '--host <address>',
    'address to listen on; other than loopback needs CREWLOAD_FAKE_ADMIN_TOKEN',
    text,
    { default: '127.0.0.1' },
  ),
  dialect: DIALECT,
  speed: { ...PLAN.speed, help: 'time-lapse: divides the times of the profile', group: 'Options' },
  seed: { ...PLAN.seed, group: 'Options' },
  clock: option(
    '--clock <real|manual>',
    'manual: time moves only by POST /__fake__/clock/advance',
    oneOf(['real', 'manual']),
  ),
  withParent: option(
    '--with-parent',
    'end when the process that started it ends, or the one that started npx',
    yes,
  ),
  proxy: option(
    '--proxy <url>',
    "act as a proxy to this target, with the profile's limits and faults",
    text,
  ),
  json: option(
    '--json',
    'print one line {"url","token","userToken"}, or {"url","proxy"}, when ready',
    yes,
  ),
} satisfies OptionTable

type FakeFlags = Given<typeof FAKE>
type Served = Omit<FakeFlags, 'withParent'>

const HELP = `Tokens: CREWLOAD_FAKE_TOKEN, CREWLOAD_FAKE_USER_TOKEN; random if unset. CREWLOAD_WEBHOOK_SECRET
signs pushes to webhooks.

With --proxy, requests are forwarded to the target and its answers returned. So any client can be
tested against faults and limits: crewload fake --proxy https://crew.example --profile flaky. Only
the limits and faults of the profile are used. Faults that change a fake crew's executions (stuck,
backwards, flip, noResult, swap, a restart that loses some) are refused. Faults that change or
truncate answers do not affect answers that are compressed, not UTF-8, or over 8 MiB. The client's
token is forwarded and never stored. /__fake__/ is never forwarded to the target.`

export const fake: MainCommand = {
  name: 'fake',
  group: 'Simulate a crew',
  description: 'start a fake crew: free, seeded, with a ledger of the true times',
  help: HELP,
  options: FAKE,
  async act(io, flags: FakeFlags) {
    const { withParent = false, ...options } = flags
    const ended = endOf(io, withParent)
    const { proxy: target } = options
    const { stop } =
      target === undefined ? await crew(options, io) : await proxy(target, options, io)
    await ended
    await stop()
    return EXIT.passed
  },
}

interface StartedFake {
  stop: () => Promise<void>
}

async function crew({ json, ...options }: Served, io: Io): Promise<StartedFake> {
  const { startFakeCrew } = await import('../../../fake-crew/index.ts')
  const started = await startFakeCrew({ ...options, ...tokensFrom(io.env) })
  const { url, token, userToken } = started
  const line = `${JSON.stringify({ url, token, userToken })}\n`
  io.stdout.write(json ? line : crewGreeting(started, options.profile))
  return { stop: async () => started.stop() }
}

async function proxy(url: string, options: Served, io: Io): Promise<StartedFake> {
  const { parseTarget } = await import('../../run/target/chosen-place.ts')
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

interface Secrets {
  token?: string
  userToken?: string
  adminToken?: string
  webhookSecret?: string
}

function tokensFrom(env: Io['env']): Secrets {
  const token = env['CREWLOAD_FAKE_TOKEN']
  const userToken = env['CREWLOAD_FAKE_USER_TOKEN']
  const adminToken = env['CREWLOAD_FAKE_ADMIN_TOKEN']
  const webhookSecret = env['CREWLOAD_WEBHOOK_SECRET']
  return {
    ...(token ? { token } : {}),
    ...(userToken ? { userToken } : {}),
    ...(adminToken ? { adminToken } : {}),
    ...(webhookSecret ? { webhookSecret } : {}),
  }
}

/**
 * Ends at a signal, or when the parent ends. A fake crew of a run also receives the terminal's
 * Ctrl-C, but must continue while the run drains: only its parent ends it.
 */
async function endOf(io: Io, withParent: boolean): Promise<void> {
  if (io.env['CREWLOAD_FAKE_TIED'] === '1') {
    io.onInterrupt(() => {})
    return io.parentGone(false)
  }
  return new Promise((resolve) => {
    const off = io.onInterrupt(() => {
      off()
      resolve()
    })
    void io.parentGone(withParent).then(resolve)
  })
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ')
}

function proxyGreeting({ url, limits, faults }: FakeProxy, profile: string, target: URL): string {
  const real = isLoopback(target.hostname)
    ? ''
    : `
Requests sent here reach a real deployment, with its real cost.
`
  return `Proxy "${profile}" on ${url}
forwards to ${target.href}
${real}
  limits      ${listed(limits)}
  faults      ${listed(faults)}

  add one     curl ${url}/__fake__/faults -d '{ status: { code: 503 }, chance: 10% }'
  clear all   curl -X DELETE ${url}/__fake__/faults

Your client's token is forwarded to the target. Ctrl-C stops the proxy.
`
}

function crewGreeting({ url, token, userToken }: FakeCrew, profile: string): string {
  return `Fake crew "${profile}" on ${url}

  token       ${token}
  user token  ${userToken}

  curl -H 'Authorization: Bearer ${token}' ${url}/inputs
  CREWLOAD_TOKEN=${token} crewload run smoke --target ${url}

  ledger      ${url}/__fake__/ledger
  interface   ${url}/openapi.json

Ctrl-C stops it.
`
}
