/**
 * Runs one benchmark: `node bench/run.mjs NAME [arguments]` bundles `NAME.ts` of `bench/cost`,
 * `bench/truth` or `bench/capacity` and starts it.
 */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The file of each benchmark by its name. */
const benches = new Map()
for (const folder of ['cost', 'truth', 'capacity']) {
  for (const file of readdirSync(`${root}bench/${folder}`)) {
    if (file.endsWith('.ts')) {
      benches.set(file.slice(0, -'.ts'.length), `${root}bench/${folder}/${file}`)
    }
  }
}

const [name, ...args] = process.argv.slice(2)
if (!benches.has(name)) {
  const names = [...benches.keys()].join(', ')
  process.stderr.write(`usage: node bench/run.mjs NAME, where NAME is one of ${names}\n`)
  process.exit(2)
}

/** The bundle is inside `node_modules`, so that packages are found from there. */
const bundle = `${root}node_modules/.cache/crewload-bench/${name}.mjs`
await build({
  entryPoints: [benches.get(name)],
  outfile: bundle,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
})
/** A benchmark of one core must not collect its garbage on others. */
const ofOneCore = name === 'virtual' ? ['--single-threaded-gc'] : []
/** As the command line sets it. */
const flags = ['--no-allocation-site-pretenuring', ...ofOneCore]
const child = spawn(process.execPath, ['--expose-gc', ...flags, bundle, ...args], {
  stdio: 'inherit',
})
child.on('exit', (code) => process.exit(code ?? 1))
