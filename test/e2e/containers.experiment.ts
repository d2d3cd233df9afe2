/**
 * The images and the services of `compose.yaml`, as far as they can be tried without Docker: their
 * steps are executed in folders, and what they start is started on a read-only file system.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { cli, temporaryFolder } from '../support/cli.ts'
import type { Stage } from '../support/dockerfile.ts'
import { buildStages, settingOf, stagesOf } from '../support/dockerfile.ts'
import { cleanEnv } from '../support/program/program.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
const STAGES: Stage[] = stagesOf(DOCKERFILE)

/** Says what was not tried; with `CREWLOAD_CI=1` nothing may be missing. */
function without(program: string, args: string[], what: string): boolean {
  if (spawnSync(program, args).status === 0) return false
  if (process.env['CREWLOAD_CI'] === '1') throw new Error(`CREWLOAD_CI=1 needs ${program}: ${what}`)
  process.stderr.write(`SKIPPED ${what}: ${program} does not run\n`)
  return true
}

const say = (what: string): void => void process.stderr.write(`NOT EXECUTED ${what}\n`)

test.skipIf(without('hadolint', ['--version'], 'the linter of the Dockerfile'))(
  'hadolint finds nothing in the Dockerfile',
  () => {
    const { status, stdout } = spawnSync('hadolint', ['Dockerfile'], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
  },
)

test('the images are not root, and the fake crew has a check of its health', () => {
  expect(settingOf(STAGES, 'runner', 'USER')).toBe('1000')
  expect(settingOf(STAGES, 'fake', 'USER')).toBe('1000')
  expect(STAGES.at(-1)!.name).toBe('fake')
  const pinned = STAGES.filter(({ from }) => from.includes(':'))
  expect(pinned.map(({ from }) => from).filter((from) => from.endsWith(':latest'))).toEqual([])
  expect(STAGES.length - pinned.length).toBe(1)
})

/** What needs the network, or minutes, is taken from this repository. */
function instead(stage: string, { instruction, words }: Stage['steps'][number], cwd: string) {
  if (stage === 'k6' && instruction === 'RUN') {
    const built = join(ROOT, 'tools/k6/k6')
    say(`${words}: ${existsSync(built) ? 'tools/k6/k6 stands for it' : 'an empty file'}`)
    if (existsSync(built)) execFileSync('cp', [built, join(cwd, 'k6')])
    else writeFileSync(join(cwd, 'k6'), '#!/bin/sh\n', { mode: 0o755 })
    return true
  }
  if (stage === 'build' && words.startsWith('npm ci')) {
    say(`${words}: the packages of this repository stand for it`)
    const modules = join(ROOT, 'node_modules')
    // Hard links, where it is one file system.
    if (spawnSync('cp', ['-al', modules, cwd]).status !== 0) {
      execFileSync('cp', ['-r', modules, cwd])
    }
    return true
  }
  if (stage === 'packages' && words.startsWith('npm ci')) {
    process.env['npm_config_prefer_offline'] = 'true'
  }
  return false
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

describe('the steps of the Dockerfile, in folders', () => {
  let root = ''
  let folder: Awaited<ReturnType<typeof temporaryFolder>>

  beforeAll(async () => {
    folder = await temporaryFolder()
    chmodSync(folder.path, 0o755)
    const roots = buildStages(STAGES, { context: ROOT, folder: folder.path, instead })
    root = roots.get('runner')!
    return async () => folder[Symbol.asyncDispose]()
  }, 300_000)

  const main = (): string => join(root, 'usr/local/bin/crewload')

  /** In namespaces of its own, as a user without rights, on a file system that nobody can write. */
  function contained(args: readonly string[], writable: string | null) {
    const mounts = [
      'mount -o remount,ro,bind /',
      ...(writable === null ? [] : [`mount -t tmpfs none ${writable}`, `cd ${writable}`]),
    ]
    const script = `${mounts.join(' && ')} && exec "$@"`
    const isRoot = process.getuid?.() === 0
    return spawn('unshare', ['-rm', 'sh', '-c', script, 'sh', ...args], {
      cwd: root,
      env: {
        ...cleanEnv({ CREWLOAD_FAKE_TOKEN: 'word', CREWLOAD_FAKE_ADMIN_TOKEN: 'admin' }),
        CREWLOAD_TOKEN: 'word',
        HOME: '/nowhere',
        TMPDIR: writable ?? '/nowhere',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
    })
  }

  test('make an image with three packages and the command', () => {
    expect(execFileSync(process.execPath, [main(), '--version'], { encoding: 'utf8' })).toMatch(
      /^\d/,
    )
    expect(existsSync(join(root, 'opt/crewload/node_modules/zod'))).toBe(true)
    expect(existsSync(join(root, 'opt/crewload/node_modules/typescript'))).toBe(false)
    expect(existsSync(join(root, 'usr/local/bin/k6'))).toBe(true)
  })

  const isOpen = without('unshare', ['-rm', 'true'], 'the read-only file system')

  test.skipIf(isOpen)('a fake crew serves a run, both on a read-only file system', async () => {
    const port = String(await freePort())
    const health = (
      JSON.parse(settingOf(STAGES, 'fake', 'HEALTHCHECK').replace(/^.* CMD /, '')) as string[]
    ).map((word) => word.replace(':8000', `:${port}`))
    expect(spawnSync(process.execPath, health.slice(1)).status).toBe(1)
    const command = JSON.parse(settingOf(STAGES, 'fake', 'CMD')) as string[]
    const served = command.map((word) => (word === '8000' ? port : word))
    const crew = contained([process.execPath, main(), ...served, '--profile', 'fast'], null)
    try {
      await once(crew.stdout, 'data')
      expect(spawnSync(process.execPath, health.slice(1)).status).toBe(0)
      const reports = join(root, 'work')
      const args = ['run', 'smoke', `--target=http://127.0.0.1:${port}`, '--quiet']
      const run = contained([process.execPath, main(), ...args], reports)
      let said = ''
      run.stderr.on('data', (part: Buffer) => (said += part.toString()))
      const [code] = (await once(run, 'close')) as [number | null]
      expect({ code, said }).toEqual({ code: 0, said: '' })
    } finally {
      crew.kill('SIGTERM')
      const [code] = (await once(crew, 'close')) as [number | null]
      expect(code).toBe(0)
    }
  })
})

interface Service {
  image?: string
  build?: { context: string; target: string }
  command?: string[]
  volumes?: string[]
  configs?: { source: string; target: string }[]
  depends_on?: string[] | Record<string, { condition: string }>
  read_only?: boolean
  ports?: string[]
}
interface Compose {
  services: Record<string, Service>
  configs: Record<string, { content: string }>
}

describe('compose.yaml', () => {
  const { services, configs } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'), {
    merge: true,
  }) as Compose

  test('builds stages that there are, and mounts files that there are', () => {
    for (const { build, image, volumes = [], configs: own = [], ports = [] } of Object.values(
      services,
    )) {
      const isPinned = /^[\w./-]+:v?\d+\.\d+\.\d+$/.test(image ?? '')
      expect(isPinned || STAGES.some(({ name }) => name === build?.target)).toBe(true)
      for (const volume of volumes) expect(existsSync(join(ROOT, volume.split(':')[0]!))).toBe(true)
      for (const { source } of own) expect(Object.keys(configs)).toContain(source)
      // Nothing is open to the network.
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
    }
    expect(services['fake']).toMatchObject({ read_only: true })
    expect(services['run']).toMatchObject({
      read_only: true,
      depends_on: { fake: { condition: 'service_healthy' } },
    })
  })

  test('runs commands that crewload has', async () => {
    const planned = await cli([...services['run']!.command!, '--dry-run'], {
      env: { CREWLOAD_TOKEN: 'word' },
    })
    expect(planned).toMatchObject({ code: 0 })
    expect(planned.stdout).toMatch(/http:\/\/fake:8000$/m)
    const asked = await cli([...services['fake']!.command!, '--help'])
    expect(asked.code).toBe(0)
  })

  test('gives Grafana a source and a folder that it knows, with the dashboard in it', () => {
    const sources = parse(configs['datasources']!.content) as { datasources: { url: string }[] }
    const { hostname } = new URL(sources.datasources[0]!.url)
    expect(Object.keys(services)).toContain(hostname)
    const folders = parse(configs['dashboards']!.content) as {
      providers: { options: { path: string } }[]
    }
    const { path } = folders.providers[0]!.options
    expect(services['grafana']!.volumes).toEqual([
      `./docs/grafana-dashboard.json:${path}/crewload.json:ro`,
    ])
  })

  test.skipIf(without('promtool', ['--version'], 'the configuration of Prometheus'))(
    'configures Prometheus as promtool checks it, with targets that are services',
    async () => {
      await using folder = await temporaryFolder()
      const { content } = configs['prometheus']!
      const file = join(folder.path, 'prometheus.yml')
      writeFileSync(file, content.replaceAll(/\$\{[^}]*:-([^}]*)\}/g, '$1'))
      const { status, stderr } = spawnSync('promtool', ['check', 'config', file], {
        encoding: 'utf8',
      })
      expect({ status, stderr }).toMatchObject({ status: 0 })
      const targets = [...content.matchAll(/'(\w+):\d+'/g)].map(([, name]) => name)
      expect(targets).toEqual(['run', 'fake'])
    },
  )
})
