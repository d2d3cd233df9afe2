/** What esbuild must do, and must not do, so that k6's JavaScript engine can run the bundle. */
import type { Plugin } from 'esbuild'
import { readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { extname, sep } from 'node:path'

/** esbuild adds the place of the import to the error. */
export const NO_NODE: Plugin = {
  name: 'no-node',
  setup: (build) => {
    const names = builtinModules.filter((name) => !name.startsWith('_')).join('|')
    build.onResolve({ filter: new RegExp(`^(node:.*|${names})$`) }, ({ path }) => ({
      errors: [{ text: `${JSON.stringify(path)} is a Node module, which k6 does not have` }],
    }))
  },
}

/**
 * The module suggests names in messages of the command line. k6 does not use it, but every VU would
 * build its table.
 */
export const NO_SPELLING: Plugin = {
  name: 'no-spelling',
  setup: (build) => {
    build.onResolve({ filter: /^fastest-levenshtein$/ }, async ({ path, pluginData, ...rest }) => {
      if (pluginData === 'resolved') return undefined
      const { importer, resolveDir, kind } = rest
      const found = await build.resolve(path, {
        importer,
        resolveDir,
        kind,
        pluginData: 'resolved',
      })
      return { ...found, sideEffects: false }
    })
  },
}

/** A comment on lines of its own, as the compiler leaves them. */
const COMMENT = /^ *(?:\/\*[^]*?\*\/|\/\/.*)$/gm

/**
 * Comments of crewload itself, in `own`, are left out: esbuild keeps those between the members of a
 * class, and each VU would keep them in memory. The numbers of the lines stay.
 */
export function withoutComments(own: string): Plugin {
  const folder = `${own}${sep}dist${sep}src${sep}`
  return {
    name: 'without-comments',
    setup: (build) => {
      build.onLoad({ filter: /\.js$/ }, async ({ path }) => {
        if (!path.startsWith(folder)) return undefined
        const source = await readFile(path, 'utf8')
        const contents = source.replace(COMMENT, (comment) => comment.replace(/.+/g, ''))
        return { contents, loader: 'js' }
      })
    },
  }
}

const LOADERS: Readonly<Record<string, 'ts' | 'js'>> = { '.ts': 'ts', '.mts': 'ts', '.cts': 'ts' }

/**
 * The JavaScript engine of k6 2.2 panics on `field = () => this...` in a class: in code that the
 * author wrote or installed, fields become assignments of the constructor. Files of crewload
 * itself, in `own`, do without such fields and are not transformed, because private fields would
 * become slow.
 */
export function authorsClasses(own: string): Plugin {
  const folders = ['src', 'dist'].map((folder) => `${own}${sep}${folder}${sep}`)
  return {
    name: 'authors-classes',
    setup: (build) => {
      build.onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
        if (folders.some((folder) => path.startsWith(folder))) return undefined
        const source = await readFile(path, 'utf8')
        if (!/\bclass\b/.test(source)) return undefined
        const { code } = await build.esbuild.transform(source, {
          loader: LOADERS[extname(path)] ?? 'js',
          sourcefile: path,
          sourcemap: 'inline',
          supported: { 'class-field': false },
        })
        return { contents: code, loader: 'js' }
      })
    },
  }
}
