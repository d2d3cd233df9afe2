/** Faults of a fake crew as a run tells them: an outage that comes back, restarts, and many that strike by chance. */
import type { FaultResult, Series } from '../../src/analysis/document.ts'
import { createRandom } from '../../src/random.ts'

const CHANCES = ['bad gateway', 'slow', 'truncated', 'malformed', 'hang', 'teapot', 'drip', 'swap']

/** More than a picture has room to name. */
export function faultsOf({ intervalMs, offered }: Series): FaultResult[] {
  const endMs = intervalMs * offered.length
  const at = (from: number, to: number): FaultResult['bands'][number] => ({
    fromMs: from * endMs,
    toMs: to * endMs,
  })
  const outages = [at(0.12, 0.25), at(0.55, 0.6)]
  const within = (ms: number): boolean => outages.some((b) => ms >= b.fromMs && ms < b.toMs)
  const outage = offered.map((_, i) => (within(i * intervalMs) ? 4 : 0))
  return [
    faultOf('outage: 503 for status', outage, { kind: 'status', bands: outages }),
    faultOf('restart', [], { kind: 'restart', bands: [at(0.4, 0.4), at(0.8, 0.8)] }),
    ...CHANCES.map((name, number) => {
      const random = createRandom(number)
      const counts = offered.map(() => (random.next() < 0.1 ? number + 1 : 0))
      return faultOf(name, counts, { kind: 'status', bands: [] })
    }),
  ].sort((a, b) => b.touched.status - a.touched.status)
}

function faultOf(
  name: string,
  counts: number[],
  { kind, bands }: Pick<FaultResult, 'kind' | 'bands'>,
): FaultResult {
  const status = counts.reduce((sum, count) => sum + count, 0)
  const touched = { inputs: 0, kickoff: 0, status }
  return { name, kind, always: bands.length === 0, touched, times: bands.length, bands, counts }
}
