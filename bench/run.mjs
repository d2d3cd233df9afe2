/**
 * Runs one benchmark: `node bench/run.mjs NAME [arguments]` bundles `bench/NAME.ts` and starts it.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const [name, ...args] = process.argv.slice(2)
if (name === undefined) {
  process.stderr.write('usage: node bench/run.mjs NAME\n')
  process.exit(2)
}

const root = fileURLToPath(new URL('..', import.meta.url))
/** The bundle is inside `node_modules`, so that packages are found from there. */
const bundle = `${root}node_modules/.cache/crewload-bench/${name}.mjs`
await build({
  entryPoints: [`${root}bench/${name}.ts`],
  outfile: bundle,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
})
/** A benchmark of one core must not collect its garbage on others. */
const flags = name === 'virtual' ? ['--single-threaded-gc'] : []
const child = spawn(process.execPath, ['--expose-gc', ...flags, bundle, ...args], {
  stdio: 'inherit',
})
child.on('exit', (code) => process.exit(code ?? 1))
