/** The profile `chaos`: its crew is written by hand, its faults are the examples of every kind. */
import type { FaultExample } from '../../fake-crew/model/faults/definition.ts'
import { FAULT_KIND_NAMES, definitionNamed } from '../../fake-crew/model/faults/kinds/list.ts'
import { flow } from './yaml.ts'

export const CHAOS_PROFILE = 'fake-crew/profiles/chaos.yaml'

const HEAD = `# Generated: the examples in the definitions of the kinds (npm run generate).
faults:
`

const LINE_WIDTH = 100

/**
 * Returns the text of the profile; `written` is the current file, whose part before the faults is
 * kept.
 */
export function chaosProfile(written: string): string {
  const [crew = ''] = written.split(/^(?:# Generated: .*\n)?faults:\n/m)
  const faults = FAULT_KIND_NAMES.flatMap((kind) => definitionNamed(kind).examples)
  return `${crew}${HEAD}${faults.map(entry).join('')}`
}

/** Writes a fault on one line when it fits, otherwise with a line for each key. */
function entry(fault: FaultExample): string {
  const line = `  - ${flow(fault)}\n`
  if (line.length <= LINE_WIDTH) return line
  const keys = Object.entries(fault).map(([key, value]) => `${key}: ${flow(value)}`)
  return `  - ${keys.join('\n    ')}\n`
}
