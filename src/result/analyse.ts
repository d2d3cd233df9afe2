/** The analysis: turns observations into the document of the run. */
import { assert } from '../base/assert.ts'
import { MICROS_PER_MS } from '../base/units.ts'
import { parseMetric } from '../scenario/thresholds/metrics.ts'
import { breakdown } from './metrics/breakdown.ts'
import { warmUpArrivals } from './ending/endings.ts'
import { toRunClock } from './validity/clock.ts'
import { contractResult } from './metrics/contract.ts'
import { effectiveBeyond } from './metrics/correlation-size.ts'
import { distribution } from './metrics/distributions.ts'
import type {
  DistributionResult,
  GeneratorCheck,
  GeneratorResult,
  ResultDocument,
  RunInfo,
  SampleExecution,
} from './document.ts'
import { faultRecoveries } from './ledger/fault-recovery.ts'
import { faultResults } from './ledger/faults.ts'
import { findings } from './verdict/findings.ts'
import { instanceResults } from './validity/instances.ts'
import { measure, measureAll, measureGroup } from './metrics/measure.ts'
import type { Observations } from './observations.ts'
import type { RunLine } from '../execution/record/journal-lines.ts'
import type { PlanDocument } from '../scenario/plan.schema.ts'
import { POLL_PRICE_MICROS, pollingResult } from './metrics/polling.ts'
import { pushbackResult } from './refusals.ts'
import { finite, rankOf } from './statistics/quantiles.ts'
import type { Ledger, Reconciliation } from './ledger/reconcile.ts'
import { sharedWaitsOf } from './ledger/shared-waits.ts'
import type { Sample, Lifetimes } from './statistics/sample.ts'
import { uncensored } from './statistics/sample.ts'
import { series } from './metrics/series.ts'
import { judgeAll } from './verdict/promises.ts'
import { stallOf } from './stall.ts'
import type { CrewLoad } from './verdict/crew-load.ts'
import { crewLoad, reportedLoad } from './verdict/crew-load.ts'
import { thresholdsInDoubt } from './validity/lateness.ts'
import type { JournalAsRead } from './validity/validity.ts'
import { checkValidity } from './validity/validity.ts'
import { targetLossResult } from './ending/target-loss.ts'
import { reachVerdict } from './verdict/verdict.ts'
import type { FaultResult, RecoveryResult } from './disturbances.ts'
import { MEASURED_OPERATIONS } from '../crew/answer.ts'

/** What the lines of a run do not contain. */
export interface RunContext extends JournalAsRead {
  /** `fake crew "default"`, or null. */
  profile: string | null
  /** The command of the run, without secrets. */
  command: string | null
  node: string | null
  /** Default: not known. */
  machine?: string | null
  /** The proxy on the way to the target. Default: none, or not known. */
  proxy?: string | null
  /** Default: no price was given. */
  costPerKickoff?: number | null
}

/**
 * The ledger with the result of comparing the claims with it; its times are samples of the measured
 * window.
 */
export interface LedgerEvidence {
  ledger: Ledger
  reconciliation: Reconciliation
  queue: Sample
  running: Sample
  /** The kinds of which `running` consists; null where executions share nothing but workers. */
  shared: Readonly<Record<'quota' | 'slowed' | 'own', Sample>> | null
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
  const plan = { ...first.plan, inDoubt: thresholdsInDoubt(first.plan, observations) }
  const run = runInfo(observations, context, first)
  const validity = checkValidity(observations, plan, context)
  const load = evidence === null ? null : crewLoad(evidence.ledger.rows)
  const waits = sharedWaitsOf(evidence?.reconciliation.ownTimes ?? [])
  const { thresholds, missedDespiteDrops } = judgeAll(plan, observations, load, validity.reasons)
  const contract = contractResult(observations)
  const disturbances = disturbancesOf(observations, evidence, plan)
  const targetLoss = targetLossResult(observations.losses)
  const ledger = evidence?.reconciliation.result ?? null
  const told = { contract, ledger, load, waits, ...disturbances }
  const found = findings({ observations, plan, run, ...told })
  return {
    schema: 'crewload/result/2',
    crewload: first.crewload,
    run,
    plan: first.plan,
    verdict: reachVerdict({
      validity: validity.reasons,
      thresholds,
      missedDespiteDrops,
      undecided: plan.undecided,
      ...courseOf(run),
      targetLoss,
      problems: found.filter(({ severity }) => severity === 'problem').length,
      observations,
    }),
    targetLoss,
    arrivals: observations.window.arrivals,
    warmUpArrivals: warmUpArrivals(observations),
    outcomes: { ...observations.window.outcomes },
    reasons: observations.reasons,
    metrics: measureAll(
      observations,
      plan.thresholds.map(({ metric }) => metric),
    ),
    thresholds,
    contract,
    checks: checkResults(observations),
    errors: errorResults(observations),
    generator: generatorResult(observations, validity.checks),
    ...loadsOf(load, observations),
    ...(waits !== null && { sharedWaits: waits }),
    ledger,
    distributions: distributions(observations, evidence),
    breakdown: breakdown(
      observations.strips,
      evidence && { rowById: evidence.reconciliation.rowById, clock: evidence.ledger.clock },
    ),
    series: series(observations.timeline, plan.warmUpMicros),
    ...disturbances,
    polling: pollingResult(observations, POLL_PRICE_MICROS / run.speed, {
      times: evidence,
      waits,
      load,
    }),
    samples: observations.samples.map((sample) => withLedger(sample, evidence)),
    tags: tagResults(observations),
    findings: found,
    histograms,
  }
}

function tagResults(observations: Observations): ResultDocument['tags'] {
  const groups = [...observations.tags]
  return Object.fromEntries(groups.map(([tag, group]) => [tag, measureGroup(observations, group)]))
}

/** What the verdict needs to know about the course of the run. */
function courseOf({ profile, stopped, stopReason, durationMs }: RunInfo) {
  return { isFake: profile !== null, stopped, stopReason, durationMs }
}

function loadsOf(
  known: CrewLoad | null,
  { strips, window }: Observations,
): Pick<ResultDocument, 'load' | 'reportedLoad'> {
  const reported = reportedLoad(strips, window.throughput)
  const told = reported === null ? {} : { reportedLoad: reported }
  if (known === null) return { load: null, ...told }
  const { workers, load, needed } = known
  const most = Number.isFinite(needed) ? Math.ceil(needed) : null
  return { load: { workers, load, needed: most }, ...told }
}

function runInfo(observations: Observations, context: RunContext, first: RunLine): RunInfo {
  const { runs, finished, dialects } = observations
  const [dialect = null] = dialects
  return {
    id: first.runId,
    scenario: first.scenario,
    description: first.plan.description,
    target: first.target,
    profile: context.profile,
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
    ...(context.proxy == null ? {} : { proxy: context.proxy }),
    ...(context.costPerKickoff == null
      ? {}
      : {
          spent: {
            kickoffs: kickoffsSpent(observations),
            costPerKickoff: context.costPerKickoff,
          },
        }),
  }
}

/** Accepted, or without a usable answer: those may have started. */
function kickoffsSpent({ timeline, window, warmUpOutcomes, open }: Observations): number {
  const accepted = timeline.accepted.reduce((sum, count) => sum + count, 0)
  const unknown = window.outcomes.unknown + (warmUpOutcomes.unknown ?? 0)
  return accepted + unknown + open.filter(({ acceptedMicros }) => acceptedMicros === null).length
}

function howStopped({ finished }: Observations): RunInfo['stopped'] {
  const ways = new Set(finished.map(({ stopped }) => stopped))
  return ways.has('now') ? 'now' : ways.has('drained') ? 'drained' : null
}

function checkResults({ window }: Observations): ResultDocument['checks'] {
  return [...window.checks]
    .map(([name, { passed, failed, threw, example }]) => ({
      name,
      passed,
      failed,
      threw,
      example: example?.text ?? null,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Most frequent first. */
function errorResults({ requests }: Observations): ResultDocument['errors'] {
  return MEASURED_OPERATIONS.flatMap((operation) =>
    [...requests[operation].byClass].map(([answer, { count, firstMicros }]) => ({
      operation,
      class: String(answer),
      count,
      firstMs: firstMicros / MICROS_PER_MS,
    })),
  ).sort((a, b) => b.count - a.count || a.firstMs - b.firstMs || (a.class < b.class ? -1 : 1))
}

function generatorResult(observations: Observations, checks: GeneratorCheck[]): GeneratorResult {
  const { finished, requests } = observations
  const sent = requests.kickoff.sent + requests.status.sent
  const hosts = finished.map(({ host }) => host)
  return {
    checks,
    instances: instanceResults(observations),
    maxInFlight: observations.inFlight?.least ?? 0,
    requests: sent,
    connectionsOpened: total(hosts.map(({ connectionsOpened }) => connectionsOpened)),
    handshakeShare: finite(measure('connections.handshakeShare', observations).value),
    utilisationMean: mean(hosts.map(({ utilisationMean }) => utilisationMean)),
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

function mean(values: readonly (number | null)[]): number | null {
  const sum = total(values)
  return sum === null ? null : sum / values.length
}

function disturbancesOf(
  observations: Observations,
  evidence: LedgerEvidence | null,
  plan: PlanDocument,
): Pick<ResultDocument, 'faults' | 'recoveries' | 'stall' | 'pushback'> {
  const faults = faultsOf(observations, evidence)
  const stall = stallOf(observations)
  return {
    faults,
    recoveries: recoveriesOf(faults, observations, plan),
    ...(stall === null ? {} : { stall }),
    pushback: pushbackResult(observations, plan),
  }
}

function faultsOf(
  { timeline, lastSeenMicros }: Observations,
  evidence: LedgerEvidence | null,
): FaultResult[] | null {
  const { faults, clock } = evidence?.ledger ?? {}
  if (faults === undefined || clock === undefined) return null
  return faultResults(faults, clock, {
    intervalMs: timeline.intervalMicros / MICROS_PER_MS,
    intervals: timeline.offered.length,
    durationMs: lastSeenMicros / MICROS_PER_MS,
  })
}

function recoveriesOf(
  faults: FaultResult[] | null,
  { timeline, lastSeenMicros, window }: Observations,
  { warmUpMicros }: PlanDocument,
): RecoveryResult[] {
  const { n } = window.completed
  return faultRecoveries(faults, timeline, {
    warmUpMicros,
    endMicros: lastSeenMicros,
    executionMicros: n === 0 ? 0 : window.completed.atRank(rankOf(n, 0.95)),
  })
}

function distributions(
  observations: Observations,
  evidence: LedgerEvidence | null,
): Record<string, DistributionResult> {
  const { window, requests, lateness, reported, series: bins } = observations
  const { kickoff, status } = requests
  const timed = (title: string, metric: string, lifetimes: Lifetimes): DistributionResult => {
    const reference = parseMetric(`${metric}.p50`)
    assert(reference !== undefined, `${metric} is a family of metrics`)
    return distribution(title, lifetimes, effectiveBeyond(bins, reference, lifetimes))
  }
  const { retryWait } = requests.pushback
  const truth = evidence === null ? ', upper bound by polls' : ', by the ledger'
  return {
    execution: timed('end to end', 'execution', window.executions),
    'execution.completed': timed(
      'end to end, completed',
      'execution.completed',
      uncensored(window.completed),
    ),
    detectionDelay: timed(`detection delay${truth}`, 'detectionDelay', window.detection),
    ...(evidence && {
      queue: distribution('waiting for a worker', uncensored(evidence.queue)),
      running: distribution('running', uncensored(evidence.running)),
    }),
    ...(evidence === null &&
      reported.n > 0 && {
        running: distribution('running, as the crew reports', uncensored(reported)),
      }),
    ...sharedDistributions(evidence?.shared ?? null),
    'kickoff.response': timed('kickoff response', 'kickoff.response', window.kickoffs),
    'kickoff.service': timed('kickoff service', 'kickoff.service', kickoff.service),
    'status.response': timed('status response', 'status.response', status.attempt),
    'status.service': timed('status service', 'status.service', status.service),
    'kickoff.socketWait': distribution('kickoff socket wait', uncensored(kickoff.socketWait)),
    'status.socketWait': distribution('status socket wait', uncensored(status.socketWait)),
    lateness: distribution('lateness of the generator', uncensored(lateness)),
    ...(retryWait.n > 0 && {
      'retry.wait': distribution('waiting before retries', uncensored(retryWait)),
    }),
  }
}

/** Nothing where nobody waited. A kind of which there was nothing is left out. */
function sharedDistributions(shared: LedgerEvidence['shared']): Record<string, DistributionResult> {
  const waited = [shared?.quota.max ?? 0, shared?.slowed.max ?? 0].some((most) => most > 0)
  if (shared === null || !waited) return {}
  const titles = { quota: 'waiting for a quota', slowed: 'slowed by each other', own: 'own work' }
  return Object.fromEntries(
    (['quota', 'slowed', 'own'] as const)
      .filter((kind) => kind === 'own' || (shared[kind].max ?? 0) > 0)
      .map((kind) => [kind, distribution(titles[kind], uncensored(shared[kind]))]),
  )
}

function withLedger(
  { why, record }: Observations['samples'][number],
  evidence: LedgerEvidence | null,
): SampleExecution {
  const row =
    record.kickoffId === null ? undefined : evidence?.reconciliation.rowById.get(record.kickoffId)
  const endedMs = row?.ended_ms ?? null
  return {
    why,
    record,
    ledger: row ?? null,
    trueEndMicros:
      evidence === null || endedMs === null ? null : toRunClock(endedMs, evidence.ledger.clock),
  }
}
