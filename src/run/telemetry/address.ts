/** `--prometheus [ADDRESS]`: where the endpoint listens; `--otlp [URL]`: where it is pushed to. */
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
      problem:
        'expected PORT or HOST:PORT, like 9464 or 127.0.0.1:9464, with a port from 0 to 65535 ' +
        '(0 takes any free one)',
    }
  }
  const host = match.groups?.['host']?.replace(/^\[|\]$/g, '') ?? LOOPBACK
  return { host, port }
}

/**
 * The base URL; null for `true`, which leaves it to the environment. Returns a mistake for what
 * cannot be read, which is not repeated: it may hold a password.
 */
export function otlpEndpoint(option: string | true): URL | Mistake | null {
  if (option === true) return null
  const url = URL.canParse(option) ? new URL(option) : null
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  const problem = 'expected the base URL of a collector, like http://127.0.0.1:4318'
  return { source: '--otlp', path: '', problem }
}
