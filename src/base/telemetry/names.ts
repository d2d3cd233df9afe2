/** Translates the name of an exported metric for Prometheus and k6. */
import type { TelemetryMetric, TelemetryName } from './metrics.ts'

/**
 * Translates as OpenTelemetry does for Prometheus: `_` for every other character, the unit in
 * words, and `_total` for a counter.
 */
export function prometheusName(name: TelemetryName, { unit, type }: TelemetryMetric): string {
  const suffixes = [unit === 's' ? '_seconds' : '', type === 'counter' ? '_total' : '']
  return `${underscored(name)}${suffixes.join('')}`
}

/** The name as a label of Prometheus: `http_request_method`. */
export function prometheusLabel(label: string): string {
  return underscored(label)
}

/** k6 takes letters, digits and `_`, and its outputs add the units themselves. */
export function k6Name<Name extends string>(name: Name): Underscored<Name> {
  return underscored(name) as Underscored<Name>
}

export type Underscored<Name extends string> = Name extends `${infer Head}.${infer Rest}`
  ? `${Head}_${Underscored<Rest>}`
  : Name

function underscored(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, '_')
}
