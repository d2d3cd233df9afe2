/**
 * The document of a mix, `result.json`: a document of a run for each of its parts, and what they
 * have in common.
 */
import { z } from 'zod'
import type { GeneratorCheck, ResultDocument } from './document.ts'
import { generatorCheck, resultDocument, runInfo, verdict } from './document.ts'
import { planDocument } from '../scenario/plan.schema.ts'
import { findingOf, findingSchema } from './sentence-tables.ts'
import { fairness, longWaitsOf } from './ledger/fairness.ts'
import { MIX_FINDINGS } from './sentences/mix.ts'
import { sumBy } from './statistics/moments.ts'

const { startedAt, durationMs, command, node, machine, stopped, speed, seed, engine } =
  runInfo.shape

const partResult = z.object({ part: z.string(), result: resultDocument })
export type PartResult = z.infer<typeof partResult>

/** Not one of these makes a mix better than its worst part. */
const WORST_FIRST = ['unreachable', 'invalid', 'failed', 'inconclusive', 'passed'] as const

const limit = z.int().nullable()

export const mixDocument = z.object({
  schema: z.literal('crewload/mix/1'),
  crewload: z.string(),
  mix: z.object({
    name: z.string(),
    description: z.string(),
    startedAt,
    durationMs,
    command,
    node,
    machine,
    stopped,
    speed,
    seed,
    engine,
  }),
  verdict: verdict.pick({ outcome: true, valid: true, problems: true }).extend({
    /** The part that decides the verdict; null where all passed without a problem. */
    worst: z.string().nullable(),
  }),
  /** What all parts together may spend; null for no limit. */
  budget: z.object({
    kickoffs: limit,
    requests: limit,
    wallMicros: limit,
    cost: planDocument.shape.budget.shape.cost,
  }),
  /** Of each check of the generator, the part that is furthest over its bound, or nearest to it. */
  generator: z.array(z.object({ part: z.string(), check: generatorCheck })),
  /** One for each crew. */
  fairness: z.array(fairness),
  findings: z.array(findingSchema(MIX_FINDINGS)),
  parts: z.array(partResult),
})
export type MixDocument = z.infer<typeof mixDocument>

/** What the results of the parts do not contain. */
export interface MixFacts extends Pick<MixDocument, 'budget' | 'fairness'> {
  name: string
  description: string
  seed: number
}

export function mixOf(parts: readonly PartResult[], { budget, ...facts }: MixFacts): MixDocument {
  const results = parts.map(({ result }) => result)
  const { crewload, run } = results[0]!
  const starts = results.map((result) => result.run.startedAt).sort()
  return {
    schema: 'crewload/mix/1',
    crewload,
    mix: {
      name: facts.name,
      description: facts.description,
      startedAt: starts[0]!,
      durationMs: Math.max(...results.map((result) => result.run.durationMs)),
      command: run.command,
      node: run.node,
      machine: run.machine,
      stopped: stoppedOf(results),
      speed: run.speed,
      seed: facts.seed,
      engine: run.engine,
    },
    verdict: mixVerdict(parts),
    budget,
    generator: generatorOf(parts),
    fairness: facts.fairness,
    findings: facts.fairness
      .flatMap(({ shares }) => longWaitsOf(shares))
      .filter(({ isForOthers }) => isForOthers)
      .map((wait) => findingOf(MIX_FINDINGS, 'waited-for-others', wait)),
    parts: [...parts],
  }
}

export function mixVerdict(parts: readonly PartResult[]): MixDocument['verdict'] {
  const worst = worstOf(parts)
  const { outcome } = worst.result.verdict
  const problems = outcome === 'passed' ? sumBy(parts, ({ result }) => result.verdict.problems) : 0
  return {
    outcome,
    valid: parts.every(({ result }) => result.verdict.valid),
    problems,
    worst: outcome === 'passed' && problems === 0 ? null : worst.part,
  }
}

/** The first of those with the worst verdict, and of those that passed, with most problems. */
function worstOf(parts: readonly PartResult[]): PartResult {
  const rank = ({ result: { verdict: own } }: PartResult): number =>
    WORST_FIRST.indexOf(own.outcome) - own.problems / (1 + own.problems)
  return parts.reduce((worst, each) => (rank(each) < rank(worst) ? each : worst))
}

function stoppedOf(results: readonly ResultDocument[]): MixDocument['mix']['stopped'] {
  const ways = new Set(results.map(({ run }) => run.stopped))
  return (['crashed', 'now', 'drained'] as const).find((way) => ways.has(way)) ?? null
}

function generatorOf(parts: readonly PartResult[]): MixDocument['generator'] {
  const found = new Map<string, MixDocument['generator'][number]>()
  for (const { part, result } of parts) {
    for (const check of result.generator.checks) {
      const known = found.get(check.name)
      if (known === undefined || overBy(check) > overBy(known.check)) {
        found.set(check.name, { part, check })
      }
    }
  }
  return [...found.values()]
}

function overBy({ ok, measured, bound }: GeneratorCheck): number {
  if (measured === null) return -Infinity
  return (ok ? 0 : 1_000) + (bound === 0 ? measured : measured / bound)
}
