/** Opens the exporters of a run's metrics; their libraries are loaded only when needed. */
import { env } from 'node:process'
import { UserError } from '../../base/mistakes.ts'
import type { Answer, Operation } from '../../crew/answer.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import type { MetricsExporter } from './live.ts'
import { LiveTelemetry } from './live.ts'
import type { TelemetryOptions } from './exporters.ts'
import { isSdkDisabled, otlpEndpoint, prometheusAddress, tracesOf } from './options.ts'

/** A consumer beside journal and recorder. Nothing that it does stops or slows the run. */
export interface Telemetry {
  saw(line: JournalLine): void
  answered(operation: Operation, answer: Answer): void
  /**
   * Returns what was lost on the way, one sentence each. Takes a few seconds at most; may be called
   * again.
   */
  close(): Promise<string[]>
}

interface AskedTelemetry extends TelemetryOptions {
  onNote?: (note: string) => void
}

/** The run that is exported; `target` is its base URL, `version` that of crewload. */
interface ExportedRun {
  target: string
  runId: string
  version: string
}

/**
 * Returns null when nothing was asked for. Throws UserError for an address that cannot be used; the
 * options are readable.
 */
export async function openTelemetry(
  told: ExportedRun,
  options: AskedTelemetry,
): Promise<Telemetry | null> {
  const exporters = [
    ...(options.prometheus === undefined ? [] : [await endpoint(options.prometheus, options)]),
    ...(await pushes(told, options)),
  ]
  return exporters.length === 0 ? null : new OpenTelemetry(told.target, exporters)
}

class OpenTelemetry implements Telemetry {
  readonly #exporters: readonly MetricsExporter[]
  readonly #live: LiveTelemetry
  #closing: Promise<string[][]> | null = null
  /** The error of an exporter, which is a bug of ours; the run continues without its metrics. */
  #broken: string | null = null

  constructor(target: string, exporters: readonly MetricsExporter[]) {
    this.#exporters = exporters
    this.#live = new LiveTelemetry(target, (metric, value, labels) => {
      for (const exporter of exporters) exporter.add(metric, value, labels)
    })
  }

  saw(line: JournalLine): void {
    this.#guarded(() => {
      this.#live.saw(line)
      for (const exporter of this.#exporters) exporter.saw?.(line)
    })
  }

  answered(operation: Operation, answer: Answer): void {
    this.#guarded(() => this.#live.answered(operation, answer))
  }

  async close(): Promise<string[]> {
    this.#closing ??= Promise.all(this.#exporters.map(async (exporter) => exporter.close()))
    const lost = (await this.#closing).flat()
    return this.#broken === null ? lost : [...lost, this.#broken]
  }

  #guarded(tell: () => void): void {
    if (this.#broken !== null) return
    try {
      tell()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#broken = `the export of the run's metrics failed, which is a bug: ${why}`
    }
  }
}

async function endpoint(
  option: string | true,
  { onNote }: AskedTelemetry,
): Promise<MetricsExporter> {
  const address = prometheusAddress(option)
  if ('problem' in address) throw new UserError(address)
  const { openPrometheus } = await import('./prometheus.ts')
  const opened = openPrometheus(address).catch((error: NodeJS.ErrnoException) => {
    const found = `${address.host}:${address.port}`
    const problem = `cannot listen there (${error.code ?? error.message})`
    throw new UserError({ source: '--prometheus', path: '', found, problem })
  })
  const { url, ...exporter } = await opened
  onNote?.(`Prometheus can scrape this run at ${url}`)
  return exporter
}

async function pushes(told: ExportedRun, options: AskedTelemetry): Promise<MetricsExporter[]> {
  const { otlp, onNote } = options
  if (otlp === undefined) return []
  if (!isSdkDisabled()) return [await push(otlp, told, tracesOf(options))]
  onNote?.('nothing is sent by OTLP: OTEL_SDK_DISABLED is set')
  return []
}

async function push(
  option: string | true,
  { runId, version }: ExportedRun,
  traces: number,
): Promise<MetricsExporter> {
  const url = otlpEndpoint(option)
  if (url !== null && 'problem' in url) throw new UserError(url)
  const { openOtlp } = await import('./otlp.ts')
  // The SDK itself reads the variables of this process, and of no other.
  return openOtlp({ endpoint: url, traces, runId, version, env })
}
