/** A plain k6 script: it asks for one address and checks a member of the answer's JSON. */
import { check, sleep } from 'k6'
import http from 'k6/http'

export const options = JSON.parse(__ENV.BENCH_OPTIONS)

const url = __ENV.BENCH_URL
const pause = Number(__ENV.BENCH_PAUSE_SECONDS ?? 0)

export default function poll() {
  check(http.get(url), { running: (response) => response.json('status') === 'running' })
  if (pause > 0) sleep(pause)
}

export function handleSummary({ metrics }) {
  return { stdout: JSON.stringify({ requests: metrics.http_reqs.values.count }) }
}
