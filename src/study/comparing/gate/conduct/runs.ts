/** Makes the runs of a gate: both sides alternately, or those of the candidate alone. */
import { plural } from '../../../../result/metrics/format.ts'
import { join } from 'node:path'
import { z } from 'zod'
import type { RunOptions } from '../../../../run/options.ts'
import type { StartedTarget } from '../../../../run/target/started.ts'
import { startTarget } from '../../../../run/target/started.ts'
import { parseTarget } from '../../../../run/target/chosen-place.ts'
import type { ComparedResult, StoredResult } from '../../comparable.ts'
import { comparedPart } from '../../comparable.ts'
import type { Session } from '../../../frame/conduct/conducting.ts'
import { isResult } from '../../../frame/conduct/results.ts'
import type { Trial } from '../../../frame/trial/trial.ts'
import type { Made } from '../analyse/analyse.ts'
import { lookAt } from '../analyse/analyse.ts'
import type { GateOptions } from '../options.ts'
import type { GateDesign } from '../plan/plan.ts'
import { seedOf } from '../plan/outline.ts'

export type GateSession = Session<GateOptions, GateDesign>

type GateSide = 'base' | 'new'

/**
 * The result is kept with the trial, because a run in virtual time has no folder from which to read
 * it.
 */
const measurement = z.object({
  result: z.custom<ComparedResult>(isResult),
})

/**
 * Makes runs until a look decides, all are made, or the study is over. Pairs run in the order base,
 * new, new, base (ABBA), so that drift affects both sides alike; the runs of a pair share a seed.
 * An INVALID run is refused, and its pair with it.
 */
export async function makeRuns(session: GateSession): Promise<Made> {
  const { plan, stored } = session.design
  const made: Made = { base: [], new: [], pairs: [], refused: [] }
  for (const run of stored) take(made, 'base', run)
  for (let number = 1; number <= plan.terms.runs; number++) {
    const done =
      plan.base.kind === 'turns'
        ? await pair(session, number, made)
        : await single(session, number, made)
    if (!done) return made
    const decision = plan.base.kind === 'none' ? null : lookAt(number, made, plan)
    if (decision === null) continue
    if (number < plan.terms.runs)
      session.options.tell?.(`decided after ${plural(number, 'run')} per side: ${decision}`)
    return made
  }
  return made
}

/** Returns false when the study is over. */
async function single(session: GateSession, number: number, made: Made): Promise<boolean> {
  const run = await runOf(session, 'new', number)
  if (run !== null) take(made, 'new', run)
  return run !== null
}

async function pair(session: GateSession, number: number, made: Made): Promise<boolean> {
  const order: readonly GateSide[] = number % 2 === 1 ? ['base', 'new'] : ['new', 'base']
  const runs: Partial<Record<GateSide, StoredResult>> = {}
  for (const side of order) {
    const run = await runOf(session, side, number)
    if (run === null) return false
    runs[side] = run
  }
  const { base, new: next } = runs
  if (base === undefined || next === undefined) return false
  const valid =
    take({ ...made, base: [], new: [] }, 'base', base) &&
    take({ ...made, base: [], new: [] }, 'new', next)
  if (!valid) return true
  made.base.push(base)
  made.new.push(next)
  const { seed } = next.result.run
  made.pairs.push({ seed, first: order[0]!, base: base.result.run.id, new: next.result.run.id })
  return true
}

/** Returns false if the run is refused. */
function take(made: Made, side: GateSide, run: StoredResult): boolean {
  const { valid, outcome, reasons } = run.result.verdict
  if (valid) {
    made[side].push(run)
    return true
  }
  const why = reasons[0]?.message ?? 'its measurement cannot be trusted'
  made.refused.push({ side, run: run.folder, why: `${outcome.toUpperCase()}, ${why}` })
  return false
}

async function runOf(
  session: GateSession,
  side: GateSide,
  number: number,
): Promise<StoredResult | null> {
  const { design, trials } = session
  const name = `${side}-${number}`
  const options = side === 'base' ? design.options.base : design.options.new
  const found = await trials.measured(name, measurement, async (trial) => {
    const started = await startOf(session, side, trial)
    try {
      const end = await trial.run({
        scenario: design.scenario,
        plan: design.run,
        changes: { seed: seedOf(design.run.seed, number) },
        options: options as RunOptions,
        folder: name,
        reports: true,
      })
      return end === null || end.isCut ? null : { result: comparedPart(end.document) }
    } finally {
      await started?.stop()
    }
  })
  return found === null ? null : { folder: name, result: found.result }
}

/** Null if the target is already running. */
async function startOf(
  { design, folder, options: { run, onTrouble } }: GateSession,
  side: GateSide,
  { signal }: Trial,
): Promise<StartedTarget | null> {
  const command = design.plan.starts[side]
  const { target } = design.options[side] ?? {}
  if (command === null || target === undefined) return null
  const log = folder === null ? null : join(folder, `${side}-start.log`)
  const { paths } = design.run
  const place = { target: parseTarget(target), paths, env: run.env }
  return startTarget({ command, ...place, log, signal, onTrouble })
}
