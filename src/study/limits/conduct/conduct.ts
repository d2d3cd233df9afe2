/** A study of limits, wired: plan, target, experiments one after another, document. */
import { createRandom, hashText } from '../../../base/random.ts'
import { waysOf } from '../../../run/target/ways.ts'
import type { Conducting, Session } from '../../frame/conduct/conducting.ts'
import { limitsDocument } from '../analyse/limits.ts'
import { UNTRIED } from '../analyse/operation.ts'
import type { LimitsDocument, LimitsPlan } from '../document.ts'
import { Inference } from '../analyse/infer/inference.ts'
import type { ProbedOperation } from '../analyse/infer/interface.ts'
import type { LimitsOptions } from '../options.ts'
import { LIMITS } from '../options.ts'
import { planLimits } from '../plan.ts'
import { limits } from '../study.ts'
import type { Client } from './client.ts'
import { openClient } from './client.ts'
import type { KeptProbe } from './prober.ts'
import { keepProbe, readProbes, Prober } from './prober.ts'
import { eachOperation } from './probing.ts'
import { readRecorded } from './recorded.ts'

const DEFAULT_SEED = 42

export interface LimitsDesign {
  plan: LimitsPlan
  options: LimitsOptions
}

export const conducting: Conducting<LimitsOptions, LimitsDesign, LimitsPlan, LimitsDocument> = {
  study: limits,
  table: LIMITS,
  design: async (options) => ({ plan: planLimits(options), options }),
  plan: ({ plan }) => plan,
  name: () => 'limits',
  // Another number of tokens, or another address of the target, is no other study.
  fingerprint: ({ plan }) => hashText(JSON.stringify({ ...plan, ...OTHERWISE_SAME })).toString(16),
  // A fake crew of the study ends with it: there is nothing to go on with.
  isResumable: ({ options }) => options.run.target !== undefined,
  terms: ({ plan }) => ({
    simulated: plan.engine === 'virtual',
    budget: plan.budget,
    planned: plan.from.length > 0 ? 0 : 1,
    whenLost: 'see whether the target still runs; crewload resume continues from here',
  }),
  measure: measured,
}

const OTHERWISE_SAME = { target: '', steps: [], proxy: '', shortTokens: 0 }

type LimitsSession = Session<LimitsOptions, LimitsDesign>

async function measured(session: LimitsSession): Promise<LimitsDocument> {
  const { options, design, folder, trials } = session
  const seed = options.seed ?? DEFAULT_SEED
  if (design.plan.from.length > 0) return learned(session, seed)
  const client = await openClient(options, design.plan.engine, seed)
  trials.loseWith(client.died)
  const known = folder === null ? [] : await readProbes(folder, client.anchorUnixMs)
  try {
    return await probed(session, client, known, seed)
  } finally {
    await client.close()
  }
}

/** Infers limits from the journals of earlier runs. */
async function learned(
  { design: { plan }, facts }: LimitsSession,
  seed: number,
): Promise<LimitsDocument> {
  const { target, profile, stretches, runs } = await readRecorded(plan.from)
  const operations = stretches.map(({ operation, evidence }): ProbedOperation => {
    const inference = new Inference({}, createRandom(seed).fork(operation))
    return {
      operation,
      conclusion: inference.learn(evidence),
      scope: UNTRIED,
      beganAfterMs: -Infinity,
      evidence,
      body: null,
      isRecorded: true,
    }
  })
  return limitsDocument({
    ...facts(),
    requests: 0,
    kickoffs: 0,
    plan: { ...plan, operations: operations.map(({ operation }) => operation) },
    operations,
    recorded: runs,
    target,
    profile,
    seed,
  })
}

/** What is known counts against the budget, and is not sent again. */
async function probed(
  { options, design: { plan }, folder, start, trials, facts }: LimitsSession,
  client: Client,
  known: readonly KeptProbe[],
  seed: number,
): Promise<LimitsDocument> {
  const began = client.nowMs()
  // One stop for all: probes that are known are evidence whether or not others follow.
  const stop = new AbortController()
  const endMs = began + (plan.maxDurationMs ?? Infinity)
  let charge: (() => void) | null = null
  const prober = new Prober({
    client,
    budget: plan.budget,
    inputs: options.inputs ?? {},
    ways: waysOf(options),
    correlation: `${start.id}/limits`,
    signal: stop.signal,
    endMs,
    known,
    keep: (probe) => {
      charge?.()
      if (folder !== null) keepProbe(folder, probe, client.anchorUnixMs)
    },
  })
  let told = prober.spent
  const operations = await trials.unkept('probes', async (trial) => {
    charge = () => {
      const { requests, kickoffs } = prober.spent
      trial.sent({ requests: requests - told.requests, kickoffs: kickoffs - told.kickoffs })
      told = { requests, kickoffs }
    }
    trial.signal.addEventListener('abort', () => stop.abort(), { once: true })
    void client.sleepUntil(endMs, stop.signal).then(() => stop.abort())
    try {
      // Nothing else may be waited for meanwhile: the time of a simulation passes in here alone.
      return await client.conduct(eachOperation(prober, plan, options, seed))
    } finally {
      stop.abort()
      charge()
    }
  })
  const isLost = operations?.some(({ conclusion }) => conclusion.outcome === 'lost') === true
  if (isLost) trials.lose({ code: 'target', message: 'the target was lost', remedy: '' })
  const isVirtual = plan.engine === 'virtual'
  return limitsDocument({
    ...facts(),
    ...prober.spent,
    ...(isVirtual ? { durationMs: client.nowMs() - began } : {}),
    plan,
    operations: operations ?? [],
    recorded: null,
    target: isVirtual ? plan.target : client.target.href.replace(/\/$/, ''),
    profile: await client.profile(),
    seed,
  })
}
