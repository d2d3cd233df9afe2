/** An agreement that was cut goes on with the engines that are missing; and its one budget. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseEngines } from '../../../../src/run/engines.ts'
import type { RunControl } from '../../../../src/run/index.ts'
import type { AgreementOutcome } from '../../../../src/study/agreement/conduct/conduct.ts'
import { agree, resumeAgreement } from '../../../../src/study/agreement/conduct/conduct.ts'
import type { AgreementDocument } from '../../../../src/study/agreement/document.ts'
import type { AgreementOptions } from '../../../../src/study/agreement/plan.ts'
import { readStudyRecipe } from '../../../../src/study/frame/conduct/recipe.ts'
import { temporaryFolder } from '../../../support/cli.ts'

/** Virtual time under two names: the second is the first again. */
function optionsIn(out: string): AgreementOptions {
  return {
    scenario: 'smoke',
    engines: parseEngines('virtual,virtual'),
    profile: 'fast',
    set: { 'arrivals.iterations': '20', 'arrivals.clients': '4' },
    out,
  }
}

async function cutBefore(line: string, options: AgreementOptions): Promise<AgreementOutcome> {
  let control: RunControl | null = null
  return agree({
    ...options,
    onStart: (given) => void (control = given),
    tell: (told) => {
      if (told === line) control?.stop('now')
    },
  })
}

function timeless({ id: _i, startedAt: _s, durationMs: _d, trials, ...rest }: AgreementDocument) {
  return { ...rest, trials: trials.map((run) => ({ ...run, id: '' })) }
}

async function resumed(folder: string): Promise<{ document: AgreementDocument; told: string[] }> {
  const told: string[] = []
  const recipe = await readStudyRecipe(folder)
  const { document } = await resumeAgreement(folder, recipe!, { tell: (line) => told.push(line) })
  return { document: document as AgreementDocument, told }
}

test('ends with the document of one that was never cut', async () => {
  await using folder = await temporaryFolder()
  const options = optionsIn(folder.path)
  const whole = await agree(options)
  expect(whole.document).toMatchObject({ ended: 'complete', verdict: { outcome: 'agree' } })
  const cut = await cutBefore('engine 2 of 2: virtual #2', options)
  expect(cut.document).toMatchObject({ ended: 'interrupted', verdict: { outcome: 'inconclusive' } })
  expect(cut.runs).toHaveLength(1)
  const { document, told } = await resumed(cut.folder!)
  expect(told).toEqual(['engine 2 of 2: virtual #2'])
  expect(timeless(document)).toEqual(timeless(whole.document))
  expect(document.id).toBe(cut.document.id)
})

test('runs an engine again whose run was cut, beside what that left', async () => {
  await using folder = await temporaryFolder()
  const { folder: study, document } = await agree(optionsIn(folder.path))
  // A kill in the middle of the second run.
  const trials = join(study!, 'trials.ndjson')
  const [first = ''] = (await readFile(trials, 'utf8')).split('\n')
  await rm(join(study!, 'agreement.json'))
  await rm(join(study!, 'virtual.2', 'result.json'))
  await writeFile(trials, `${first}\n`)
  const again = await resumed(study!)
  expect(again.document.trials.map(({ folder: name }) => name)).toEqual([
    'virtual',
    'virtual.2-again-2',
  ])
  expect(again.document.verdict.outcome).toBe('agree')
  expect(again.document.kickoffs).toBe(document.kickoffs + 20)
})

test('its budget holds for all engines together', async () => {
  await using folder = await temporaryFolder()
  const { document, runs } = await agree({
    ...optionsIn(folder.path),
    budget: { kickoffs: 30 },
  })
  expect(document).toMatchObject({ ended: 'budget', budget: { kickoffs: 30 }, kickoffs: 20 })
  expect(runs).toHaveLength(1)
  expect(document.verdict).toMatchObject({
    outcome: 'inconclusive',
    reasons: [{ message: 'the rest of the budget did not suffice for another run after virtual' }],
  })
  const enough = await agree({ ...optionsIn(folder.path), budget: { kickoffs: 40 } })
  expect(enough.document).toMatchObject({ ended: 'complete', verdict: { outcome: 'agree' } })
})

test('a budget that is too small for one engine runs none', async () => {
  await using folder = await temporaryFolder()
  const { document } = await agree({
    ...optionsIn(folder.path),
    budget: { kickoffs: 19, requests: 5 },
  })
  expect(document).toMatchObject({ ended: 'budget', kickoffs: 0, requests: 0, trials: [] })
})
