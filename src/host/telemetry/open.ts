/** Opens the exporters of a run's metrics; their libraries are loaded only when needed. */
import { env } from 'node:process'
import { UserError } from '../../base/mistakes.ts'
import type { Answer, Operation } from '../../crew/answer.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import type { TelemetryNote } from '../../execution/record/notes.ts'
import type { MetricsExporter } from './live.ts'
import { LiveTelemetry } from './live.ts'
import type { TelemetryOptions } from './exporters.ts'
import type { Mistake } from '../../base/mistakes.ts'
import type { PrometheusAddress } from './prometheus.ts'
import { messageOf } from '../../base/text.ts'

/** A consumer beside journal and recorder. Nothing that it does stops or slows the run. */
export interface Telemetry {
  saw(line: JournalLine): void
  answered(operation: Operation, answer: Answer): void
  /** Returns what was lost on the way. Takes a few seconds at most; may be called again. */
  close(): Promise<TelemetryNote[]>
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
  run: ExportedRun,
  options: AskedTelemetry,
): Promise<Telemetry | null> {
  const exporters = [
    ...(options.prometheus === undefined ? [] : [await endpoint(options.prometheus, options)]),
    ...(await pushes(run, options)),
  ]
  return exporters.length === 0 ? null : new OpenTelemetry(run.target, exporters)
}

class OpenTelemetry implements Telemetry {
  readonly #exporters: readonly MetricsExporter[]
  readonly #live: LiveTelemetry
  #closing: Promise<TelemetryNote[][]> | null = null
  /** The error of an exporter, which is a bug of ours; the run continues without its metrics. */
  #broken: TelemetryNote | null = null

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

  async close(): Promise<TelemetryNote[]> {
    this.#closing ??= Promise.all(this.#exporters.map(async (exporter) => exporter.close()))
    const lost = (await this.#closing).flat()
    return this.#broken === null ? lost : [...lost, this.#broken]
  }

  #guarded(tell: () => void): void {
    if (this.#broken !== null) return
    try {
      tell()
    } catch (error) {
      this.#broken = { code: 'telemetry-failed', error: messageOf(error) }
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
    throw new UserError({ source: '--prometheus', found, problem })
  })
  const { url, ...exporter } = await opened
  onNote?.(`Prometheus can scrape this run at ${url}`)
  return exporter
}

async function pushes(run: ExportedRun, options: AskedTelemetry): Promise<MetricsExporter[]> {
  const { otlp, onNote } = options
  if (otlp === undefined) return []
  if (!isSdkDisabled()) return [await push(otlp, run, tracesOf(options))]
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

/** Throws UserError with every mistake. */
export async function demandTelemetry(
  options: TelemetryOptions,
  inVirtual: boolean,
): Promise<void> {
  const mistakes = [
    ...(inVirtual ? inVirtualTime(options) : []),
    ...unreadable(options),
    ...alone(options),
    ...protocolMistakes(options),
  ]
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** Hours of virtual time pass in a second: nobody could scrape them, or place them in time. */
function inVirtualTime(options: TelemetryOptions): Mistake[] {
  const problem =
    'cannot be used with --engine virtual, whose hours pass in a moment. Its metrics are in ' +
    'result.json. To watch a run, use --engine node or k6'
  return [
    ...(options.prometheus === undefined ? [] : [{ source: '--prometheus', problem }]),
    ...(options.otlp === undefined ? [] : [{ source: '--otlp', problem }]),
  ]
}

function unreadable({ prometheus, otlp }: TelemetryOptions): Mistake[] {
  const read = [
    prometheus === undefined ? null : prometheusAddress(prometheus),
    otlp === undefined ? null : otlpEndpoint(otlp),
  ]
  return read.flatMap((each) => (each !== null && 'problem' in each ? [each] : []))
}

function alone({ otlp, otlpTraces }: TelemetryOptions): Mistake[] {
  if (otlpTraces === undefined) return []
  const source = '--otlp-traces'
  const found = String(otlpTraces)
  if (!(otlpTraces >= 0 && otlpTraces <= 1)) {
    return [{ source, found, problem: 'expected a share from 0 to 1' }]
  }
  return otlp === undefined ? [{ source, found, problem: 'needs --otlp' }] : []
}

const LOOPBACK = '127.0.0.1'
const HIGHEST_PORT = 65_535

/**
 * `--prometheus [ADDRESS]`: where the endpoint listens; with `true`, on loopback at a port that the
 * system chooses. Returns a mistake for what cannot be read.
 */
function prometheusAddress(option: string | true): PrometheusAddress | Mistake {
  if (option === true) return { host: LOOPBACK, port: 0 }
  const match = /^(?:(?<host>\[[0-9a-f:.]+\]|[^\s:/[\]]+):)?(?<port>\d{1,5})$/i.exec(option.trim())
  const port = Number(match?.groups?.['port'])
  if (match === null || port > HIGHEST_PORT) {
    return {
      source: '--prometheus',
      found: JSON.stringify(option),
      problem:
        'expected PORT or HOST:PORT, like 9464 or 127.0.0.1:9464, with a port from 0 to 65535 ' +
        '(0 takes any free one)',
    }
  }
  const host = match.groups?.['host']?.replace(/^\[|\]$/g, '') ?? LOOPBACK
  return { host, port }
}

/**
 * `--otlp [URL]`: the base URL; null for `true`, which leaves it to the environment. Returns a
 * mistake for what cannot be read, which is not repeated: it may hold a password.
 */
function otlpEndpoint(option: string | true): URL | Mistake | null {
  if (option === true) return null
  const url = URL.canParse(option) ? new URL(option) : null
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  const problem = 'expected the base URL of a collector, like http://127.0.0.1:4318'
  return { source: '--otlp', problem }
}

const SUPPORTED = 'http/protobuf'
const PROTOCOLS = [
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
] as const

/** `OTEL_SDK_DISABLED=true` switches the export off, in whatever case. */
function isSdkDisabled(): boolean {
  return env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true'
}

/** The share of executions that are sent as traces, 0 to 1. */
export function tracesOf({ otlp, otlpTraces = 0 }: TelemetryOptions): number {
  return otlp === undefined || isSdkDisabled() ? 0 : otlpTraces
}

/**
 * Reports a mistake if the collector expects another protocol, since it would silently lose
 * everything.
 */
function protocolMistakes({ otlp }: TelemetryOptions): Mistake[] {
  if (otlp === undefined || isSdkDisabled()) return []
  return PROTOCOLS.flatMap((name) => {
    const found = env[name]?.trim() ?? ''
    if (found === '' || found === SUPPORTED) return []
    const problem = `crewload sends only ${SUPPORTED}: unset it, or set it to ${SUPPORTED}`
    return [{ source: name, found: JSON.stringify(found), problem }]
  })
}
