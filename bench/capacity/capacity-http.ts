/**
 * Ten searches for capacity over real HTTP, in a time-lapse: `node bench/run.mjs capacity-http
 * [first seed] [at once] [places...]` prints a table of bench/results/capacity.md. Searches at once
 * share one event loop, so that one may be late because another one simulates.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conducting } from '../../src/study/capacity/conduct/conduct.ts'
import type { CapacityDocument } from '../../src/study/capacity/document.ts'
import { semaphoreCrew } from '../../test/support/targets/semaphore-crew.ts'
import type { HttpCrew } from './http/crews.ts'
import {
  drawCrews,
  profileOf,
  realMillisOf,
  SCENARIO,
  sloOf,
  SPEED,
  truthOf,
} from './http/crews.ts'
import { pageOf } from './http/table.ts'
import type { HttpRow } from './http/table.ts'
import { conductStudy } from '../../src/study/frame/conduct/conduct.ts'

const [first = '1', atOnce = '1', ...places] = process.argv.slice(2)
const WITHIN = '10%'

const folder = await mkdtemp(join(tmpdir(), 'crewload-capacity-http-'))
try {
  const scenario = join(folder, 'over-http.mjs')
  await writeFile(scenario, SCENARIO)
  const all = drawCrews(Number(first))
  const crews = places.length === 0 ? all : all.filter(({ place }) => places.includes(place))
  const rows: HttpRow[] = []
  const queue = [...crews.entries()]
  const searching = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [place, crew] = next
      const row = { crew, truth: SPEED * truthOf(crew), document: await searched(crew, scenario) }
      rows[place] = row
      const { verdict, capacity, kickoffs } = row.document
      process.stderr.write(
        `${JSON.stringify([crew, row.truth, verdict, capacity, kickoffs], null)}\n`,
      )
    }
  }
  await Promise.all(Array.from({ length: Number(atOnce) }, searching))
  process.stdout.write(pageOf(rows))
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function searched(crew: HttpCrew, scenario: string): Promise<CapacityDocument> {
  const options = {
    scenario,
    slo: sloOf(crew),
    within: WITHIN,
    out: false,
  } as const
  const common = { speed: SPEED, budget: { kickoffs: Math.max(600, 6 * crew.slots) } }
  if (crew.place === 'not ours') {
    await using server = await semaphoreCrew({ permits: crew.slots, millis: realMillisOf(crew) })
    const run = { ...common, target: server.url, tokens: ['any'] }
    return (await conductStudy(conducting, { ...options, run })).document
  }
  const profile = join(folder, `crew-${crew.seed}.yaml`)
  await writeFile(profile, profileOf(crew))
  const engine = crew.place === 'k6' ? 'k6' : 'node'
  const run = { ...common, profile, engine: { kind: engine } } as const
  return (await conductStudy(conducting, { ...options, run })).document
}
