/** The analysis: turns observations into the document of the run. */
import { assert } from '../base/assert.ts'
import { MICROS_PER_MS } from '../base/units.ts'
import { breakdown } from './metrics/breakdown.ts'
import { warmUpArrivals } from './ending/outcome-counts.ts'
import { toRunClock } from './clock.ts'
import { contractResult } from './metrics/contract.ts'
import { distributions } from './metrics/distributions.ts'
import type {
  GeneratorCheck,
  GeneratorResult,
  ResultDocument,
  RunInfo,
  SampleExecution,
} from './document.ts'
import { faultRecoveries } from './ledger/fault-recovery.ts'
import { faultResults } from './ledger/faults.ts'
import { makeFindings } from './verdict/finding-rules.ts'
import { instanceResults } from './instances.ts'
import { estimateMetrics, estimateTagMetrics } from './metrics/estimate-metric.ts'
import type { Observations } from './observations.ts'
import type { RunLine } from '../execution/record/journal-lines.ts'
import type { PlanDocument } from '../scenario/plan.schema.ts'
import { POLL_PRICE_MICROS, pollingResult } from './metrics/polling.ts'
import { pushbackResult } from './refusals.ts'
import { usageResult } from './metrics/usage.ts'
import { quantileIn } from './statistics/quantiles.ts'
import type { LedgerEvidence } from './ledger/reconcile.ts'
import { sharedWaitsOf } from './ledger/shared-waits.ts'
import { series } from './metrics/series.ts'
import { judgeAll } from './verdict/thresholds.ts'
import { stallOf } from './stall.ts'
import { crewLoad, reportedLoad } from './metrics/crew-load.ts'
import { thresholdsInDoubt } from './verdict/in-doubt.ts'
import type { JournalAsRead } from './validity/validity.ts'
import { checkValidity } from './validity/validity.ts'
import { targetLossResult } from './ending/target-loss.ts'
import { reachVerdict } from './verdict/verdict.ts'
import { MEASURED_OPERATIONS } from '../crew/answer.ts'

/** What the lines of a run do not contain. */
export interface RunContext extends JournalAsRead {
  /** The command of the run, without secrets. */
  command: string | null
  node: string | null
  /** What `--set` changed. Default: nothing, or not known. */
  set?: Readonly<Record<string, string>>
  /** Default: not known. */
  machine?: string | null
  /** The proxy on the way to the target. Default: none, or not known. */
  proxy?: string | null
  /** Default: no price was given. */
  costPerKickoff?: number | null
}

/**
 * `observations.window.detection` comes from the ledger if `evidence` is given. `histograms` are
 * the encoded samples, passed through.
 */
export function analyse(
  observations: Observations,
  context: RunContext,
  evidence: LedgerEvidence | null,
  histograms: Record<string, string>,
): ResultDocument {
  const [first] = observations.runs
  assert(first !== undefined, 'a document needs the run line of at least one instance')
  const { window, strips, timeline } = observations
  const { plan } = first
  const inDoubt = thresholdsInDoubt(plan, observations)
  const run = runInfo(observations, context, first)
  const validity = checkValidity(observations, plan, inDoubt, context)
  const load = evidence === null ? null : crewLoad(evidence.ledger.rows, first.runId)
  const reported = reportedLoad(strips, window.throughput)
  const waits = sharedWaitsOf(evidence?.reconciliation.ownTimes ?? [])
  const { thresholds, missedDespiteDrops } = judgeAll(plan, observations, load, validity.reasons)
  const contract = contractResult(observations)
  const disturbances = disturbancesOf(observations, evidence, plan)
  const targetLoss = targetLossResult(observations.losses)
  const ledger = evidence?.reconciliation.result ?? null
  const facts = { contract, ledger, load, waits, ...disturbances }
  const found = makeFindings({ run, observations, plan, inDoubt, ...facts })
  return {
    schema: 'crewload/result/1',
    crewload: first.crewload,
    run,
    plan,
    verdict: reachVerdict({
      validity: validity.reasons,
      thresholds,
      missedDespiteDrops,
      undecided: plan.undecided,
      run,
      targetLoss,
      problems: found.filter(({ severity }) => severity === 'problem').length,
      observations,
    }),
    targetLoss,
    arrivals: window.arrivals,
    warmUpArrivals: warmUpArrivals(observations),
    outcomes: { ...window.outcomes },
    reasons: observations.reasons,
    metrics: estimateMetrics(observations, plan.thresholds),
    thresholds,
    contract,
    checks: checkResults(observations),
    errors: errorResults(observations),
    generator: generatorResult(observations, validity.checks),
    load: load && { ...load, needed: Number.isFinite(load.needed) ? Math.ceil(load.needed) : null },
    ...(reported && { reportedLoad: reported }),
    ...(waits && { sharedWaits: waits }),
    ledger,
    distributions: distributions(observations, evidence),
    breakdown: breakdown(strips, evidence),
    series: series(timeline, plan.warmUpMicros),
    ...disturbances,
    polling: pollingResult(observations, POLL_PRICE_MICROS / run.speed, {
      times: evidence,
      waits,
      load,
    }),
    ...ofSomeRuns(observations, evidence),
    samples: observations.samples.map((sample) => withLedger(sample, evidence)),
    tags: estimateTagMetrics(observations),
    findings: found,
    histograms,
  }
}

/** What only runs have whose crew asks people, reports tokens, or pushes. */
function ofSomeRuns(
  observations: Observations,
  evidence: LedgerEvidence | null,
): Pick<ResultDocument, 'people' | 'usage' | 'pushes'> {
  const { people, pushes } = observations
  const usage = usageResult(observations, evidence?.ledger ?? null)
  return {
    ...(people && { people: people.result }),
    ...(usage && { usage }),
    ...(pushes && { pushes: pushes.result }),
  }
}

function runInfo(observations: Observations, context: RunContext, first: RunLine): RunInfo {
  const { runs, finished, dialects } = observations
  const [dialect = null] = dialects
  const { costPerKickoff } = context
  return {
    id: first.runId,
    scenario: first.scenario,
    place: first.place,
    engine: first.engine,
    network: first.network,
    dialect: dialects.size > 1 ? 'mixed' : (dialect as RunInfo['dialect']),
    seed: first.seed,
    speed: first.speed,
    startedAt: new Date(Math.min(...runs.map(({ anchorUnixMs }) => anchorUnixMs))).toISOString(),
    durationMs: observations.lastSeenMicros / MICROS_PER_MS,
    instances: first.instances,
    planHash: first.planHash,
    stopped: finished.length < runs.length ? 'crashed' : howStopped(observations),
    stopReason: finished.find(({ stopReason }) => stopReason !== null)?.stopReason ?? null,
    command: context.command,
    node: context.node,
    machine: context.machine ?? null,
    ...(Object.keys(context.set ?? {}).length > 0 && { set: context.set! }),
    ...(context.proxy != null && { proxy: context.proxy }),
    ...(costPerKickoff != null && {
      spent: { kickoffs: kickoffsSpent(observations), costPerKickoff },
    }),
  }
}

/** Accepted, or without a usable answer: those may have started. */
function kickoffsSpent({ usage, open }: Observations): number {
  return usage.parts.total.executions + open.length
}

function howStopped({ finished }: Observations): RunInfo['stopped'] {
  const ways = new Set(finished.map(({ stopped }) => stopped))
  return ways.has('now') ? 'now' : ways.has('drained') ? 'drained' : null
}

function checkResults({ window }: Observations): ResultDocument['checks'] {
  return [...window.checks]
    .map(([name, { passed, failed, threw, example }]) => {
      return { name, passed, failed, threw, example: example?.text ?? null }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Most frequent first. */
function errorResults({ requests }: Observations): ResultDocument['errors'] {
  return MEASURED_OPERATIONS.flatMap((operation) =>
    [...requests[operation].byClass].map(([answer, { count, firstMicros }]) => ({
      operation,
      answer,
      count,
      firstMs: firstMicros / MICROS_PER_MS,
    })),
  ).sort(
    (a, b) =>
      b.count - a.count || a.firstMs - b.firstMs || (String(a.answer) < String(b.answer) ? -1 : 1),
  )
}

function generatorResult(observations: Observations, checks: GeneratorCheck[]): GeneratorResult {
  const { finished, requests } = observations
  const sent = requests.kickoff.sent + requests.status.sent
  const hosts = finished.map(({ host }) => host)
  const utilisation = total(hosts.map(({ utilisationMean }) => utilisationMean))
  return {
    checks,
    instances: instanceResults(observations),
    requests: sent,
    connectionsOpened: total(hosts.map(({ connectionsOpened }) => connectionsOpened)),
    utilisationMean: utilisation === null ? null : utilisation / hosts.length,
    peakMemoryBytes: totalKnown(hosts.map(({ peakMemoryBytes }) => peakMemoryBytes)),
    confirmations: finished.reduce((sum, { engine }) => sum + engine.confirmations, 0),
  }
}

/** Null unless every host reports it. */
function total(values: readonly (number | null)[]): number | null {
  return values.includes(null) ? null : totalKnown(values)
}

/** Only one of the hosts that share a process reports its memory. Null if none does. */
function totalKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}

function disturbancesOf(
  observations: Observations,
  evidence: LedgerEvidence | null,
  plan: PlanDocument,
): Pick<ResultDocument, 'faults' | 'recoveries' | 'stall' | 'pushback'> {
  const { timeline, lastSeenMicros, window } = observations
  const { faults: account, clock } = evidence?.ledger ?? {}
  const faults =
    account === undefined || clock === undefined
      ? null
      : faultResults(account, clock, {
          intervalMs: timeline.intervalMicros / MICROS_PER_MS,
          intervals: timeline.offered.length,
          durationMs: lastSeenMicros / MICROS_PER_MS,
        })
  const recoveries = faultRecoveries(faults, timeline, {
    warmUpMicros: plan.warmUpMicros,
    endMicros: lastSeenMicros,
    executionMicros: quantileIn(window.completed, 0.95) ?? 0,
  })
  const stall = stallOf(observations)
  return { faults, recoveries, ...(stall && { stall }), pushback: pushbackResult(observations) }
}

function withLedger(
  { why, record }: Observations['samples'][number],
  evidence: LedgerEvidence | null,
): SampleExecution {
  const { kickoffId } = record
  const row = kickoffId === null ? undefined : evidence?.reconciliation.rowById.get(kickoffId)
  if (evidence === null || row === undefined) {
    return { why, record, ledger: null, trueEndMicros: null }
  }
  const { ended_ms: endedMs } = row
  const trueEndMicros = endedMs === null ? null : toRunClock(endedMs, evidence.ledger.clock)
  const { kickoff: _, ...ledger } = row
  return { why, record, ledger, trueEndMicros }
}
