/** Opens what a run tells of itself while it goes: its libraries are loaded only when asked for. */
import { UserError } from '../../base/mistakes.ts'
import type { Answer, Operation } from '../../crew/answer.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { LiveTelemetry } from '../../analysis/telemetry/live.ts'
import type { Outlet } from '../../host/telemetry/outlet.ts'
import type { RunOptions } from '../options.ts'
import { prometheusAddress } from './address.ts'

/** A consumer beside journal and recorder. Nothing that it does stops or slows the run. */
export interface Telemetry {
  saw(line: JournalLine): void
  answered(operation: Operation, answer: Answer): void
  took(...request: Parameters<LiveTelemetry['took']>): void
  /**
   * Returns what was lost on the way, one sentence each. Takes a few seconds at most; may be called
   * again.
   */
  close(): Promise<string[]>
}

type TelemetryOptions = Pick<RunOptions, 'prometheus' | 'onNote'>

/**
 * `target` is the base URL. Returns null when nothing was asked for. Throws UserError for an
 * address that cannot be used; the options are readable.
 */
export async function openTelemetry(
  target: string,
  options: TelemetryOptions,
): Promise<Telemetry | null> {
  const outlets = await outletsOf(options)
  if (outlets.length === 0) return null
  const live = new LiveTelemetry(target, (metric, value, labels) => {
    for (const outlet of outlets) outlet.add(metric, value, labels)
  })
  let closing: Promise<string[][]> | null = null
  return {
    saw: (line) => live.saw(line),
    answered: (operation, answer) => live.answered(operation, answer),
    took: (...request) => live.took(...request),
    close: async () => {
      closing ??= Promise.all(outlets.map(async (outlet) => outlet.close()))
      return (await closing).flat()
    },
  }
}

async function outletsOf({ prometheus, onNote }: TelemetryOptions): Promise<Outlet[]> {
  return prometheus === undefined ? [] : [await endpoint(prometheus, onNote)]
}

async function endpoint(option: string | true, onNote: RunOptions['onNote']): Promise<Outlet> {
  const address = prometheusAddress(option)
  if ('problem' in address) throw new UserError(address)
  const { openPrometheus } = await import('../../host/telemetry/prometheus.ts')
  const opened = openPrometheus(address).catch((error: NodeJS.ErrnoException) => {
    const found = `${address.host}:${address.port}`
    const problem = `cannot listen there (${error.code ?? error.message})`
    throw new UserError({ source: '--prometheus', path: '', found, problem })
  })
  const { url, ...outlet } = await opened
  onNote?.(`Prometheus can scrape this run at ${url}`)
  return outlet
}
