/**
 * One seed of the profile `chaos`, four times as bad, over sockets and in virtual time: the same
 * story, but for what chance and a busy machine change.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startFakeCrew } from '../../fake-crew/index.ts'
import type { AnswerCode } from '../../src/crew/observation.ts'
import type { ResultDocument } from '../../src/result/document.ts'
import { run } from '../../src/run/run.ts'
import { defineScenario } from '../../src/scenario/define.ts'
import { temporaryFolder } from '../support/cli.ts'

const CHAOS = new URL('../../fake-crew/profiles/chaos.yaml', import.meta.url)

const SEED = 3
const ARRIVALS = 120

const scenario = defineScenario({
  name: 'chaos',
  seed: SEED,
  arrivals: { rate: '30/s', for: '4s' },
  inputs: { topic: 'storms', audience: 'sailors' },
  polling: { fixed: '150ms' },
  deadline: '2s',
  confirm: '50%',
  timeouts: { request: '2s', firstCall: '2s' },
  validity: { lateness: '1h', utilisation: 1, little: 1 },
})

type Counts = Readonly<Record<string, number>>

/**
 * Further apart than four standard deviations of the difference of two such counts, were they drawn
 * apart; most draws of one seed are shared.
 */
function apart(one: Counts, other: Counts): string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return names.flatMap((name) => {
    const [a, b] = [one[name] ?? 0, other[name] ?? 0]
    return Math.abs(a - b) <= 4 * Math.sqrt(a + b + 1) ? [] : [`${name}: ${a} and ${b}`]
  })
}

/** Of kickoffs: each execution has few. */
function kickoffErrors({ errors }: ResultDocument): Counts {
  const struck = errors.filter(({ operation }) => operation === 'kickoff')
  return Object.fromEntries(struck.map((error) => [String(error.answer), error.count]))
}

/**
 * One execution may see the same over and over: how often it polls is the machine's business, what
 * it meets is not.
 */
const OFTEN = 20

/**
 * Without refusals: a crew over sockets starts a moment before the run, and its windows meet other
 * connections of the client.
 */
function unseen(one: ResultDocument, other: ResultDocument): AnswerCode[] {
  const seen = new Set(other.errors.map((error) => error.answer))
  const often = one.errors.filter(({ count }) => count >= OFTEN).map((error) => error.answer)
  return often.filter((name) => name !== 'refused' && !seen.has(name))
}

/** Once in a hundred is too seldom to be told from never. */
async function worseChaos(folder: string): Promise<string> {
  const text = await readFile(CHAOS, 'utf8')
  const file = join(folder, 'worse.yaml')
  const worse = text.replace(/(?<=chance: )[\d.]+(?=%)/g, (share) => String(4 * Number(share)))
  await writeFile(file, worse)
  return file
}

// A machine that stalls for seconds changes what happens, and with it what is told: then once more.
test('node and virtual end alike, by outcome and by class of error', { retry: 2 }, async () => {
  await using folder = await temporaryFolder()
  const profile = await worseChaos(folder.path)
  const crew = await startFakeCrew({ profile, seed: SEED })
  const there = { target: crew.url, tokens: [crew.token], out: false } as const
  const { document: node } = await run(scenario, there).finally(async () => crew.stop())
  const { document: virtual } = await run(scenario, { profile, engine: 'virtual', out: false })

  expect([node.arrivals, virtual.arrivals]).toEqual([ARRIVALS, ARRIVALS])
  expect(apart(node.outcomes, virtual.outcomes)).toEqual([])
  expect(apart(kickoffErrors(node), kickoffErrors(virtual))).toEqual([])
  expect([...unseen(node, virtual), ...unseen(virtual, node)]).toEqual([])
})
