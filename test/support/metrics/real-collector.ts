/** The real OpenTelemetry Collector for tests, built from the Go module in `collector/`. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freeAddresses } from '../k6/operator.ts'
import { temporaryFolder } from '../cli.ts'

const execute = promisify(execFile)
const SOURCES = fileURLToPath(new URL('collector', import.meta.url))

/** Go keeps what it compiled, so that only the first build takes minutes. */
export const COLLECTOR_BUILD_MS = 600_000

/**
 * Builds the program in a folder of the caller. Without Go, or without its modules, the tests are
 * skipped, and say so; with `CREWLOAD_CI=1` this throws.
 */
export async function buildCollector(folder: string): Promise<string | null> {
  const program = join(folder, 'collector')
  const env = { ...process.env, GOTOOLCHAIN: 'local' }
  try {
    const args = ['build', '-buildvcs=false', '-trimpath', '-o', program, '.']
    await execute('go', args, { cwd: SOURCES, env })
    return program
  } catch (error) {
    const why = `it cannot be built: ${(error as Error).message}`
    if (process.env['CREWLOAD_CI'] === '1')
      throw new Error(`CREWLOAD_CI=1 needs it: ${why}`, { cause: error })
    process.stderr.write(`SKIPPED the test with a real collector: ${why}\n`)
    return null
  }
}

export interface RealCollector extends AsyncDisposable {
  url: string
  /** Stops the collector, and returns what it wrote about all that it received. */
  stop(): Promise<string>
}

const READY_MS = 20_000

export async function startCollector(program: string): Promise<RealCollector> {
  const folder = await temporaryFolder()
  const [address = ''] = await freeAddresses(1)
  const config = join(folder.path, 'config.yaml')
  await writeFile(config, configOf(address))
  const child = spawn(program, ['--config', `file:${config}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  const ended = once(child, 'close')
  const ready = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`not ready: ${written}`)), READY_MS)
    const heard = (bytes: Buffer): void => {
      written += bytes.toString('utf8')
      if (!written.includes('Everything is ready')) return
      clearTimeout(late)
      resolve()
    }
    child.stdout.on('data', heard)
    child.stderr.on('data', heard)
  })
  const stop = async (): Promise<string> => {
    child.kill()
    await ended
    await folder[Symbol.asyncDispose]()
    return written
  }
  try {
    await ready
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: `http://${address}`,
    stop,
    [Symbol.asyncDispose]: async () => void (child.exitCode === null ? await stop() : null),
  }
}

function configOf(address: string): string {
  return `
receivers: { otlp: { protocols: { http: { endpoint: '${address}' } } } }
exporters: { debug: { verbosity: detailed } }
service:
  telemetry: { metrics: { level: none } }
  pipelines:
    metrics: { receivers: [otlp], exporters: [debug] }
    traces: { receivers: [otlp], exporters: [debug] }
`
}
