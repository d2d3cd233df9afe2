/** The options that export the metrics of a run while it goes. */
import { inCode, share } from '../../base/options/kinds.ts'
import type { OptionsOf, OptionTable } from '../../base/options/table.ts'
import { always, grouped, option } from '../../base/options/table.ts'

export const EXPORTERS = grouped('Advanced', {
  /**
   * True is loopback at a free port, which `onNote` receives. Engines `node` and `k6`. Default: no.
   */
  prometheus: option(
    '--prometheus [address]',
    'serve metrics to Prometheus while it runs, at PORT or HOST:PORT',
    inCode<string | true, string | true>(),
    { otherwise: 'any free port of 127.0.0.1' },
  ),
  /**
   * The base URL of the collector, by OTLP/HTTP; true leaves it to the `OTEL_*` variables of this
   * process, and otherwise to port 4318 of localhost. Engines `node` and `k6`. Default: no.
   */
  otlp: option(
    '--otlp [url]',
    'push metrics to an OpenTelemetry collector while it runs',
    inCode<string | true, string | true>(),
    { otherwise: 'by OTEL_* variables, else http://localhost:4318', secret: always },
  ),
  /** From 0 to 1. */
  otlpTraces: option(
    '--otlp-traces <share>',
    'share of executions that --otlp sends as traces, like "5%"',
    share,
    { otherwise: 'none' },
  ),
} satisfies OptionTable)

export type TelemetryOptions = OptionsOf<typeof EXPORTERS>
