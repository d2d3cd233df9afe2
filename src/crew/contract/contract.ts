/**
 * The contract: the rules of the interface, checked on each answer. To add one, add an entry to a
 * family. `rules.ts` lists them all.
 */
import type { Answer, Timing } from '../answer.ts'
import { excerpt } from '../excerpt.ts'
import type {
  InputsObservation,
  KickoffObservation,
  Phase,
  StatusObservation,
} from '../observation.ts'
import type { Dialect } from '../wire.ts'
import { PLATFORM_RULES, VARIANT_RULES } from './fields.ts'
import { FINAL_RULES, PLAUSIBLE_RULES } from './final.ts'
import { remember, tellsState } from './history.ts'
import type { StatusHistory } from './history.ts'
import { HTTP_RULES } from './http.ts'
import { INPUTS_RULES, KICKOFF_RULES } from './kickoff.ts'
import { PROGRESS_RULES } from './progress.ts'
import type { Rule, StatusRule, StatusSeen } from './rule.ts'
import type { Violation } from './violation.ts'

export const STATUS_RULES: readonly StatusRule[] = [
  ...HTTP_RULES,
  ...VARIANT_RULES,
  ...PROGRESS_RULES,
  ...PLATFORM_RULES,
  ...FINAL_RULES,
  ...PLAUSIBLE_RULES,
]

type RulesOfPhase = ReadonlyMap<Phase, readonly StatusRule[]>

/** The rules that apply to a kind of answer. This table is built once, not for each answer. */
const RULES_FOR: Readonly<Record<Dialect | 'mixed', RulesOfPhase>> = {
  interface: rulesFor('interface'),
  platform: rulesFor('platform'),
  mixed: rulesFor('mixed'),
}

function rulesFor(dialect: Dialect | 'mixed'): RulesOfPhase {
  const rules = new Map<Phase, StatusRule[]>()
  for (const rule of STATUS_RULES) {
    const speaks = rule.dialect === undefined || dialect === 'mixed' || rule.dialect === dialect
    for (const phase of speaks ? rule.phases : []) {
      rules.set(phase, [...(rules.get(phase) ?? []), rule])
    }
  }
  return rules
}

const NO_RULES: readonly StatusRule[] = []

/**
 * What one execution has violated so far: the first example of each rule, and the state that its
 * rules need. The checks modify it.
 */
export interface ContractTracker extends StatusHistory {
  /** Replaced by a longer list when a violation is found. */
  violations: readonly Violation[]
}

/** Shared by all executions without a violation, which are nearly all. */
const NO_VIOLATIONS: readonly Violation[] = []

export function createTracker(): ContractTracker {
  return {
    dialect: null,
    completedTasks: null,
    totalTasks: null,
    kickoffId: null,
    kickoffSentMicros: null,
    runningSinceMicros: null,
    progressSinceMicros: null,
    runningUntilMicros: null,
    final: null,
    violations: NO_VIOLATIONS,
  }
}

/** The rules violated by an answer to `GET /inputs`; a failure without an answer violates none. */
export function checkInputs(answer: Answer, observed: InputsObservation): readonly Violation[] {
  const tracker = createTracker()
  if (answer.kind === 'failure') return tracker.violations
  for (const rule of INPUTS_RULES) note(tracker, rule, rule.broken({ answer, observed }))
  return tracker.violations
}

/** Adds to the tracker what an answer to `POST /kickoff` violates. */
export function checkKickoff(
  tracker: ContractTracker,
  answer: Answer,
  observed: KickoffObservation,
): void {
  tracker.kickoffId = observed.kickoffId ?? tracker.kickoffId
  tracker.kickoffSentMicros ??= answer.timing.sentMicros ?? answer.timing.releasedMicros
  if (answer.kind === 'failure') return
  for (const rule of KICKOFF_RULES) note(tracker, rule, rule.broken({ answer, observed }))
}

/**
 * Adds to the tracker what a status answer violates, by itself and compared with earlier ones; then
 * remembers it.
 */
export function checkStatus(
  tracker: ContractTracker,
  answer: Answer,
  observed: StatusObservation,
): void {
  if (answer.kind === 'failure') return
  const seen: StatusSeen = { answer, observed, history: tracker }
  const rules = RULES_FOR[dialectOf(observed, tracker)].get(observed.phase) ?? NO_RULES
  // Indexed, because k6's engine creates an object for each step of a `for ... of`.
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i]!
    const example = rule.broken(seen)
    if (example !== undefined) note(tracker, rule, example)
  }
  remember(tracker, observed, answer.timing)
}

/**
 * The same for an answer whose body, status and kind of content are those of the last one, of an
 * execution in progress. Rules for such answers depend on nothing else, so that each was violated
 * then or is not violated now.
 */
export function checkRepeated(
  tracker: ContractTracker,
  observed: StatusObservation,
  timing: Timing,
): void {
  remember(tracker, observed, timing)
}

/**
 * The dialect of a body that reports a state; for errors, the dialect of the execution's earlier
 * answers, or the interface dialect if there are none.
 */
function dialectOf(observed: StatusObservation, history: StatusHistory): Dialect | 'mixed' {
  const before = history.dialect === 'mixed' ? null : history.dialect
  const dialect = tellsState(observed) ? (observed.dialect ?? before) : (before ?? observed.dialect)
  return dialect ?? 'interface'
}

function note(tracker: ContractTracker, rule: Rule, example: string | undefined): void {
  if (example === undefined) return
  if (tracker.violations.some((violation) => violation.rule === rule.name)) return
  tracker.violations = [...tracker.violations, { rule: rule.name, example: excerpt(example) }]
}
