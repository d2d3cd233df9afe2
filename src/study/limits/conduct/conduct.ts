/** A study of limits, wired: plan, target, experiments one after another, document. */
import { performance } from 'node:perf_hooks'
import { assert } from '../../../base/assert.ts'
import { UserError } from '../../../base/mistakes.ts'
import { createRandom, hashText } from '../../../base/random.ts'
import type { RunControl } from '../../../run/options.ts'
import type { StudyOutcome } from '../../frame/conduct/conduct.ts'
import { conductStudy, resumeStudy } from '../../frame/conduct/conduct.ts'
import type { StudyRequest } from '../../frame/conduct/recipe.ts'
import type { ResumeStudy } from '../../frame/conduct/resume.ts'
import { demandSameStudy } from '../../frame/conduct/resume.ts'
import type { StudyStart } from '../../frame/envelope.ts'
import { limitsDocument } from '../analyse/limits.ts'
import type { ProbedOperation } from '../analyse/operation.ts'
import type { LimitedOperation, LimitsDocument, LimitsPlan } from '../document.ts'
import { createInference } from '../infer/inference.ts'
import type { Conclusion } from '../infer/interface.ts'
import type { LimitsOptions } from '../plan/options.ts'
import { planLimits } from '../plan/plan.ts'
import { limits } from '../study.ts'
import { experimentLine } from '../words.ts'
import type { Client } from './client.ts'
import { openClient } from './client.ts'
import type { KeptProbe } from './evidence-file.ts'
import { keepProbe, readProbes } from './evidence-file.ts'
import { prepare } from './prepare.ts'
import { Prober } from './prober.ts'
import { findScope } from './scope.ts'

const DEFAULT_SEED = 42
/** Kept for each operation whose turn is still to come. */
const RESERVED = 100
/** So many failures at the end of an operation, without one answer, and the target is lost. */
const LOST_AFTER = 5

/**
 * Infers the rate limits of a target. Throws UserError for the user's mistakes, all at once and
 * before anything is sent, and TargetError when the target cannot be reached or refuses our tokens.
 */
export async function inferLimits(options: LimitsOptions): Promise<StudyOutcome<LimitsDocument>> {
  const plan = planLimits(options)
  const stop = new Stop(options)
  return conductStudy(limits, {
    name: 'limits',
    out: options.out,
    consent: () => options.confirm?.(plan) ?? true,
    request: requestOf(plan, options),
    measure: async (start, folder) => measured({ options, plan, stop, folder }, start),
  })
}

/** Goes on with what an earlier process had sent. A fake crew of a study is gone with it. */
export const resumeLimits: ResumeStudy = async (folder, recipe, given) => {
  demandSameStudy(folder, recipe, given)
  const asked = recipe.asked as Pick<LimitsOptions, (typeof ASKED)[number]>
  const options: LimitsOptions = {
    ...asked,
    ...given,
    ...(recipe.command === null ? {} : { command: recipe.command }),
    onExperiment: (progress) => given.tell?.(experimentLine(progress)),
  }
  const plan = planLimits(options)
  if (fingerprintOf(plan) !== recipe.fingerprint) {
    const problem = 'was begun with another plan: begin it anew'
    throw new UserError({ source: folder, path: '', problem })
  }
  const stop = new Stop(options)
  const outcome = await resumeStudy(limits, folder, recipe, async (start, own) =>
    measured({ options, plan, stop, folder: own }, start),
  )
  return { ...outcome, leftBehind: [] }
}

/** Either way of stopping ends the study at once: what is in flight ends by itself. */
class Stop {
  readonly signal: AbortSignal
  readonly #own = new AbortController()

  constructor({ signal, onStart }: Pick<LimitsOptions, 'signal' | 'onStart'>) {
    this.signal = AbortSignal.any([this.#own.signal, ...(signal === undefined ? [] : [signal])])
    const control: RunControl = { stop: () => this.abort(), fail: () => this.abort() }
    onStart?.(control)
  }

  abort(): void {
    this.#own.abort()
  }
}

interface Conducting {
  options: LimitsOptions
  plan: LimitsPlan
  stop: Stop
  folder: { path: string } | null
}

async function measured(conducting: Conducting, start: StudyStart): Promise<LimitsDocument> {
  const { options, plan, folder } = conducting
  const client = await openClient(options, plan.engine, options.seed ?? DEFAULT_SEED)
  const known = folder === null ? [] : await readProbes(folder.path, client.anchorUnixMs)
  try {
    return await client.conduct(probed(conducting, start, client, known))
  } finally {
    await client.close()
  }
}

async function probed(
  { options, plan, stop, folder }: Conducting,
  start: StudyStart,
  client: Client,
  known: readonly KeptProbe[],
): Promise<LimitsDocument> {
  let died = false
  void client.died?.then(() => {
    died = true
    stop.abort()
  })
  const began = client.nowMs()
  const wallBegan = performance.now()
  const prober = new Prober({
    client,
    budget: plan.budget,
    inputs: options.inputs ?? {},
    correlation: `${start.id}/limits`,
    signal: stop.signal,
    known,
    keep: (probe) => {
      if (folder !== null) keepProbe(folder.path, probe, client.anchorUnixMs)
    },
  })
  await prepare(prober, plan, options)
  const operations = await eachOperation(prober, plan, options)
  const isLost = died || operations.some(({ conclusion }) => conclusion.outcome === 'lost')
  return limitsDocument({
    ...start,
    plan,
    ended: isLost ? 'target' : stop.signal.aborted ? 'interrupted' : 'complete',
    operations,
    target: plan.engine === 'virtual' ? plan.target : client.target.href.replace(/\/$/, ''),
    profile: client.profile,
    seed: options.seed ?? DEFAULT_SEED,
    durationMs: plan.engine === 'virtual' ? client.nowMs() - began : performance.now() - wallBegan,
    command: options.command ?? null,
    requests: prober.spent.requests,
    kickoffs: prober.spent.kickoffs,
  })
}

async function eachOperation(
  prober: Prober,
  plan: LimitsPlan,
  options: LimitsOptions,
): Promise<ProbedOperation[]> {
  const operations: ProbedOperation[] = []
  for (const [index, operation] of plan.operations.entries()) {
    if (prober.signal.aborted && prober.evidence(operation).length === 0) continue
    const reserved = RESERVED * (plan.operations.length - index - 1)
    const conclusion = await inferred(prober, operation, reserved, options)
    const others = plan.operations.filter((each) => each !== operation && each !== 'kickoff')
    const isLimited = conclusion.outcome === 'settled' && conclusion.finding.kind !== 'none'
    const scope = isLimited ? await findScope(prober, operation, conclusion, others) : null
    operations.push({
      operation,
      conclusion,
      scope,
      evidence: prober.evidence(operation),
      body: prober.bodyOf(operation),
    })
    if (conclusion.outcome === 'lost') break
  }
  return operations
}

/** With experiments until the inference has enough, or may not go on. */
async function inferred(
  prober: Prober,
  operation: LimitedOperation,
  reserved: number,
  options: LimitsOptions,
): Promise<ProbedOperation['conclusion']> {
  const maxRequests =
    prober.evidence(operation).length + Math.max(prober.left(operation) - reserved, 0)
  const random = createRandom(options.seed ?? DEFAULT_SEED).fork(operation)
  const inference = createInference(
    { maxRequests, ...(options.readHeaders === false ? { readHeaders: false } : {}) },
    random,
  )
  for (;;) {
    const next = inference.next(prober.evidence(operation), prober.client.nowMs())
    if (next.kind === 'conclusion') return withLoss(next, prober.evidence(operation))
    assert(next.cost.requests > 0, 'an experiment sends something')
    options.onExperiment?.({
      operation,
      purpose: next.purpose,
      requests: next.cost.requests,
      waitMs: next.cost.ms,
      spent: prober.spent.requests,
    })
    await prober.perform(operation, next)
    if (prober.signal.aborted || prober.left(operation) < 1) {
      const outcome = prober.signal.aborted ? 'stopped' : 'budget-spent'
      return { ...inference.conclude(prober.evidence(operation)), outcome }
    }
  }
}

function withLoss(
  conclusion: Conclusion,
  evidence: readonly { answer: string; status: number | null }[],
): ProbedOperation['conclusion'] {
  const last = evidence.slice(-LOST_AFTER)
  const isLost = last.length === LOST_AFTER && last.every(({ status }) => status === null)
  return isLost ? { ...conclusion, outcome: 'lost' } : conclusion
}

const ASKED = [
  'target',
  'engine',
  'operations',
  'kickoffId',
  'inputs',
  'maxRequests',
  'maxKickoffs',
  'inFlight',
  'readHeaders',
  'seed',
] as const

/** Null where nothing could be gone on with: a fake crew of the study ends with it. */
function requestOf(plan: LimitsPlan, options: LimitsOptions): StudyRequest | null {
  if (options.target === undefined) return null
  const asked = Object.fromEntries(
    ASKED.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])),
  )
  return {
    asked,
    headers: Object.keys(options.headers ?? {}),
    fingerprint: fingerprintOf(plan),
    command: options.command ?? null,
  }
}

function fingerprintOf(plan: LimitsPlan): string {
  return hashText(JSON.stringify(plan)).toString(16)
}
