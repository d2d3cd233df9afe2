/** `crewload fake`: a fake crew, or a proxy in front of a real one, until a signal ends it. */
import type { FakeCrew, FakeProxy } from '../../../fake-crew/index.ts'
import { startFakeCrew, startFakeProxy } from '../../../fake-crew/index.ts'
import { isLoopback } from '../../base/loopback.ts'
import { parseTarget } from '../../run/target/target.ts'
import { EXIT } from '../exit-codes.ts'
import type { Io } from '../io/io.ts'

interface FakeCommandOptions {
  profile: string
  port: number
  host: string
  dialect?: 'interface' | 'platform'
  speed?: number
  seed?: number
  proxy?: string
  json?: boolean
}

export async function fakeCommand(options: FakeCommandOptions, io: Io): Promise<number> {
  const ended = endOf(io)
  const { stop } =
    options.proxy === undefined ? await crew(options, io) : await proxy(options.proxy, options, io)
  await ended
  await stop()
  return EXIT.passed
}

interface Started {
  stop: () => Promise<void>
}

async function crew({ json, ...options }: FakeCommandOptions, io: Io): Promise<Started> {
  const started = await startFakeCrew({ ...options, ...tokensFrom(io.env) })
  const { url, token, userToken } = started
  const line = `${JSON.stringify({ url, token, userToken })}\n`
  io.stdout.write(json ? line : crewGreeting(started, options.profile))
  return { stop: async () => started.stop() }
}

async function proxy(url: string, options: FakeCommandOptions, io: Io): Promise<Started> {
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
