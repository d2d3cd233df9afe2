/** What a study supplies so that the frame can conduct it, and go on with it after a cut. */
import type { z } from 'zod'
import type { StudyDocument, StudyFacts, StudyStart } from '../envelope.ts'
import type { Study } from '../study.ts'
import type { LeftBehind, TrialHooks, Trials, TrialTerms } from '../trial/trials.ts'

/** What every study can be told. */
export interface StudyOptions<Plan> extends TrialHooks {
  /** Where study folders are written; false writes nothing. Default `reports`. */
  out?: string | false
  /** Asked before anything is sent; false sends nothing. */
  confirm?: (plan: Plan) => boolean | Promise<boolean>
  /** What is worth knowing before the first trial, a sentence each. */
  onNote?: (note: string) => void
  /** A line about each trial, as the study words it. */
  tell?: (line: string) => void
  /** What repeats it, for the report. */
  command?: string
  /** Their names are kept, for whoever resumes it, and their values are not. */
  headers?: Readonly<Record<string, string>>
}

/**
 * `Options` are what the user asked for, `Design` is what the study makes of them before anything is
 * sent, and `Plan` the part of that which is shown and asked about.
 */
export interface Conducting<
  Options extends StudyOptions<Plan>,
  Design,
  Plan,
  Document extends StudyDocument,
> {
  study: Study<Plan, Document>
  /**
   * The options that are kept in the study's folder, by which it is made again: all that decide
   * what is measured, and nothing that may be secret (tokens, values of headers, certificates).
   */
  kept: z.ZodType
  /** Reads files and sends nothing. Throws UserError with every mistake. */
  design: (options: Options) => Promise<Design>
  plan: (design: Design) => Plan
  /** Its folder is named by it and the time. */
  name: (design: Design) => string
  /** Changes when the scenario or the profile does: trials of both are not compared. */
  fingerprint: (design: Design) => string
  /** Default: every study is. */
  isResumable?: (design: Design) => boolean
  terms: (design: Design) => TrialTerms
  /** Makes the trials, and the document of what they measured, however they ended. */
  measure: (session: Session<Options, Design>) => Promise<Document>
}

/** One process that conducts a study. */
export interface Session<Options, Design> {
  options: Options
  design: Design
  start: StudyStart
  /** Null where nothing is written. */
  folder: string | null
  trials: Trials
  /** Of the envelope, as things stand. */
  facts: () => StudyFacts
}

export interface StudyOutcome<Document> {
  document: Document
  /** Where everything was written; null when nothing was. */
  folder: string | null
  /** Why the reports could not be written whole; null when they were. */
  unwritten: string | null
  /** By run; each of these executions may go on costing money. */
  leftBehind: readonly LeftBehind[]
}
