/**
 * Installs the tarball of `npm run package` with each package manager and on each Node, all from
 * the registry, and prints how many packages that are, their size, and what was warned of. Each
 * install then starts the command, the library and the CommonJS build: `npm run installs`.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process, { argv, env, stderr, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'crewload-installs-'))
/** `npm run installs -- pnpm bun`: those whose names contain a word. */
const wanted = argv.slice(2)

const npx = (...packages) => ['npx', '--yes', ...packages.flatMap((name) => ['-p', name])]

/** How each adds the tarball to a project. */
const MANAGERS = {
  npm: (tarball) => ['npm', 'install', '--no-audit', '--no-fund', tarball],
  pnpm: (tarball) => [...npx('pnpm@10'), 'pnpm', 'add', tarball],
  'Yarn Classic': (tarball) => [...npx('yarn@1.22.22'), 'yarn', 'add', '--no-progress', tarball],
  'Yarn Berry': (tarball) => [
    ...npx('@yarnpkg/cli-dist@4'),
    'yarn',
    'add',
    `crewload@file:${tarball}`,
  ],
  bun: (tarball) => [...npx('bun@1'), 'bun', 'add', tarball],
}
const NODES = ['20.19.0', '22', '24', '26']

const CHECK = `
import { createRequire } from 'node:module'
import { run } from 'crewload/run'
import { startFakeCrew } from 'crewload/fake-crew'
const required = createRequire(import.meta.url)('crewload/fake-crew')
for (const start of [startFakeCrew, required.startFakeCrew]) await (await start({ profile: 'fast' })).stop()
const { document } = await run('smoke', { profile: 'fast', engine: 'virtual', out: false })
console.log(document.verdict.outcome)
`

/** Builds may be refused by a manager: that is a note, and nothing of ours. */
const WARNS = /\bwarn(?:ing)?\b/i

try {
  execFileSync('node', ['tools/package.mjs', '--out', folder], { cwd: root, stdio: 'ignore' })
  const tarball = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz')),
  )
  stdout.write(
    '| Installed by | Packages | MB | Warnings | Starts |\n| --- | --- | --- | --- | --- |\n',
  )
  for (const [name, command] of Object.entries(MANAGERS)) {
    report(name, () => installed(name, command(tarball)))
  }
  const project = join(folder, 'npm')
  for (const version of NODES) {
    report(`npm, on Node ${version}`, () => {
      if (!readdirSync(folder).includes('npm')) installed('npm', MANAGERS.npm(tarball))
      const node = [...npx(`node@${version}`), 'node']
      return { ...measured(project), warnings: '', starts: starts(project, node) }
    })
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function report(name, measure) {
  if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) return
  const { packages, megabytes, warnings, starts: how } = measure()
  stdout.write(`| ${name} | ${packages} | ${megabytes} | ${warnings || 'none'} | ${how} |\n`)
}

function installed(name, [program, ...args]) {
  const project = join(folder, name.replace(' ', '-'))
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"name":"bees","version":"1.0.0","private":true}')
  if (name.startsWith('Yarn')) writeFileSync(join(project, 'yarn.lock'), '')
  if (name === 'Yarn Berry')
    writeFileSync(join(project, '.yarnrc.yml'), 'nodeLinker: node-modules\n')
  const {
    status,
    stdout: out,
    stderr: err,
  } = spawnSync(program, args, {
    cwd: project,
    encoding: 'utf8',
    env: { ...env, CI: '1', YARN_ENABLE_IMMUTABLE_INSTALLS: 'false', YARN_ENABLE_TELEMETRY: '0' },
  })
  const said = `${out}${err}`
  if (status !== 0) {
    stderr.write(said)
    process.exitCode = 1
    return { packages: '-', megabytes: '-', warnings: 'it failed', starts: '-' }
  }
  const warnings = said.split('\n').filter((line) => WARNS.test(line) && !isOfItself(line))
  return { ...measured(project), warnings: warnings.join('; '), starts: starts(project, ['node']) }
}

/** What a manager says of itself or of this machine, and not of the package. */
function isOfItself(line) {
  return /npm warn (?:config|exec|Unknown)|package\.json: No license field|No license field/i.test(
    line,
  )
}

function measured(project) {
  const modules = join(project, 'node_modules')
  const manifests = execFileSync(
    'find',
    ['-L', modules, '-name', 'package.json', '-not', '-path', '*/crewload/*/package.json'],
    { encoding: 'utf8' },
  )
  const names = new Set(
    manifests
      .split('\n')
      .flatMap(
        (path) => /node_modules\/((?:@[^/]+\/)?[^/.][^/]*)\/package\.json$/.exec(path)?.[1] ?? [],
      ),
  )
  const kilobytes = execFileSync('du', ['-sk', modules], { encoding: 'utf8' }).split('\t')[0]
  return { packages: names.size, megabytes: (kilobytes / 1024).toFixed(1) }
}

function starts(project, [program, ...args]) {
  writeFileSync(join(project, 'check.mjs'), CHECK)
  const library = spawnSync(program, [...args, 'check.mjs'], { cwd: project, encoding: 'utf8' })
  const main = join(project, 'node_modules/crewload/dist/bin/crewload.js')
  const command = spawnSync(program, [...args, main, '--version'], {
    cwd: project,
    encoding: 'utf8',
  })
  const version = spawnSync(program, [...args, '--version'], {
    cwd: project,
    encoding: 'utf8',
  }).stdout.trim()
  const works = library.stdout.trim() === 'passed' && command.status === 0
  if (!works) stderr.write(`${library.stderr}${command.stderr}`)
  return works ? `on ${version}` : `NOT on ${version}`
}
