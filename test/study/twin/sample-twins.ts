/** Twins of crews with known numbers, with every verdict. */
import type { Random } from '../../../src/base/random.ts'
import { twinDocument, twinOf } from '../../../src/study/twin/analyse/analyse.ts'
import { agreementOf } from '../../../src/study/twin/analyse/agreement.ts'
import { learnCrew } from '../../../src/study/twin/analyse/learn/learn.ts'
import type { SeenRun } from '../../../src/study/twin/analyse/seen.ts'
import type { TwinDocument } from '../../../src/study/twin/document.ts'
import { sampleFacts } from '../../support/study-samples.ts'
import { runOf } from './crews.ts'

const service = (random: Random): number => 40 + 20 * random.next()

function seen(workers: number, seed: number, executions = 300): SeenRun {
  return runOf({ workers, service, perMinute: 3.2, executions, truth: 'ledger', seed })
}

type TwinParts = Partial<Parameters<typeof twinDocument>[0]>

function documentOf(runs: readonly SeenRun[], own: TwinParts = {}): TwinDocument {
  return twinDocument({
    twin: twinOf(learnCrew(runs, [])),
    agreement: null,
    runs: runs.map((_, i) => `crewload-reports/run-${i + 1}`),
    crews: [{ profile: 'default' }],
    cuts: [],
    file: 'twin.yaml',
    facts: sampleFacts('crewload twin crewload-reports/run-1 --file twin.yaml'),
    common: {
      place: { kind: 'virtual', profile: 'default' },
      scenario: 'afternoon',
      seed: 7,
      speed: 1,
    },
    ...own,
  })
}

const RUNS = [seen(4, 1)]

/** Six replays on a crew with this many workers. */
function replaysOn(workers: number): SeenRun[][] {
  return [11, 12, 13, 14, 15, 16].map((seed) => [seen(workers, seed)])
}

export const learned = (): TwinDocument =>
  documentOf(RUNS, { agreement: agreementOf(RUNS, replaysOn(4)) })

export const differing = (): TwinDocument =>
  documentOf(RUNS, { agreement: agreementOf(RUNS, replaysOn(9)) })

export const tooFew = (): TwinDocument => documentOf([seen(4, 1, 3)])

/** Two runs of different crews, of which one was cut. */
export const mixed = (): TwinDocument =>
  documentOf([seen(4, 1), seen(4, 2)], {
    crews: [{ profile: 'default' }, { target: 'https://crew.example.com' }],
    cuts: [{ run: 'crewload-reports/run-2', cut: { open: 3 } }],
    common: {
      place: { kind: 'runs', runs: 2 },
      scenario: 'afternoon',
      seed: null,
      speed: 1,
    },
  })
