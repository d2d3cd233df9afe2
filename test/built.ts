/**
 * Tests import the sources; what runs is what `npm run build` made of them. Node loads it as it
 * would for a user: no module is transformed again for each test file, and hot loops keep the speed
 * of direct imports.
 */
import { dirname, join, relative, resolve } from 'node:path'

/** The rooms that are built. */
const SOURCE = /^(?:src|fake-crew)\/.*\.ts$/

interface Resolver {
  name: string
  enforce: 'pre'
  resolveId: (source: string, importer?: string) => string | undefined
}

/** Resolves `../src/base/units.ts` to `dist/src/base/units.js`. */
export function builtInsteadOfSource(root: string): Resolver {
  return {
    name: 'built-instead-of-source',
    enforce: 'pre',
    resolveId: (source, importer) => {
      if (importer === undefined || !/^[./]/.test(source)) return undefined
      const path = relative(root, resolve(dirname(importer), source))
      return SOURCE.test(path) ? join(root, 'dist', path.replace(/\.ts$/, '.js')) : undefined
    },
  }
}

export const BUILT = /\/dist\/(?:src|fake-crew)\/.*\.js$/
