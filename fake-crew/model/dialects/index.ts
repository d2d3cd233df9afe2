/** The table of dialects. */
import type { Dialect } from '../../../src/crew/wire.ts'
import { interfaceWriter } from './interface.ts'
import { platformWriter } from './platform.ts'
import type { DialectWriter } from './dialect.ts'

export const DIALECT_WRITERS: Readonly<Record<Dialect, DialectWriter>> = {
  interface: interfaceWriter,
  platform: platformWriter,
}
