/**
 * Bundles the program into `dist/bin`, which `npm run build` does after compiling: Node takes half
 * a second of CPU time to find, read and link some 600 modules, and half of that for a few files.
 * The library (`crewload/run`, `crewload/fake-crew`) is not bundled.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { BUILTINS, COMMONJS, LEAN, TOGETHER } from './bundle/plugins.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * The packages that are not bundled: they bring binaries or workers, or load parts of themselves by
 * path.
 */
const EXTERNAL = ['autocannon', 'esbuild', 'undici']
/** The longest line of the output: with short lines, the stack of an error names a place. */
const LINE_LIMIT = 160

/** CommonJS packages call `require` for Node's modules, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as createRequire_ } from 'node:module'; const require = createRequire_(import.meta.url);"

const options = {
  absWorkingDir: root,
  entryPoints: { crewload: 'dist/src/cli/main.js' },
  outdir: 'dist/bin',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: EXTERNAL,
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: LINE_LIMIT,
  banner: { js: REQUIRE },
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
}
const plugins = [BUILTINS, COMMONJS(EXTERNAL), LEAN]

rmSync(`${root}dist/bin`, { recursive: true, force: true })
const { metafile: split } = await build({ ...options, plugins, write: false })
const { metafile } = await build({ ...options, plugins: [...plugins, TOGETHER(root, split)] })
writeFileSync(`${root}dist/bin/LICENSES.txt`, licences(Object.keys(metafile.inputs)))

/** The licences of the bundled packages, which they ask to keep with every copy. */
function licences(files) {
  const folders = new Set(
    files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
  )
  return [...folders]
    .toSorted((a, b) => a.localeCompare(b))
    .map((folder) => licenceOf(folder))
    .join('\n')
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(
    readFileSync(`${root}${folder}/package.json`, 'utf8'),
  )
  const names = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENCE', 'license', 'license.md']
  const file = names.map((each) => `${root}${folder}/${each}`).find((path) => existsSync(path))
  const text = file === undefined ? '' : readFileSync(file, 'utf8')
  return `${'='.repeat(72)}\n${name} ${version} (${license})\n\n${text}`
}
