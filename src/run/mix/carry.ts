/** Carries the parts of a mix to their ends at the same time, into one journal and one result. */
import type { Ledger } from '../../result/ledger/reconcile.ts'
import { fairSharesOf } from '../../result/ledger/fairness.ts'
import type { Fairness } from '../../result/ledger/fairness.ts'
import type { MixDocument, MixFacts, PartResult } from '../../result/mix.ts'
import { mixOf } from '../../result/mix.ts'
import type { Spent } from '../../engine/sending-budget.ts'
import { SendingBudget, NOTHING_SPENT } from '../../engine/sending-budget.ts'
import type { Body } from '../bodies/body.ts'
import { openMix } from '../chosen-engine.ts'
import type { RunOutcome } from '../carry.ts'
import { abandonedOf, carry, journalOf, mergedResult } from '../carry.ts'
import type { RunFolder } from '../folder/folder.ts'
import type { LineSink } from '../line-sink.ts'
import { withSinks } from '../line-sink.ts'
import type { RunControl, RunOptions } from '../options.ts'
import type { OpenedMix, PreparedPart } from '../bodies/together.ts'
import { Together } from '../bodies/together.ts'
import type { PreparedMix } from './parts.ts'
import { allMistakes } from './parts.ts'
import { tryMixReports } from './reports.ts'

export interface MixOutcome extends Omit<RunOutcome, 'document'> {
  document: MixDocument
}

/** As `carryRun`: `folder` receives the journal of all parts; null writes nothing. */
export async function carryMix(
  mix: PreparedMix,
  { reference, ...given }: { reference: string | null; options: RunOptions },
  folder: RunFolder | null,
): Promise<MixOutcome> {
  const together = new Together(mix.parts.length)
  return carry(folder, given.options, {
    recipe: { scenario: reference, seed: mix.crew.seed, isMix: true },
    open: async (options) => {
      const parts = withHooks(mix, options, { together, loads: mix.parts.length })
      const opened = await openMix(parts, mix.crew, { together, engine: options.engine })
      const carrying = { parts, opened, together, facts: mix, options }
      return { carrying, close: async () => opened.close() }
    },
    carried: async ({ carrying }) => carriedMix(carrying, folder),
  })
}

interface CarriedParts {
  parts: readonly PreparedPart[]
  opened: OpenedMix
  together: Together
  facts: Omit<MixFacts, 'fairness' | 'seed'> & { crew: { seed: number } }
  options: RunOptions
}

interface PartsBegun {
  together: Together
  loads: number
  spent?: Spent
}

/** Carries the bodies of all parts, and makes the result and the reports. */
export async function carriedMix(
  { parts, opened, together, facts, options }: CarriedParts,
  folder: RunFolder | null,
): Promise<MixOutcome> {
  const { bodies } = opened
  const wanted = parts.map(({ name, options: own }, i) => ({
    claims: bodies[i]!.hasLedger,
    executions: false,
    onTrouble: i === 0 ? own.onTrouble : undefined,
    part: name,
  }))
  return withSinks(folder, journalOf(bodies[0]!, options), wanted, async (sinks) => {
    const ledgers = alike(await carriedTogether(bodies, sinks, together), opened.crews)
    const results: PartResult[] = []
    for (const [i, { name, options: own }] of parts.entries()) {
      const { document } = await mergedResult(sinks[i]!, bodies[i]!, own, ledgers[i]!, name)
      results.push({ part: name, result: document })
    }
    const { name, description, budget, crew } = facts
    const fairness = fairnessOf(parts, opened, ledgers)
    const document = mixOf(results, { name, description, budget, seed: crew.seed, fairness })
    const path = folder?.path ?? null
    const ended = await tryMixReports(path, document, { ledgers, crews: opened.crews })
    const abandoned = sinks.flatMap((sink, i) => abandonedOf(sink, bodies[i]!))
    return { ...ended, folder: path, abandoned }
  })
}

/**
 * The parts of one crew run on one clock, and each has fetched the ledger when it had ended: what
 * was fetched last is the ledger of all of them, apart from the faults that each has seen.
 */
function alike(ledgers: readonly (Ledger | null)[], crews: readonly number[]): (Ledger | null)[] {
  const latest = new Map<number, Ledger>()
  for (const [i, ledger] of ledgers.entries()) {
    const known = latest.get(crews[i]!)
    if (ledger === null || (known && endedIn(known) >= endedIn(ledger))) continue
    latest.set(crews[i]!, ledger)
  }
  return ledgers.map((ledger, i) => {
    const { rows, clock } = latest.get(crews[i]!) ?? {}
    return ledger === null || rows === undefined ? ledger : { ...ledger, rows, clock: clock! }
  })
}

function endedIn({ rows }: Ledger): number {
  return rows.filter(({ ended_ms }) => ended_ms !== null).length
}

/** If one of them fails, the others are stopped; then all mistakes are thrown together. */
async function carriedTogether(
  bodies: readonly Body[],
  sinks: readonly LineSink[],
  together: Together,
): Promise<(Ledger | null)[]> {
  const settled = await Promise.allSettled(
    bodies.map(async (body, i) => {
      try {
        return await body.carry(sinks[i]!)
      } catch (error) {
        together.fail(error)
        throw error
      }
    }),
  )
  const ledgers = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  if (ledgers.length < settled.length) throw allMistakes(settled)
  return ledgers
}

/**
 * The hooks of each part, of which those of the mix are made; `loads` of them begin, with what was
 * spent before.
 */
export function withHooks(
  { name, parts, budget }: Pick<PreparedMix, 'name' | 'parts' | 'budget'>,
  options: RunOptions,
  { together: { controls }, loads, spent = NOTHING_SPENT }: PartsBegun,
): PreparedPart[] {
  const all: RunControl = {
    stop: (how, reason) => {
      for (const each of controls) each.stop(how, reason)
    },
    fail: (error) => {
      for (const each of controls) each.fail(error)
    },
  }
  const { onNote, onProgress, onStart } = options
  const sharedBudget = new SendingBudget(budget, { spent, whole: options.sharedBudget })
  return parts.map((part) => ({
    ...part,
    options: {
      ...part.options,
      sharedBudget,
      ...(onNote && { onNote: (note: string) => onNote(`${part.name}: ${note}`) }),
      ...(onProgress && {
        onProgress: (live) => onProgress({ ...live, scenario: name, part: part.name }),
      }),
      onStart: (control) => {
        controls.push(control)
        if (controls.length === loads) onStart?.(all)
      },
    },
  }))
}

export function fairnessOf(
  parts: readonly Pick<PreparedPart, 'name'>[],
  { crews, bodies }: { crews: readonly number[]; bodies: readonly Pick<Body, 'runId'>[] },
  ledgers: readonly (Ledger | null)[],
): Fairness[] {
  const partOfRun = new Map(bodies.map(({ runId }, i) => [runId, parts[i]!.name]))
  const partOf = (correlation: string | null): string | undefined =>
    partOfRun.get(correlation?.split('/', 1)[0] ?? '')
  return [...new Set(crews)].map((crew) => {
    const at = parts.map((_, i) => i).filter((i) => crews[i] === crew)
    const names = at.map((i) => parts[i]!.name)
    const ledger = at.map((i) => ledgers[i]).find((each) => each != null)
    return {
      parts: names,
      shares: ledger === undefined ? null : fairSharesOf(ledger.rows, names, partOf),
    }
  })
}
