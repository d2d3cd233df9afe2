/**
 * Bundles the program into `dist/bin` and the library into `dist/lib`, which share `dist/chunks`;
 * `npm run build` does it after compiling. Node takes half a second of CPU time to find, read and link some 600 modules, and
 * half of that for a few files; and whoever installs crewload installs three packages, not 160.
 * `crewload/fake-crew` becomes one CommonJS file too, for Jest in its default configuration and for
 * `require` in any Node 20.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { BUILTINS, COMMONJS, IN_BROWSERS, LEAN, TOGETHER } from './bundle/plugins.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** It is not bundled: it brings a binary. */
const EXTERNAL = ['esbuild']
/** The longest line of the output: with short lines, the stack of an error names a place. */
const LINE_LIMIT = 160

/** CommonJS packages call `require` for Node's modules, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as createRequire_ } from 'node:module'; const require = createRequire_(import.meta.url);"

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: LINE_LIMIT,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
}
const options = {
  ...common,
  entryPoints: {
    'bin/crewload': 'dist/src/cli/main.js',
    'lib/run': 'dist/src/run/index.js',
    'lib/fake-crew': 'dist/fake-crew/index.js',
    'lib/vitest': 'dist/fake-crew/assertions/vitest.js',
  },
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
  format: 'esm',
  external: EXTERNAL,
  banner: { js: REQUIRE },
}
const plugins = [BUILTINS, COMMONJS(EXTERNAL), LEAN]

for (const folder of ['bin', 'lib', 'chunks']) {
  rmSync(`${root}dist/${folder}`, { recursive: true, force: true })
}
const { metafile: split } = await build({ ...options, plugins, write: false })
const { metafile } = await build({ ...options, plugins: [...plugins, TOGETHER(root, split)] })

/** The name under which CommonJS has what is `import.meta.url` in an ES module. */
const HERE = 'hereAsUrl'
const { metafile: required } = await build({
  ...common,
  entryPoints: ['dist/fake-crew/index.js'],
  outfile: 'dist/fake-crew/index.cjs',
  format: 'cjs',
  define: { 'import.meta.url': HERE },
  banner: { js: `const ${HERE} = require('node:url').pathToFileURL(__filename).href;` },
  plugins: [LEAN],
})
const values = Object.keys(createRequire(import.meta.url)('../dist/fake-crew/index.cjs'))
writeFileSync(`${root}dist/fake-crew/index.d.cts`, commonTypes(values))

/**
 * The types of the CommonJS file: each is the one of the same name in the ES module, from which
 * TypeScript lets CommonJS import types alone.
 */
function commonTypes(valueNames) {
  const written = readFileSync(`${root}dist/fake-crew/index.d.ts`, 'utf8')
  const listed = [...written.matchAll(/^export type \{([^}]*)\}/gm)].flatMap(([, names]) =>
    names.split(',').map((name) => name.trim()),
  )
  const declared = [...written.matchAll(/^export (?:interface|type) (\w+)/gm)].map(
    ([, name]) => name,
  )
  const module = `import('./index.js', { with: { 'resolution-mode': 'import' } })`
  const classes = valueNames.filter((name) => /^[A-Z]/.test(name))
  const types = [...classes, ...listed, ...declared].filter((name) => name !== '')
  return [
    ...valueNames.map((name) => `export declare const ${name}: typeof ${module}.${name}`),
    ...types.map((name) => `export type ${name} = ${module}.${name}`),
    '',
  ].join('\n')
}

/** Scripts for pages, which are part of them: as short as they get. */
const { metafile: pages } = await build({
  absWorkingDir: root,
  metafile: true,
  entryPoints: {
    report: 'src/browser/report.ts',
    lab: 'src/browser/lab.ts',
    ui: 'src/browser/ui.ts',
    'lab-worker': 'src/run/lab/worker.ts',
  },
  outdir: 'dist/browser',
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  tsconfigRaw: '{}',
  legalComments: 'none',
  logLevel: 'warning',
  define: { 'import.meta.url': '"file:///"' },
  plugins: [IN_BROWSERS(root)],
})

/** One file for all of them: each bundle is made of some of these packages. */
const bundled = [metafile, required, pages].flatMap(({ inputs }) => Object.keys(inputs))
writeFileSync(`${root}dist/LICENSES.txt`, licences(bundled))

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
  const { name, version, license, author } = JSON.parse(
    readFileSync(`${root}${folder}/package.json`, 'utf8'),
  )
  const file = readdirSync(`${root}${folder}`).find((each) => /^licen[cs]e/i.test(each))
  const own = file === undefined ? null : readFileSync(`${root}${folder}/${file}`, 'utf8')
  const text = own ?? textOf(license, author?.name ?? author ?? `the authors of ${name}`)
  if (text === undefined) throw new Error(`${folder} has no text of its licence (${license})`)
  return `${'='.repeat(72)}\n${name} ${version} (${license})\n\n${text}`
}

/** Of a package that names its licence and has no file with it: that of a package which has. */
function textOf(license, holder) {
  const other = { MIT: 'zod', 'Apache-2.0': 'typescript' }[license]
  if (other === undefined) return undefined
  const file = readdirSync(`${root}node_modules/${other}`).find((each) => /^licen[cs]e/i.test(each))
  const text = readFileSync(`${root}node_modules/${other}/${file}`, 'utf8')
  return text.replace(/^Copyright \(c\).*$/m, `Copyright (c) ${holder}`)
}
