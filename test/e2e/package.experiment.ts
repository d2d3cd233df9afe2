/** The package as it is published, in a project that installs it: offline. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Analysis } from '@arethetypeswrong/core'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { beforeAll, expect, test } from 'vitest'
import { importsOf } from '../architecture/source.ts'
import { problemsFor } from '../support/ci/github-parser.ts'
import { temporaryFolder } from '../support/cli.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

function sh(script: string, cwd: string, folder = ''): string {
  const env = { ...process.env, NO_COLOR: '1', folder }
  return execFileSync('sh', ['-c', script], { cwd, env, encoding: 'utf8' })
}

/** Folders in node_modules, without those that only developers need. */
function productionFolders(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>
  }
  return Object.entries(lock.packages)
    .filter(([path]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path))
    .filter(([, { dev, optional, devOptional }]) => !(dev ?? optional ?? devOptional ?? false))
    .map(([path]) => path)
}

/** The library, by both ways in. */
async function importedIn(project: string): Promise<string> {
  await writeFile(
    join(project, 'library.mjs'),
    `import { createRequire } from 'node:module'
import { defineScenario } from 'crewload'
import { run } from 'crewload/run'
import { startFakeCrew } from 'crewload/fake-crew'
import { expectCrew } from 'crewload/vitest'
const required = createRequire(import.meta.url)('crewload/fake-crew')
for (const start of [startFakeCrew, required.startFakeCrew]) {
  const crew = await start({ profile: 'fast', clock: 'manual' })
  await fetch(crew.url + '/inputs')
  expectCrew(crew).toHavePolledAtMost(0)
  await crew.stop()
}
const inputs = { topic: 'a', audience: 'b' }
const scenario = defineScenario({ name: 'three', arrivals: { iterations: 3, clients: 1 }, inputs })
const { document } = await run(scenario, { profile: 'fast', out: false })
console.log(document.outcomes.completed + ' executions')
`,
  )
  return sh('node library.mjs', project).trim()
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
  sh('node tools/package.mjs --out "$folder"', ROOT, folder.path)
  return async () => folder[Symbol.asyncDispose]()
}, 60_000)

const packed = (path: string): string => readFileSync(join(folder.path, 'package', path), 'utf8')

test('the manifest runs nothing at an install, and asks for no other package', () => {
  const manifest = JSON.parse(packed('package.json')) as Record<string, unknown>
  for (const name of ['scripts', 'devDependencies', 'peerDependencies', 'repository']) {
    expect(manifest).not.toHaveProperty(name)
  }
  sh('node tools/package.mjs --out "$folder/known" https://git.example/a/b', ROOT, folder.path)
  const known = readFileSync(join(folder.path, 'known/package/package.json'), 'utf8')
  expect(JSON.parse(known)).toMatchObject({
    repository: { url: 'git+https://git.example/a/b.git' },
    bugs: 'https://git.example/a/b/issues',
  })
})

test('the README is for those who install, and no document has a dead link', () => {
  expect(packed('README.md')).toContain('npm install --save-dev crewload')
  expect(packed('README.md')).not.toContain('git clone')
  const documents = readdirSync(join(folder.path, 'package'), { recursive: true, encoding: 'utf8' })
  const links = documents
    .filter((path) => path.endsWith('.md') || path === 'llms.txt')
    .flatMap((path) =>
      [...packed(path).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link = '']) =>
        join(path, '..', link),
      ),
    )
  expect(links.length).toBeGreaterThan(60)
  expect(links.filter((path) => !existsSync(join(folder.path, 'package', path)))).toEqual([])
})

test('everything that is bundled has the text of its licence beside it', () => {
  const licences = packed('dist/LICENSES.txt')
    .split(`${'='.repeat(72)}\n`)
    .slice(1)
  const named = licences.map((text) => text.slice(0, text.indexOf(' ')))
  expect(licences.filter((text) => text.length < 400)).toEqual([])
  const files = ['src', 'fake-crew'].flatMap((room) =>
    readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(ROOT, room, file), 'utf8')),
  )
  const imported = files.flatMap((text) =>
    importsOf(text)
      .filter(({ specifier, typeOnly }) => !typeOnly && /^@?[a-z]/.test(specifier))
      .map(({ specifier }) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0]),
  )
  const own = new Set(['crewload', 'esbuild', 'k6'])
  const needed = [...new Set(imported)].filter(
    (name) => !name.startsWith('node:') && !own.has(name),
  )
  expect(needed.length).toBeGreaterThan(12)
  expect(named).toEqual(expect.arrayContaining(needed))
  // And what those need in their turn.
  expect(named).toEqual(expect.arrayContaining(['avvio', 'd3-array', 'zod-to-json-schema']))
})

test('the code of the program and of the library is there once', () => {
  const once = sh(
    'grep -rlc "no such command; valid commands" dist || true',
    join(folder.path, 'package'),
  )
  expect(once.trim().split('\n')).toHaveLength(1)
  const twice = sh(
    'grep -rl "expected the folder of a run, with" dist/bin dist/lib dist/chunks',
    join(folder.path, 'package'),
  )
  expect(twice.trim().split('\n')).toHaveLength(1)
})

test('publint finds nothing', async () => {
  const pkgDir = join(folder.path, 'package')
  const { messages } = await publint({ pkgDir, strict: true, pack: false })
  expect(messages).toEqual([])
})

/** An ES module alone is what `require` of Node 20.19 takes too; TypeScript's oldest mode does not. */
test('types resolve in every mode of TypeScript, as far as ES modules can', async () => {
  const name = readdirSync(folder.path).find((file) => file.endsWith('.tgz'))!
  const tarball = new Uint8Array(readFileSync(join(folder.path, name)))
  const { problems } = (await checkPackage(createPackageFromTarballData(tarball))) as Analysis
  const others = problems.filter(
    (problem) =>
      !('resolutionKind' in problem) ||
      (problem.resolutionKind !== 'node10' && problem.kind !== 'CJSResolvesToESM'),
  )
  expect(others).toEqual([])
  // The fake crew has a build for `require`.
  const required = problems.filter(
    (problem) => 'entrypoint' in problem && problem.entrypoint === './fake-crew',
  )
  expect(required).toMatchObject([{ resolutionKind: 'node10' }])
})

test('the workflow that publishes is one for GitHub', async () => {
  const name = '.github/workflows/release.yml'
  const text = readFileSync(join(ROOT, name), 'utf8')
  expect(await problemsFor('workflow', name, text)).toEqual([])
  expect(text).toContain('npm publish ./package --provenance')
  expect(text).toContain('id-token: write')
})

test('runs from the tarball, with what it depends on and nothing else', async () => {
  const project = join(folder.path, 'project')
  const modules = join(project, 'node_modules')
  await mkdir(join(modules, '.bin'), { recursive: true })
  sh('tar -xzf ../../*.tgz && mv package crewload', modules)
  for (const path of productionFolders()) {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await symlink(join(ROOT, path), join(project, path))
  }
  await symlink('../crewload/dist/bin/crewload.js', join(modules, '.bin/crewload'))
  await writeFile(join(project, 'package.json'), '{"name":"bees","private":true}')
  expect(sh('npx --offline --no -- crewload --help', project)).toMatch(/^ {2}gate /m)
  expect(await importedIn(project)).toBe('3 executions')
  const script = sh('npx --offline --no -- crewload k6 bundle smoke --k6-metrics', project)
  expect(script).toContain('crewload_kickoff_response_duration')
  const run = 'crewload run smoke --profile fast --engine virtual'
  expect(sh(`npx --offline --no -- ${run}`, project)).toMatch(/^PASSED/m)
  expect(sh('node node_modules/crewload/tools/action/comment.mjs 2>&1 || true', project)).toContain(
    'neither GITHUB_ACTIONS nor GITLAB_CI is true',
  )
})
