/**
 * What a study supplies so that the frame can conduct it, and continue it after a cut; and what
 * studies make it of.
 */
import type { OptionsOf, OptionTable } from '../../../base/options/table.ts'
import type { Step } from '../../../base/steps.ts'
import type { RunOptions, Engine, EngineName } from '../../../run/options.ts'
import type { StudyDocument, StudyFacts, StudyStart } from '../envelope.ts'
import type { STUDY_RUN } from '../options.ts'
import type { Study } from '../study.ts'
import type { TrialsLeft, TrialHooks, Trials, TrialTerms } from '../trial/trials.ts'
import { loadProfile } from '../../../../fake-crew/profiles.ts'
import { hashText } from '../../../base/random.ts'
import { describePlan, planHash } from '../../../scenario/plan-data.ts'
import type { Plan, CircuitPolicy } from '../../../scenario/plan.ts'
import { MICROS_PER_SECOND } from '../../../base/units.ts'

/** The options that every study accepts. */
export interface StudyOptions<Plan> extends TrialHooks {
  /** The folder in which study folders are created; false writes nothing. Default `reports`. */
  out?: string | false
  /** Called before anything is sent; false sends nothing. */
  confirm?: (plan: Plan) => boolean | Promise<boolean>
  /** Receives what is worth knowing before the first trial, one sentence each. */
  onNote?: (note: string) => void
  /** Receives a line about each trial, in the study's words. */
  tell?: (line: string) => void
  /** Receives the progress of a long calculation, at most four times a second. */
  onStep?: (step: Step) => void
  /** The command that repeats the study, for the report. */
  command?: string
  /** The options of its runs, of a study that sends. */
  run?: OptionsOf<typeof STUDY_RUN>
}

/**
 * `Options` are what the user asked for, `Design` is what the study makes of them before anything
 * is sent, and `Plan` the part of it that is shown when asking for consent.
 */
export interface Conducting<
  Options extends StudyOptions<Plan>,
  Design,
  Plan,
  Document extends StudyDocument,
> {
  study: Study<Plan, Document>
  /**
   * Its options. Those that are kept in the study's folder, from which it is designed again, are
   * all that determine the measurement, and none that may be secret.
   */
  table: OptionTable
  /**
   * Reads files and sends nothing. Throws UserError with every mistake. `resumed`: the folder of
   * the study, if it is resumed.
   */
  design: (options: Options, resumed?: string) => Promise<Design>
  plan: (design: Design) => Plan
  /** The folder's name consists of this name and the time. */
  name: (design: Design) => string
  /**
   * Returns a value that changes when the scenario or the profile does: trials of both versions
   * must not be compared.
   */
  fingerprint: (design: Design) => string
  /** Default: every study can be resumed. */
  isResumable?: (design: Design) => boolean
  terms: (design: Design) => TrialTerms
  /** Makes the trials, and then the document of what they measured, however they ended. */
  measure: (session: Session<Options, Design>) => Promise<Document>
}

/** A study that only reads: it sends nothing, costs nothing, and starts again after a cut. */
export const readsOnly = {
  fingerprint: () => '',
  isResumable: () => false,
  terms: (): TrialTerms => ({
    simulated: true,
    budget: { requests: 0, kickoffs: 0 },
    planned: 0,
    whenLost: '',
  }),
}

/** One process that conducts a study. */
export interface Session<Options, Design> {
  options: Options
  design: Design
  start: StudyStart
  /** Null when nothing is written. */
  folder: string | null
  trials: Trials
  /** The facts of the envelope at this moment. */
  facts: () => StudyFacts
}

export interface StudyOutcome<Document> {
  document: Document
  /** The folder in which everything was written; null when nothing was. */
  folder: string | null
  /** Why the reports could not be written completely; null when they were. */
  unwritten: string | null
  /** By run; each of these executions may continue to cost money. */
  leftBehind: readonly TrialsLeft[]
}

/** `plan` is null without a scenario; `profile` is undefined without a profile. */
export function fingerprintOf(plan: Plan | null, profile: string | undefined): string {
  const scenario = plan === null ? '' : planHash(describePlan(plan))
  const crew = profile === undefined ? '' : JSON.stringify(loadProfile(profile))
  return `${scenario}-${hashText(crew).toString(16)}`
}

/** With the hooks through which the study tells its caller. Nothing is written by the runs. */
export function trialOptions<Plan>(
  { run = {}, onNote, onTrouble, command }: StudyOptions<Plan>,
  engine: Engine | EngineName,
): RunOptions {
  return {
    ...run,
    ...(onNote === undefined ? {} : { onNote }),
    ...(onTrouble === undefined ? {} : { onTrouble }),
    ...(command === undefined ? {} : { command }),
    engine,
    out: false,
  }
}

/** This many failures in a row, without one answer, are more than failures of single requests. */
export const LOST_AFTER = 5

/**
 * The time that a scenario allows by default, which is longer than a server takes to restart behind
 * a proxy.
 */
const LOST_AFTER_MICROS = 30 * MICROS_PER_SECOND

/**
 * The circuit of a study's run, from that of its scenario. It is never off, because a study learns
 * nothing from a target that is gone, and can be resumed; and few executions in flight, polled
 * every quarter of a minute, open it as well.
 */
export function studyCircuit(circuit: CircuitPolicy | null): CircuitPolicy {
  const { afterMicros = LOST_AFTER_MICROS, requests = LOST_AFTER } = circuit ?? {}
  return { afterMicros, requests: Math.min(requests, LOST_AFTER) }
}
