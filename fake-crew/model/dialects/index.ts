/** The table of dialects. */
import type { Dialect } from '../../../src/crew/wire.ts'
import { interfaceVoice } from './interface.ts'
import { platformVoice } from './platform.ts'
import type { Voice } from './dialect.ts'

export const VOICES: Readonly<Record<Dialect, Voice>> = {
  interface: interfaceVoice,
  platform: platformVoice,
}
