/** Conducts a gate: makes the runs, compares them, and writes the baseline when it is due. */
import { join } from 'node:path'
import { metricsOf } from '../../compare.ts'
import type { HistoryLine } from '../../history.ts'
import { HISTORY_FILE, medians } from '../../history.ts'
import {
  appendHistory,
  demandWritable,
  idsOf,
  keepBaseline,
  keptBaseline,
  writeBaseline,
} from '../../gate-files.ts'
import { UserError } from '../../../../base/mistakes.ts'
import type { Conducting, Session } from '../../../frame/conduct/conducting.ts'
import { fingerprintOf } from '../../../frame/conduct/conducting.ts'
import { readStudy } from '../../../frame/conduct/study-folder.ts'
import type { Made } from '../analyse/analyse.ts'
import { gateDocument, lookAt } from '../analyse/analyse.ts'
import { FEWEST_RUNS } from '../../options.ts'
import type { GateDocument } from '../document.ts'
import { gateSchema } from '../document.ts'
import type { GateOptions } from '../options.ts'
import { GATE } from '../options.ts'
import type { GateDesign } from '../plan/plan.ts'
import type { GatePlan } from '../plan/outline.ts'
import { designGate } from '../plan/plan.ts'
import { gate } from '../study.ts'
import { plural } from '../../../../base/numbers.ts'
import { z } from 'zod'
import type { RunOptions } from '../../../../run/options.ts'
import type { StartedTarget } from './started.ts'
import { startTarget } from './started.ts'
import { parseTarget } from '../../../../run/target/chosen-place.ts'
import type { StoredResult } from '../../comparable.ts'
import { firstReason, keptPart } from '../../comparable.ts'
import { keptResult } from '../../../../result/document.ts'
import type { Trial } from '../../../frame/trial/trial.ts'
import { seedOf } from '../plan/outline.ts'

export const conducting: Conducting<GateOptions, GateDesign, GatePlan, GateDocument> = {
  study: gate,
  table: GATE,
  design: designed,
  plan: ({ plan }) => plan,
  name: ({ run }) => `${run.name}-gate`,
  // The fingerprint includes the baseline, because a gate with another one is another gate.
  fingerprint: ({ run, options, stored }) =>
    [
      fingerprintOf(run, options.new.profile),
      ...(options.base === null ? [] : [fingerprintOf(null, options.base.profile)]),
      ...stored.map(({ result }) => result.run.id),
    ].join('-'),
  terms: ({ run, plan: { base, terms }, engine: { kind } }) => ({
    simulated: kind === 'virtual',
    budget: { requests: run.budget.requests, kickoffs: run.budget.kickoffs },
    planned: base.kind === 'turns' ? 2 * terms.runs : terms.runs,
    whenLost: 'restore the target; crewload resume makes the missing runs',
  }),
  measure: gateDocumentOf,
}

/**
 * A gate that was cut goes on with the baseline that it was begun with. Throws UserError for one
 * that is finished.
 */
async function designed(options: GateOptions, resumed?: string): Promise<GateDesign> {
  if (resumed === undefined) return designGate(options)
  await demandUnfinished(resumed)
  return designGate(options, await keptBaseline(resumed))
}

async function demandUnfinished(folder: string): Promise<void> {
  const found = await readStudy(folder, [gate]).catch(() => null)
  const document = gateSchema.safeParse(found?.document).data
  if (document === undefined || document.ended !== 'complete') return
  const { base, baseline, verdict } = document
  // Its first baseline could not be written.
  if (base.length === 0 && baseline?.written === 0) return
  const problem =
    'is the folder of a finished gate, and nothing is left to resume; crewload report shows ' +
    `it: ${verdict.sentence}`
  throw new UserError({ source: folder, problem })
}

async function gateDocumentOf(session: GateSession): Promise<GateDocument> {
  const { design, folder, options } = session
  const { base: kept, updateBaseline } = design.plan
  const mayWrite = kept.kind === 'none' || updateBaseline !== null
  if (mayWrite && kept.kind !== 'turns') await demandWritable(kept.folder)
  if (folder !== null && design.plan.base.kind !== 'turns') {
    await keepBaseline(folder, design.stored).catch((error: Error) =>
      options.onTrouble?.(`the gate cannot be resumed: ${error.message}`),
    )
  }
  const made = await makeRuns(session)
  const { base } = design.plan
  const found = documentOf(session, made, 0)
  const isDue = session.trials.ended === 'complete' && made.new.length >= FEWEST_RUNS
  if (!isDue) return found
  const isNew = base.kind !== 'turns' && isWanted(design.plan, found)
  const document = isNew ? documentOf(session, made, made.new.length) : found
  const lines = {
    found: lineOf(found, made, design.plan),
    written: lineOf(document, made, design.plan),
  }
  const written = await remember(lines, made, session, isNew)
  return written ? document : found
}

/** `written`: the number of runs that became the new baseline. */
function documentOf(session: GateSession, made: Made, written: number): GateDocument {
  const { design, options, facts, trials } = session
  const { plan, run } = design
  const { place, scenario } = plan.facts
  const about = { place, scenario, seed: run.seed, commit: options.commit ?? null }
  const { judged, terms, base } = plan
  // INVALID runs are reported as refused.
  const invalid = trials.lost === null ? [] : [trials.lost]
  const asked = { judged, terms, facts: facts(), about, invalid }
  const baseline = base.kind === 'turns' ? null : { folder: base.folder, written }
  const gatesBefore = base.kind === 'none' ? base.gates : null
  return gateDocument(made, asked, { baseline, gatesBefore })
}

/**
 * Writes the new baseline, and the line of the gate into the history: together, if both are in one
 * folder. Returns whether the baseline was written.
 */
async function remember(
  lines: Record<'found' | 'written', HistoryLine>,
  made: Made,
  { options, design }: GateSession,
  isNew: boolean,
): Promise<boolean> {
  const { baseline: folder, onTrouble } = options
  const own = folder === undefined ? null : join(folder, HISTORY_FILE)
  const file = options.history ?? own
  let written = false
  if (isNew && folder !== undefined) {
    const instead = options.updateBaseline === 'always' ? null : idsOf(design.stored)
    const runs = made.new
    written = await writeBaseline(folder, {
      runs,
      instead,
      line: file === own ? lines.written : null,
    }).then(
      () => true,
      (error: Error) => {
        onTrouble?.(`the baseline could not be written: ${error.message}`)
        return false
      },
    )
  }
  if (file === null || (written && file === own)) return written
  await appendHistory(file, written ? lines.written : lines.found).catch((error: Error) =>
    onTrouble?.(`the history could not be written: ${error.message}`),
  )
  return written
}

function lineOf(document: GateDocument, { new: made }: Made, plan: GatePlan): HistoryLine {
  const { id, startedAt: at, commit, decision, new: runs } = document
  const own = { id, at, commit, scenario: plan.facts.scenario, decision, runs: runs.length }
  const metrics = medians(metricsOf(made), plan.judged)
  return { schema: 'crewload/gate-line/1', ...own, metrics }
}

function isWanted({ base, updateBaseline }: GatePlan, { decision }: GateDocument): boolean {
  if (base.kind === 'none' || updateBaseline === 'always') return true
  return updateBaseline === 'pass' && decision === 'pass'
}

type GateSession = Session<GateOptions, GateDesign>

type GateSide = 'base' | 'new'

/**
 * The result is kept with the trial, because a run in virtual time has no folder from which to read
 * it.
 */
const measurement = z.object({ result: keptResult })

/**
 * Makes runs until a look decides, all are made, or the study is over. Pairs run in the order base,
 * new, new, base (ABBA), so that drift affects both sides alike; the runs of a pair share a seed.
 * An INVALID run is refused, and its pair with it.
 */
async function makeRuns(session: GateSession): Promise<Made> {
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
    session.trials.stands({ soFar: `undecided after ${plural(number, 'run')} per side` })
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
  const { verdict } = run.result
  if (verdict.valid) {
    made[side].push(run)
    return true
  }
  const { outcome } = verdict
  made.refused.push({ side, run: run.folder, outcome, because: firstReason(verdict) })
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
      return end === null || end.isCut ? null : { result: keptPart(end.document) }
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
