/** Writes every generated file of the repository: `npm run generate`. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = new URL('..', import.meta.url)
const bundle = new URL('generate/files.bundle.mjs', import.meta.url)

/** Node 20 does not run TypeScript: the generator is bundled first, without its packages. */
async function loadGenerator() {
  await build({
    entryPoints: [fileURLToPath(new URL('generate/files.ts', import.meta.url))],
    outfile: fileURLToPath(bundle),
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  })
  try {
    return await import(bundle.href)
  } finally {
    rmSync(bundle)
  }
}

const { generatedFiles } = await loadGenerator()
const read = (path) => readFileSync(new URL(path, root), 'utf8')
for (const [path, text] of generatedFiles(read)) {
  if (existsSync(new URL(path, root)) && read(path) === text) continue
  writeFileSync(new URL(path, root), text)
  process.stdout.write(`${path}\n`)
}
