/** Plugins of esbuild that leave out of the program what it would only load, and never use. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/**
 * Importing `node:process` reads every property of `process`, some of which are slow: 3 ms of CPU
 * time. Commander requires `node:child_process` for subcommands that are other programs; crewload
 * has none.
 */
export const BUILTINS = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:)?process$/ }, () => ({ path: 'process', namespace: 'builtin' }))
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('/commander/') ? { path: 'none', namespace: 'builtin' } : null,
    )
    onLoad({ filter: /^process$/, namespace: 'builtin' }, () => ({
      contents: 'module.exports = globalThis.process',
    }))
    onLoad({ filter: /^none$/, namespace: 'builtin' }, () => ({ contents: '' }))
  },
}

/**
 * Packages that are not bundled, all of them CommonJS, are required: to import one, Node first
 * searches it for its exports, with a parser whose start alone takes 45 ms of CPU time.
 */
export const COMMONJS = (packages) => ({
  name: 'commonjs',
  setup({ onResolve, onLoad }) {
    const names = packages.map((name) => name.replace('/', String.raw`\/`)).join('|')
    onResolve({ filter: new RegExp(`^(?:${names})$`) }, ({ path, namespace }) =>
      namespace === 'commonjs' ? { path, external: true } : { path, namespace: 'commonjs' },
    )
    onLoad({ filter: /.*/, namespace: 'commonjs' }, ({ path }) => ({
      contents: `const whole = require(${JSON.stringify(path)})
export default whole
export const { ${exportsOf(path).join(', ')} } = whole`,
    }))
  },
})

/** The names that an import could use. */
function exportsOf(path) {
  return Object.keys(require(path)).filter(
    (name) => /^[A-Za-z]\w*$/.test(name) && name !== 'default',
  )
}

/**
 * Replaces modules of packages that the program does not need. The HDR library inflates its
 * WebAssembly by pako, which is 30 ms of CPU time while it is not compiled yet (its texts it
 * already inflates and deflates by Node's own zlib), and makes a number format for a log that we
 * write ourselves, which takes 15 ms. Zod has messages in some fifty languages, of which the
 * program shows the English ones. Fastify's compilers of schemas, two fifths of the fake crew's
 * code, are never asked for: no route has one.
 */
const INSTEAD = [
  [/\/@fastify\/(?:ajv|fast-json-stringify)-compiler\/index\.js$/, ''],
  [
    /\/pako\/index\.js$/,
    `const { inflateSync } = require('node:zlib'); exports.inflate = inflateSync`,
  ],
  [/\/hdr-histogram-js\/dist\/HistogramLog(?:Reader|Writer)\.js$/, ''],
  [/\/zod\/v4\/locales\/index\.js$/, `export { default as en } from './en.js'`],
]

export const LEAN = {
  name: 'lean',
  setup({ onLoad }) {
    for (const [filter, contents] of INSTEAD) {
      onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }))
    }
  },
}

/**
 * Puts what every command loads into one file. Modules share a file where the same imports reach
 * them, which for these are a dozen different sets, and a file takes half a millisecond to load.
 * Here each import reaches all of them. `outputs` is part of the metafile of a build without this
 * plugin.
 */
export const TOGETHER = (root, { outputs }) => ({
  name: 'together',
  setup({ onResolve, onLoad }) {
    const always = alwaysLoaded(outputs).map((file) => join(root, file))
    const imported = new Set(
      Object.values(outputs)
        .map(({ entryPoint }) => entryPoint)
        .filter((file) => file?.startsWith('dist/') && !file.endsWith('/thread.js'))
        .map((file) => join(root, file)),
    )
    onResolve({ filter: /^together:$/ }, ({ path }) => ({ path, namespace: 'together' }))
    onLoad({ filter: /.*/, namespace: 'together' }, () => ({
      contents: always.map((file) => `import ${JSON.stringify(file)}`).join('\n'),
      resolveDir: root,
    }))
    onLoad({ filter: /\/dist\/.*\.js$/ }, ({ path }) =>
      imported.has(path) ? { contents: `${readFileSync(path, 'utf8')}\nimport 'together:'` } : null,
    )
  },
})

/** The modules of the chunks that the program imports at its start, but for its entry. */
function alwaysLoaded(outputs) {
  const chunks = new Set(['dist/bin/crewload.js'])
  for (const chunk of chunks) {
    for (const { path, kind } of outputs[chunk].imports) {
      if (kind === 'import-statement' && path in outputs) chunks.add(path)
    }
  }
  return [...chunks]
    .flatMap((chunk) => Object.keys(outputs[chunk].inputs))
    .filter((file) => file.startsWith('dist/') && !file.endsWith('/main.js'))
}

/** Modules that only a program has use for, and what a page has instead. */
/** Node's own modules, and ours that open files. */
const FOR_FILES =
  /^node:|(?:journal\/(?:audit|writer)|folder\/stored|\/lock|\/chosen-engine|scenario\/load|\.\/reports|\.\/merge)\.ts$/
/** Loads as the module does, and throws when it is used. */
const unused = (names) => `const fail = () => { throw new Error('a page has no files') }
const none = new Proxy(fail, {
  get: (_, name) =>
    typeof name === 'symbol' ? undefined : name === 'valueOf' ? () => 0 : none,
})
export default none
${names.map((name) => `export const ${name} = ${STILL_READ[name] ?? 'none'}`).join('\n')}`
/** Of `node:process` and `node:perf_hooks`. */
const STILL_READ = { env: '{}', versions: '{}', performance: 'globalThis.performance' }

/** The names of what a module of Node, or one of ours, exports. */
function namesOf(path) {
  const names = path.startsWith('node:')
    ? Object.keys(require(path))
    : [
        ...readFileSync(path, 'utf8').matchAll(
          /^export (?:async )?(?:function|const|class) (\w+)/gm,
        ),
      ].map(([, name]) => name)
  return names.filter((name) => /^[A-Za-z]\w*$/.test(name) && name !== 'default')
}

const IN_PAGES = [
  [/\/src\/host\/telemetry\/open\.ts$/, 'export const openTelemetry = async () => null'],
  [/\/zod\/v4\/locales\/index\.js$/, `export { default as en } from './en.js'`],
  [/\/zod\/v4\/classic\/from-json-schema\.js$/, 'export const fromJSONSchema = undefined'],
]

/** What zod makes a JSON Schema with, which no page does: it throws where one is asked for. */
const JSON_SCHEMA = /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors)\.js$/

/**
 * The engine and the model reach a few modules of Node, which they use for files alone: in a page,
 * a use of one throws.
 */
export const IN_BROWSERS = (root) => ({
  name: 'in-browsers',
  setup({ onLoad, onResolve }) {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const own = `export const version = () => ${JSON.stringify(version)}
export const packageRoot = () => '/'
export const browserScript = () => ''`
    for (const [filter, contents] of [
      ...IN_PAGES,
      [/\/src\/run\/environment\/package\.ts$/, own],
    ]) {
      onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }))
    }
    onLoad({ filter: JSON_SCHEMA }, ({ path }) => ({
      contents: namesOf(path)
        .map((name) => `export const ${name} = undefined`)
        .join('\n'),
    }))
    onResolve({ filter: FOR_FILES }, ({ path, resolveDir }) => ({
      path: path.startsWith('node:') ? path : join(resolveDir, path),
      namespace: 'no-files',
    }))
    onLoad({ filter: /.*/, namespace: 'no-files' }, ({ path }) => ({
      contents: unused(namesOf(path)),
    }))
  },
})
