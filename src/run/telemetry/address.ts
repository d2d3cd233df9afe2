/** `--prometheus [ADDRESS]`: where the endpoint listens. */
import type { Mistake } from '../../base/mistakes.ts'
import type { PrometheusAddress } from '../../host/telemetry/prometheus.ts'

const LOOPBACK = '127.0.0.1'
const HIGHEST_PORT = 65_535

/**
 * `true`: loopback, at a port that the system chooses. Returns a mistake for what cannot be read.
 */
export function prometheusAddress(option: string | true): PrometheusAddress | Mistake {
  if (option === true) return { host: LOOPBACK, port: 0 }
  const match = /^(?:(?<host>\[[0-9a-f:.]+\]|[^\s:/[\]]+):)?(?<port>\d{1,5})$/i.exec(option.trim())
  const port = Number(match?.groups?.['port'])
  if (match === null || port > HIGHEST_PORT) {
    return {
      source: '--prometheus',
      path: '',
      found: JSON.stringify(option),
      problem: 'expected PORT or HOST:PORT, like 9464 or 127.0.0.1:9464',
    }
  }
  const host = match.groups?.['host']?.replace(/^\[|\]$/g, '') ?? LOOPBACK
  return { host, port }
}
