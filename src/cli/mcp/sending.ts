/** Tools that plan and send: `check`, `plan` and `run`, within what a person allowed. */
import { crewPlace } from '../../execution/record/crew-place.ts'
import { z } from 'zod'
import { UserError } from '../../base/mistakes.ts'
import { visibleLine } from '../../base/visible.ts'
import { diagnosis } from '../../run/check/diagnosis.ts'
import type { RunControl, RunOptions } from '../../run/options.ts'
import { CHECK_WAITS, PLAN } from '../../run/options.ts'
import type { SendingBudget } from '../../engine/sending-budget.ts'
import { leastOf } from '../../engine/sending-budget.ts'
import { plannedArrivals, forecastOf } from '../../run/plan/forecast.ts'
import { planOf, prepare } from '../../run/plan/prepare.ts'
import { planNotes, renderForecast } from '../../run/plan/text.ts'
import type { LoadedScenario } from '../../run/scenario/load.ts'
import { isPaid } from '../../run/target/paid.ts'
import type { AnyScenario } from '../../scenario/define.ts'
import type { Plan } from '../../scenario/plan.ts'
import { openPlace } from '../../run/target/open-place.ts'
import { allowedPlace, allowedScenario, demandAllowedPlan } from './allowed.ts'
import { budgetState } from './budget.ts'
import { measured, ofRun } from './documents.ts'
import { Refused } from './refused.ts'
import type { ToolCall } from './tool.ts'

const PLACE = {
  target: z.string().optional().describe('Base URL of a crew; or give profile'),
  profile: z
    .string()
    .optional()
    .describe('Starts a free fake crew: a shipped profile, a YAML file, or its text'),
  token: z
    .string()
    .optional()
    .describe('For a crew on this machine; named targets get the tokens of the server'),
}

export const checkInput = z.strictObject({
  ...PLACE,
  kickoff: z.boolean().default(false).describe('Also send one kickoff, which may cost money'),
  inputs: z.record(z.string(), z.json()).optional().describe('Of that kickoff'),
  wait: z.string().default(CHECK_WAITS.wait.default).describe(CHECK_WAITS.wait.help),
})
export const checkOutput = z.object({
  diagnoses: z.array(diagnosis),
  kickoff: z.enum(['ended', 'not-ended', 'declined', 'skipped']),
  budget: budgetState,
})

export const runInput = z.strictObject({
  scenario: z
    .union([z.string(), z.record(z.string(), z.json())])
    .describe('A shipped name, a .json file, or the scenario itself (crewload schema scenario)'),
  ...PLACE,
  engine: z
    .enum(['node', 'virtual'])
    .default('node')
    .describe('virtual: a profile in simulated time, hours within seconds'),
  set: z
    .record(z.string(), z.string())
    .default({})
    .describe('Changes the scenario by path, {"arrivals.rate":"5/m"}'),
  seed: z.int().min(PLAN.seed.takes.least!).optional().describe(PLAN.seed.help),
  speed: z.number().positive().optional().describe(PLAN.speed.help),
  maxKickoffs: z
    .int()
    .min(PLAN.budget.kickoffs.takes.least!)
    .optional()
    .describe('At most so many; default: what it needs without retries'),
})
type RunInput = z.infer<typeof runInput>

export const planOutput = z.object({
  text: z.string().describe('The plan for people'),
  place: crewPlace,
  kickoffs: z.int().nullable().describe('Null: as many as its clients complete'),
  requests: z.int().nullable(),
  mostDurationMs: z.number(),
  mayCost: z
    .boolean()
    .describe('Whether it counts against the budget, unless the target is a fake crew'),
  notes: z.array(z.string()).describe('What a run of this size cannot decide, and other notes'),
  budget: budgetState,
})

export const runOutput = measured.extend({
  notes: z.array(z.string()),
  abandoned: z
    .array(z.object({ index: z.int(), kickoffId: z.string() }))
    .describe('Executions that still run on the target; "crewload resume FOLDER" follows them'),
  budget: budgetState,
})

interface Planned {
  from: LoadedScenario
  plan: Plan
  options: RunOptions
  /** How many kickoffs it may send at a place that costs; null for a free one. */
  reserves: number | null
}

/** Throws UserError with every mistake, and Refused; nothing was sent to a named target then. */
async function planned(
  { scenario, engine, set, seed, speed, maxKickoffs, ...asked }: RunInput,
  { allowed, notes }: Pick<ToolCall, 'allowed' | 'notes'>,
  isCostly: (place: Awaited<ReturnType<typeof allowedPlace>>) => Promise<boolean>,
): Promise<Planned> {
  const place = await allowedPlace(asked, allowed)
  const from = await allowedScenario(scenario, set, allowed)
  const options: RunOptions = {
    ...place.reach,
    engine,
    set,
    ...(seed === undefined ? {} : { seed }),
    ...(speed === undefined ? {} : { speed }),
    ...(maxKickoffs === undefined ? {} : { budget: { kickoffs: maxKickoffs } }),
    out: allowed.out,
    onNote: (note) => void notes.push(visibleLine(note)),
  }
  const draft = await planOf(from, options)
  demandAllowedPlan(draft)
  if (!(await isCostly(place))) {
    const plan = await prepare(Promise.resolve(from), options)
    return { from, plan, options, reserves: null }
  }
  const kickoffs = leastOf(maxKickoffs ?? plannedArrivals(draft), draft.budget.kickoffs)
  if (kickoffs === null) throw noNumber()
  const limited = { ...options, budget: { kickoffs } }
  const plan = await prepare(Promise.resolve(from), limited)
  const hasBudget = allowed.budget.state.limit !== null
  return {
    from,
    plan: hasBudget ? plan : { ...plan, budget: draft.budget },
    options: limited,
    reserves: kickoffs,
  }
}

function noNumber(): UserError {
  const problem = 'missing: the plan does not say how many kickoffs its clients complete'
  return new UserError({ source: 'maxKickoffs', problem })
}

/** Sends nothing. */
export async function planRun(
  asked: RunInput,
  call: ToolCall,
): Promise<z.infer<typeof planOutput>> {
  const { plan, options } = await planned(asked, call, async ({ cost }) => cost !== 'free')
  const forecast = forecastOf(plan, options)
  const { place, kickoffs, requests, mostDurationMs } = forecast
  return {
    text: renderForecast(forecast),
    place,
    kickoffs,
    requests,
    mostDurationMs,
    mayCost: options.target !== undefined,
    notes: [...planNotes(forecast), ...call.notes],
    budget: call.allowed.budget.state,
  }
}

/** More runs at once would only disturb each other. */
const MOST_AT_ONCE = 4

export async function runWithin(
  asked: RunInput,
  call: ToolCall,
): Promise<z.infer<typeof runOutput>> {
  const { allowed, running, signal, notes } = call
  if (running.size >= MOST_AT_ONCE) {
    throw new Refused('busy', 'run', `${MOST_AT_ONCE} runs are in progress: wait for one to end`)
  }
  const mark: { control: RunControl | null } = { control: null }
  running.add(mark)
  let reservation: SendingBudget | null = null
  try {
    const { from, options, reserves } = await planned(asked, call, async ({ cost, reach }) =>
      cost === 'asked' ? isPaid(new URL(reach.target!), allowed.env) : cost === 'paid',
    )
    reservation = reserves === null ? null : allowed.budget.reserve(reserves)
    const { runFrom } = await import('../../run/run.ts')
    const { document, folder, abandoned, unwritten } = await runFrom(
      async () => from,
      asked.scenario as string | AnyScenario,
      {
        ...options,
        signal,
        ...(reservation === null ? {} : { sharedBudget: reservation }),
        onTrouble: (trouble) => void notes.push(visibleLine(trouble)),
        onStart: (control) => void (mark.control = control),
        onAsked: () => void notes.push('a page of crewload ui stopped the run'),
        onProgress: call.progress,
      },
    )
    if (unwritten !== null) notes.push(`the reports could not be written: ${unwritten}`)
    reservation?.settle()
    const { budget } = allowed
    return { ...ofRun(document, folder), notes, abandoned: [...abandoned], budget: budget.state }
  } finally {
    reservation?.settle()
    running.delete(mark)
  }
}

/** One kickoff at most, and it counts. */
export async function checkTarget(
  { kickoff, inputs, wait, ...asked }: z.infer<typeof checkInput>,
  { allowed, signal, notes }: ToolCall,
): Promise<z.infer<typeof checkOutput>> {
  const { check } = await import('../../run/check/index.ts')
  const { cost, reach } = await allowedPlace(asked, allowed)
  const { target: url, tokensFrom, headers = {}, tls = {}, tokenSource } = reach
  const isCostly =
    kickoff && (cost === 'asked' ? await isPaid(new URL(url!), allowed.env) : cost === 'paid')
  const reservation = isCostly ? allowed.budget.reserve(1) : null
  try {
    const place = await openPlace(
      { ...reach, onTrouble: (words) => void notes.push(visibleLine(words)) },
      { seed: 1, speed: 1 },
      allowed.env,
      'unasked',
    )
    try {
      const { diagnoses, kickoff: ended } = await check({
        target: place.target,
        tokens: place.tokens,
        tokensFrom,
        ...(tokenSource === undefined ? {} : { tokenSource }),
        headers,
        tls,
        env: allowed.env,
        wait,
        firstCall: CHECK_WAITS.firstCall.default,
        inputs: inputs ?? null,
        onStart: (control) => {
          if (signal.aborted) control.stop('now')
          else signal.addEventListener('abort', () => control.stop('now'))
        },
        confirmKickoff: kickoff
          ? async () => !signal.aborted && (reservation?.spend('kickoff') ?? true)
          : null,
      })
      reservation?.settle()
      return { diagnoses: [...diagnoses], kickoff: ended, budget: allowed.budget.state }
    } finally {
      await place.close()
    }
  } finally {
    reservation?.settle()
  }
}
