/** Fastify without the compilers of schemas. */
import { assert } from '../../src/base/assert.ts'

/**
 * No route has a schema, so neither compiler is ever asked for; to load Fastify's own takes a third
 * of the CPU time of the whole start.
 */
export const NO_SCHEMAS = {
  compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler },
}

function noCompiler(): never {
  assert(false, 'a route with a schema needs a compiler')
}
