/** A recovery test, wired: its plan, a trial for each seed, the bisection, document and reports. */
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { versions } from 'node:process'
import type { RecoveryDocument } from '../document.ts'
import { recoveryDocument } from '../analyse/recovery.ts'
import { UserError } from '../../../base/mistakes.ts'
import { createRunFolder } from '../../../run/folder/folder.ts'
import { Declined } from '../../../run/errors.ts'
import { version } from '../../../run/environment/version.ts'
import type { RecoveryOptions } from './options.ts'
import type { Design } from './plan.ts'
import { crewSpeedOf, designRecovery } from './plan.ts'
import { writeRecovery } from './reports.ts'
import type { LeftBehind } from './series.ts'
import { TrialSeries } from './series.ts'

export type { RecoveryOptions } from './options.ts'
export { designRecovery } from './plan.ts'

export interface RecoveryTestOutcome {
  document: RecoveryDocument
  /** Where everything was written; null when nothing was. */
  folder: string | null
  /** By run; each of these executions may go on costing money. */
  leftBehind: readonly LeftBehind[]
  /** Why the reports could not be written whole; null when they were. */
  unwritten: string | null
}

/**
 * Holds a load, disturbs the crew, and watches service come back or not, over several seeds. Throws UserError for the user's mistakes, all at
 * once and before anything is sent, and TargetError when the target cannot be reached or refuses us.
 */
export async function testRecovery(
  scenario: string,
  options: RecoveryOptions,
): Promise<RecoveryTestOutcome> {
  const design = await designRecovery(scenario, options)
  if (options.confirm !== undefined && !(await options.confirm(design.facts))) {
    throw new Declined('was not confirmed; nothing was sent')
  }
  const crewSpeed = design.trigger.kind === 'fault' ? await crewSpeedOf(design) : 1
  const startedAt = new Date()
  const { out = 'reports' } = options
  const folder =
    out === false ? null : await createRunFolder(out, `${design.plan.name}-recovery`, startedAt)
  try {
    // What is simulated costs nothing, and can be had again.
    const journals = design.facts.engine === 'virtual' ? null : (folder?.path ?? null)
    const series = new TrialSeries(design, options, crewSpeed, journals)
    const document = await tested(design, series, startedAt, options.command ?? null)
    const unwritten = folder === null ? null : await writeRecovery(folder.path, document)
    return { document, folder: folder?.path ?? null, leftBehind: series.leftBehind, unwritten }
  } catch (error) {
    // Nothing was measured: an empty folder would only be taken for a test.
    if (folder !== null && error instanceof UserError) await rm(folder.path, { recursive: true })
    throw error
  }
}

async function tested(
  design: Design,
  series: TrialSeries,
  startedAt: Date,
  command: string | null,
): Promise<RecoveryDocument> {
  const began = performance.now()
  await series.tryEachSeed()
  const sizes = design.facts.bisect ? await series.bisect() : null
  return recoveryDocument({
    crewload: version(),
    run: {
      ...design.facts,
      id: randomBytes(4).toString('hex'),
      ended: series.stopped ? 'interrupted' : 'complete',
      startedAt: startedAt.toISOString(),
      durationMs: performance.now() - began,
      runs: series.runs,
      command,
      node: versions.node,
    },
    trials: series.trials,
    courses: series.courses,
    sizes,
    invalid: series.invalid,
  })
}
