/** A kill in the middle of a write to `trials.ndjson`: each study goes on from the whole lines. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { conducting as capacity } from '../../../../src/study/capacity/conduct/conduct.ts'
import type { StudyOutcome } from '../../../../src/study/frame/conduct/conducting.ts'
import { readStudyRecipe } from '../../../../src/study/frame/conduct/recipe.ts'
import type { StudyDocument } from '../../../../src/study/frame/envelope.ts'
import { conducting as gate } from '../../../../src/study/comparing/gate/conduct/conduct.ts'
import { LISTED } from '../../../../src/study/list.ts'
import { conducting as recovery } from '../../../../src/study/recovery/conduct/conduct.ts'
import { conducting as saturation } from '../../../../src/study/saturation/conduct/conduct.ts'
import { temporaryFolder } from '../../../support/cli.ts'
import { PACED } from '../../../support/studies.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'

type Outcome = Pick<StudyOutcome<StudyDocument>, 'document' | 'folder'>

/** All but the saturation take place in virtual time. */
const CONDUCTED: readonly (readonly [name: string, (out: string) => Promise<Outcome>])[] = [
  [
    'saturation',
    async (out) => {
      const ladder = { connections: '1,2', repeats: 1, duration: '1s', warmUp: '0' }
      return conductStudy(saturation, {
        endpoint: 'inputs',
        ...ladder,
        out,
        run: { profile: PACED },
      })
    },
  ],
  [
    'recovery',
    async (out) => {
      const short = { before: '20s', for: '5s', observe: '30s', seeds: 2 }
      const options = { control: false, bisect: false, run: { profile: 'fast' } }
      return conductStudy(recovery, { scenario: 'recovery', ...options, ...short, out })
    },
  ],
  [
    'gate',
    async (out) =>
      conductStudy(gate, {
        scenario: 'smoke',
        baselineProfile: 'fast',
        runs: 3,
        out,
        run: { profile: 'fast', set: { 'arrivals.iterations': '40', 'arrivals.clients': '4' } },
      }),
  ],
  [
    'capacity',
    async (out) =>
      conductStudy(capacity, {
        scenario: 'steady',
        slo: 'execution.p95 < 10m',
        within: '20%',
        simulated: 10_000,
        out,
        run: { profile: 'default', budget: { kickoffs: 150 } },
      }),
  ],
]

async function resumed({ document, folder }: Outcome): Promise<StudyDocument> {
  const listed = LISTED.find(({ study }) => study.name === document.study)!
  const recipe = await readStudyRecipe(folder!)
  return (await listed.resume(folder!, recipe!, {})).document
}

/** Two saturations of one endpoint may differ in what is certain. */
const endOf = ({ study, id, ended, verdict }: StudyDocument) => ({
  id,
  ended,
  outcome: study === 'saturation' ? null : verdict.outcome,
})

const keysOf = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { key: string }).key)

/** The first byte of a character of two. */
const HALF_A_CHARACTER = Buffer.from('é').subarray(0, 1)

test.each(CONDUCTED)(
  '%s: a trial that was half written is made again, and the study ends as before',
  { timeout: 120_000 },
  async (name, conduct) => {
    await using out = await temporaryFolder()
    const whole = await conduct(out.path)
    const kept = join(whole.folder!, 'trials.ndjson')
    const text = await readFile(kept, 'utf8')
    const last = text.lastIndexOf('{"key":')
    expect(last).not.toBe(-1)
    const half = Buffer.from(text.slice(0, last + Math.floor((text.length - last) / 2)))
    await writeFile(kept, Buffer.concat([half, HALF_A_CHARACTER]))
    await rm(join(whole.folder!, `${name}.json`))

    const document = await resumed(whole)
    expect(endOf(document)).toEqual(endOf(whole.document))
    const again = keysOf(await readFile(kept, 'utf8')).filter((key) => key !== 'before')
    expect(new Set(again)).toEqual(new Set(keysOf(text)))
  },
)
