/** Checks what the options for exported metrics need, before anything is started. */
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import type { RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'
import { otlpEndpoint, prometheusAddress } from './address.ts'
import { protocolMistakes } from './environment.ts'

/** Throws UserError with every mistake. */
export async function demandTelemetry(options: RunOptions): Promise<void> {
  const mistakes = [
    ...inVirtualTime(options),
    ...unreadable(options),
    ...alone(options),
    ...protocolMistakes(options),
  ]
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** Hours of virtual time pass in a second: nobody could scrape them, or place them in time. */
function inVirtualTime(options: RunOptions): Mistake[] {
  if (engineOf(options).kind !== 'virtual') return []
  const problem =
    'cannot be used with --engine virtual, whose hours pass in a moment: its metrics are in ' +
    'result.json; to watch a run, use --engine node or k6'
  return [
    ...(options.prometheus === undefined ? [] : [{ source: '--prometheus', path: '', problem }]),
    ...(options.otlp === undefined ? [] : [{ source: '--otlp', path: '', problem }]),
  ]
}

function unreadable({ prometheus, otlp }: RunOptions): Mistake[] {
  const read = [
    prometheus === undefined ? null : prometheusAddress(prometheus),
    otlp === undefined ? null : otlpEndpoint(otlp),
  ]
  return read.flatMap((each) => (each !== null && 'problem' in each ? [each] : []))
}

function alone({ otlp, otlpTraces }: RunOptions): Mistake[] {
  if (otlpTraces === undefined) return []
  const source = '--otlp-traces'
  const found = String(otlpTraces)
  if (!(otlpTraces >= 0 && otlpTraces <= 1)) {
    return [{ source, path: '', found, problem: 'expected a share from 0 to 1' }]
  }
  return otlp === undefined ? [{ source, path: '', found, problem: 'needs --otlp' }] : []
}
