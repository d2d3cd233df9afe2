/**
 * A search over real HTTP: on a crew that is not ours, in a time-lapse, and on one that goes away.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { conducting } from '../../../../src/study/capacity/conduct/conduct.ts'
import type { CapacityDocument } from '../../../../src/study/capacity/document.ts'
import type { CapacityOptions } from '../../../../src/study/capacity/options.ts'
import { capacity } from '../../../../src/study/capacity/study.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { resumed, stopper } from '../../../support/studies.ts'
import { semaphoreCrew } from '../../../support/targets/semaphore-crew.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'

const SCENARIO = `import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'foreign',
  arrivals: { rate: '1/s', for: '1m' },
  inputs: { topic: 'capacity' },
  polling: { fixed: '20ms' },
  deadline: '3s',
  validity: { lateness: '1s', utilisation: 1, little: '50%' },
})
`

async function found(
  options: Partial<CapacityOptions>,
  text = SCENARIO,
): Promise<CapacityDocument> {
  await using folder = await temporaryFolder()
  const scenario = join(folder.path, 'foreign.ts')
  await writeFile(scenario, text)
  const common = {
    scenario,
    slo: 'execution.p95 < 2s',
    within: '40%',
    simulated: 10_000,
    out: false,
  } as const
  return (
    await conductStudy(conducting, {
      ...common,
      ...options,
      run: { ...options.run, tokens: ['any'] },
    })
  ).document
}

test('a crew that is not ours is counted and answered by what it reports', async () => {
  await using crew = await semaphoreCrew({ permits: 6, millis: (n) => 150 + ((n * 37) % 101) })
  const document = await found({ run: { target: crew.url, budget: { kickoffs: 200 } } })
  const { verdict, model, kickoffs, saturation, atMost, capacity: rate } = document
  // On a busy machine the server itself slows down while it is searched, which is told as well.
  expect(['answered', 'refused']).toContain(verdict.outcome)
  expect(model).toMatchObject({ slots: { value: 6 }, truth: 'reported' })
  // Six at once, a fifth of a second each: timers are never early, and late on a busy machine.
  expect(saturation!.perHour).toBeGreaterThan((6 * 3_600) / Math.max(...crew.worked()))
  expect(saturation!.perHour).toBeLessThan(1.05 * 108_000)
  expect(atMost ?? rate!.high).toBeLessThanOrEqual(saturation!.high)
  expect(kickoffs).toBe(crew.kickoffs())
})

test('a target that is lost ends the search with what it learned', async () => {
  await using crew = await semaphoreCrew({ permits: 2, millis: () => 20, diesAfter: 12 })
  const document = await found({ run: { target: crew.url, budget: { kickoffs: 200 } } })
  expect([document.ended, capacity.exit(document)]).toEqual(['target', 'unreachable'])
  expect(document.ladder.length).toBeGreaterThan(0)
  expect(document.capacity?.resolved ?? false).toBe(false)
})

test('a long load that is cut counts, and is not made again', async () => {
  await using crew = await semaphoreCrew({ permits: 3, millis: (n) => 25 + ((n * 37) % 41) })
  await using folder = await temporaryFolder()
  const scenario = join(folder.path, 'foreign.ts')
  await writeFile(scenario, SCENARIO)
  const { onStart, stop } = stopper()
  const cut = await conductStudy(conducting, {
    scenario,
    slo: 'execution.p95 < 2s',
    within: '5%',
    simulated: 10_000,
    out: folder.path,
    onStart,
    onProgress: ({ trial, run }) => {
      if (trial.startsWith('hold') && (run?.started ?? 0) > 40) stop()
    },
    run: { target: crew.url, tokens: ['any'], budget: { kickoffs: 500 } },
  })
  const { ended, ladder, verdict } = cut.document
  expect(ended).toBe('interrupted')
  expect(verdict.reasons.at(-1)!.remedy).toBe('continue the search with crewload resume')
  const counted = ladder.at(-1)!
  expect(counted.executions).toBeGreaterThan(40)
  const said: string[] = []
  const tell = (line: string): void => void said.push(line)
  const document = await resumed(conducting, cut.folder, { tell })
  // The workers and three more, where a busy machine lets them be counted right.
  expect(said[0]).toMatch(new RegExp(`cut: \\d+ clients, ${counted.executions} executions`))
  expect(document).toMatchObject({ ended: 'complete', kickoffs: crew.kickoffs() })
  expect(document.kickoffs).toBeLessThanOrEqual(500)
  // A machine that becomes busy slows the crew down, which is refused.
  expect(document.confirmation === null).toBe(document.verdict.outcome === 'refused')
})
