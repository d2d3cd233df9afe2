/** Conducts a search for capacity: each of its loads is a trial, which is a run of the scenario. */
import { WHEN_LOST } from '../sentences/reasons.ts'
import { join } from 'node:path'
import { env as processEnv } from 'node:process'
import { createRandom } from '../../../base/random.ts'
import { MICROS_PER_MINUTE, MICROS_PER_MS } from '../../../base/units.ts'
import { formatInterval, formatShare, plural } from '../../../base/numbers.ts'
import type { Micros } from '../../../base/units.ts'
import { budgetNeeded, isPaid, NO_FAKE } from '../../../run/target/paid.ts'
import { parseTarget } from '../../../run/target/chosen-place.ts'
import type { Plan } from '../../../scenario/plan.ts'
import type { Conducting, Session } from '../../frame/conduct/conducting.ts'
import { fingerprintOf } from '../../frame/conduct/conducting.ts'
import type { Trial } from '../../frame/trial/trial.ts'
import { capacityDocument } from '../analyse/analyse.ts'
import type { AppliedLoad, LoadSeen } from '../analyse/seen.ts'
import { loadSeenSchema } from '../analyse/seen.ts'
import type { Recorded } from '../analyse/learn/recorded.ts'
import { untilStopped } from '../analyse/learn/recorded.ts'
import type { Waking } from '../analyse/waking.ts'
import { pollsOf } from '../analyse/model/detection.ts'
import { MICROS_PER_HOUR, formatPerHour } from '../analyse/model/system.ts'
import type { StepPurpose, SearchStep } from '../analyse/search/search.ts'
import { CapacitySearch } from '../analyse/search/search.ts'
import type { CapacityDocument, CapacityPlan } from '../document.ts'
import type { CapacityOptions } from '../options.ts'
import { CAPACITY } from '../options.ts'
import type { Design } from '../plan/plan.ts'
import { designCapacity } from '../plan/plan.ts'
import { capacity } from '../study.ts'
import { RunReader } from '../../frame/executions/reader.ts'
import { loadSeenIn, readCut, readRecorded } from './observer.ts'
import type { CutLoad } from './observer.ts'
import { Z98 } from '../analyse/model/interval.ts'

export const conducting: Conducting<CapacityOptions, Design, CapacityPlan, CapacityDocument> = {
  study: capacity,
  table: CAPACITY,
  design: designCapacity,
  plan: ({ facts }) => facts,
  name: ({ plan }) => `${plan.name}-capacity`,
  fingerprint: ({ plan, options }) => fingerprintOf(plan, options.profile),
  // A study of past runs alone is not resumed: it reads them again.
  isResumable: ({ facts }) => facts.engine !== 'none',
  terms: ({ facts: { engine, budget } }) => ({
    simulated: engine === 'virtual' || engine === 'none',
    budget,
    planned: engine === 'none' ? 0 : null,
    whenLost: WHEN_LOST,
  }),
  measure: capacityDocumentOf,
}

async function capacityDocumentOf({
  design,
  options,
  trials,
  folder,
  facts,
}: Session<CapacityOptions, Design>): Promise<CapacityDocument> {
  const search = searchOf(design)
  const recorded: Recorded[] = []
  for (const run of design.facts.from) recorded.push(await readRecorded(run))
  search.recall(recorded)
  const isSent = design.facts.engine !== 'none'
  const { maxDurationMicros } = design
  await demandLimit(design, options)
  let simulatedMicros = 0
  let wasOutOfTime = false
  const cutBefore = [...trials.cutRuns]
  for (let step = isSent ? search.next() : null; step !== null; step = search.next()) {
    const { key } = step
    trials.stands({ ...standingOf(search), doing: `${step.purpose}, ${loadWords(step.load)}` })
    const isNew = !trials.knows(key)
    if (isNew && cutBefore.length > 0 && TELL_CUT.has(step.purpose)) {
      const name = cutBefore.shift()!
      const { seen, sent } = await readCut(join(folder ?? '', name))
      const cut: SearchStep = { key: name, purpose: 'cut', load: seen.load }
      if (search.sawCut(cut, seen, sent)) options.tell?.(stepLine(cut, search))
      continue
    }
    const tookMicros =
      design.facts.engine === 'virtual' ? simulatedMicros : trials.durationMs * MICROS_PER_MS
    const leftMicros = maxDurationMicros === null ? null : maxDurationMicros - tookMicros
    wasOutOfTime = leftMicros !== null && leftMicros <= 0
    if (wasOutOfTime) break
    const current = step
    const seen = await trials.measured(key, loadSeenSchema, async (trial) => {
      const load = await loadSeen(trial, design, current, leftMicros)
      if (load?.isCut !== true) return load?.seen ?? null
      // A simulated load costs nothing, and is made again.
      if (design.facts.engine !== 'virtual' && TELL_CUT.has(current.purpose)) {
        const { seen: part, sent } = load
        search.sawCut({ key, purpose: 'cut', load: part.load }, part, sent)
      }
      return null
    })
    if (seen === null) break
    simulatedMicros += lastedMicros(seen)
    search.saw(step, seen)
    if (isNew) options.tell?.(stepLine(step, search))
    wasOutOfTime = leftMicros !== null && seen.executions.length < step.load.executions
    if (wasOutOfTime) break
  }
  if (!isSent) search.confirmByRuns()
  return capacityDocument({
    search,
    plan: design.facts,
    facts: facts(),
    invalid: trials.invalid,
    wasOutOfTime,
  })
}

/** Throws UserError at a deployment: the default limit is none that anybody agreed to pay for. */
async function demandLimit(
  { isLimited }: Design,
  { run: { target, env = processEnv } }: CapacityOptions,
): Promise<void> {
  if (isLimited || target === undefined) return
  if (await isPaid(parseTarget(target), env)) throw budgetNeeded(NO_FAKE)
}

function searchOf({ facts, criteria, plan, simulated }: Design): CapacitySearch {
  const random = createRandom(plan.seed).fork('capacity')
  return new CapacitySearch({
    criteria,
    within: facts.within,
    budget: facts.budget.kickoffs,
    mostClients: facts.maxInFlight,
    simulated,
    minuteMicros: MICROS_PER_MINUTE / plan.speed,
    kickoffRetries: plan.retry.kickoffRetries,
    detectionOf: (requestMicros) =>
      pollsOf({
        policy: plan.polling,
        deadlineMicros: plan.deadlineMicros,
        requestMicros,
        random: random.fork('polls'),
      }),
    random,
  })
}

/**
 * The purposes whose loads count even if they were cut. Loads that fill the crew are short, and are
 * made again.
 */
const TELL_CUT: ReadonlySet<StepPurpose> = new Set<StepPurpose>(['hold', 'confirm', 'probe'])

/** Null if nothing was sent. */
async function loadSeen(
  trial: Trial,
  design: Design,
  { key, load }: SearchStep,
  leftMicros: Micros | null,
): Promise<(CutLoad & { isCut: boolean }) | null> {
  const { scenario, plan, options } = design
  const reader = new RunReader()
  const random = createRandom(plan.seed).fork(key)
  const end = await trial.run({
    scenario,
    plan,
    changes: {
      ...AS_ASKED,
      arrivals: arrivalsOf(load, () => random.exponential()),
      seed: random.int(2 ** 31),
      budget: { ...plan.budget, wallMicros: leftMicros },
    },
    options,
    onLine: (line) => reader.saw(line),
  })
  if (end === null) return null
  const seen = loadSeenIn(reader, load, end.ledger)
  // Executions that the time limit stopped are no failures of the crew.
  const executions = untilStopped(seen.executions)
  const made = end.isCut ? { ...load, executions: executions.length } : load
  const { isCut } = end
  const shown: LoadSeen = { ...seen, load: made, executions }
  if (options.profile === undefined) shown.lasts = true
  return { isCut, sent: seen.executions.length, seen: shown }
}

/** The time until the last answer. */
function lastedMicros({ executions }: LoadSeen): Micros {
  return executions.reduce((last, { intended, known }) => Math.max(last, known ?? intended), 0)
}

/**
 * The changes to the plan, because the search decides which load is put on the crew, and for how
 * long.
 */
const AS_ASKED = {
  warmUpMicros: 0,
  admission: { maxInFlight: null, whenFull: 'queue' },
  confirmShare: 0,
  circuit: null,
  thresholds: [],
} as const satisfies Partial<Plan>

const DAY = 24 * MICROS_PER_HOUR

function arrivalsOf(load: AppliedLoad, gap: () => number): Plan['arrivals'] {
  if (load.kind === 'closed') {
    const { clients, executions } = load
    const think = { kind: 'constant', value: 0 } as const
    const forMicros = LONGEST_DAYS * DAY
    return { kind: 'closed', clients, iterations: executions, forMicros, think, rampUpMicros: 0 }
  }
  const gapMicros = MICROS_PER_HOUR / load.perHour
  const woken = wakingOffsets(load.waking)
  let at = load.waking?.micros ?? 0
  const offsetsMicros = Array.from({ length: load.executions - woken.length }, () => {
    at += gap() * gapMicros
    return Math.round(at)
  })
  return { kind: 'replay', offsetsMicros: [...woken, ...offsetsMicros] }
}

/** Half of those that wake the crew come at once, so that some wait, and the others evenly. */
function wakingOffsets(waking: Waking | undefined): Micros[] {
  if (waking === undefined) return []
  const { executions, micros } = waking
  const first = Math.ceil(executions / 2)
  return Array.from({ length: executions }, (_, i) =>
    Math.round((Math.max(0, i - first + 1) / (executions - first + 1)) * micros),
  )
}

/** A load of closed clients ends by its number of executions, never by this time. */
const LONGEST_DAYS = 400

/** Before a load: how many others may follow it, and what is known. */
function standingOf({ learned, estimate, confirmation }: CapacitySearch): {
  ahead: number
  soFar?: string
} {
  const solution = estimate?.solution
  const ahead = learned.slots === null ? 3 : confirmation !== null ? 0 : estimate === null ? 2 : 1
  if (estimate === null || solution?.kind !== 'rate') return { ahead }
  const half = Math.min(1, Z98 * estimate.spread) * solution.perHour
  const known = { low: solution.perHour - half, high: solution.perHour + half }
  return { ahead, soFar: `${formatInterval(known, formatPerHour)}/h` }
}

/** The progress line after each load, with what is known so far. */
function stepLine({ purpose, load }: SearchStep, { learned, estimate }: CapacitySearch): string {
  const { slots, slotsSeen } = learned
  const seen = slotsSeen === 0 ? 'no worker counted yet' : `at least ${plural(slotsSeen, 'worker')}`
  const workers = slots === null ? seen : plural(slots, 'worker')
  const known =
    estimate?.solution.kind === 'rate'
      ? `, ${formatPerHour(estimate.solution.perHour)} kickoffs per hour, known within ` +
        formatShare(Math.min(1, Z98 * estimate.spread))
      : ''
  return ` ${purpose}: ${loadWords(load)}: ${workers}${known}`
}

function loadWords(load: AppliedLoad): string {
  const put =
    load.kind === 'closed'
      ? plural(load.clients, 'client')
      : `${formatPerHour(load.perHour)} per hour`
  return `${put}, ${plural(load.executions, 'execution')}`
}
