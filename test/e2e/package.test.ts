/** The package as `npm pack` makes it, in a project that installs it: offline. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
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

test('runs from the tarball, with what it depends on and nothing else', async () => {
  await using folder = await temporaryFolder()
  const project = join(folder.path, 'project')
  const modules = join(project, 'node_modules')
  await mkdir(join(modules, '.bin'), { recursive: true })
  sh('npm pack --ignore-scripts --silent --pack-destination "$folder"', ROOT, folder.path)
  sh('tar -xzf ../../*.tgz && mv package crewload', modules)
  for (const path of productionFolders()) {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await symlink(join(ROOT, path), join(project, path))
  }
  await symlink('../crewload/dist/bin/crewload.js', join(modules, '.bin/crewload'))
  await writeFile(join(project, 'package.json'), '{"name":"bees","private":true}')
  expect(sh('npx --offline --no-install crewload --help', project)).toMatch(/^ {2}gate /m)
  expect(await importedIn(project)).toBe('3 executions')
  const script = sh('npx --offline --no-install crewload k6 bundle smoke --k6-metrics', project)
  expect(script).toContain('crewload_kickoff_response_duration')
  const run = 'crewload run smoke --profile fast --engine virtual'
  expect(sh(`npx --offline --no-install ${run}`, project)).toMatch(/^PASSED/m)
  expect(sh('node node_modules/crewload/tools/action/comment.mjs 2>&1 || true', project)).toContain(
    'neither GITHUB_ACTIONS nor GITLAB_CI is true',
  )
})
