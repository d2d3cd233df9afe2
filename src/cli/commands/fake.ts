/** `crewload fake`: a fake crew until a signal ends it. */
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { EXIT } from '../exit-codes.ts'
import type { Io } from '../io.ts'

interface FakeCommandOptions {
  profile: string
  port: number
  host: string
  dialect?: 'interface' | 'platform'
  speed?: number
  seed?: number
  json?: boolean
}

export async function fakeCommand(options: FakeCommandOptions, io: Io): Promise<number> {
  const { json, ...behaviour } = options
  const ended = endOf(io)
  const crew = await startFakeCrew({ ...behaviour, ...tokensFrom(io.env) })
  const { url, token, userToken } = crew
  io.stdout.write(json ? `${JSON.stringify({ url, token, userToken })}\n` : greeting(crew, options))
  await ended
  await crew.stop()
  return EXIT.passed
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
 * A signal, or the parent's end. A fake crew that is tied to a run hears the terminal's Ctrl-C too, and must live on while the run drains:
 * only its parent ends it.
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

function greeting(
  crew: { url: string; token: string; userToken: string },
  options: FakeCommandOptions,
): string {
  return `Fake crew "${options.profile}" on ${crew.url}

  token       ${crew.token}
  user token  ${crew.userToken}

  curl -H 'Authorization: Bearer ${crew.token}' ${crew.url}/inputs
  CREWLOAD_TOKEN=${crew.token} crewload run smoke --target ${crew.url}

  truth       ${crew.url}/__fake__/ledger
  interface   ${crew.url}/openapi.json

Ctrl-C ends it.
`
}
