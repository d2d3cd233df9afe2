/** A study: a question that takes more than one measurement, from its plan to its report. */
import type { z } from 'zod'
import type { Headline, Report, Tone } from '../../report/frame/report.ts'
import type { PlanText } from '../../report/frame/render/terminal.ts'
import type { StudyDocument } from './envelope.ts'

/** How a process that ran a study ends; the exit codes of the command line have the same names. */
type StudyExit = 'passed' | 'failed' | 'invalid' | 'inconclusive' | 'unreachable' | 'interrupted'

export interface Study<Plan, Document extends StudyDocument> {
  /**
   * Of its document and schema: `saturation` is written to `saturation.json`, and follows
   * `crewload/saturation/N`.
   */
  name: string
  /** What its document holds, in one sentence: the description of the JSON Schema. */
  holds: string
  schema: z.ZodType<Document>
  // Methods: in the list of all studies stands each without its plan and document being known.
  planText(plan: Plan): PlanText
  report(document: Document): Report
  exit(document: Document): StudyExit
}

/**
 * How a verdict is shown, and how a process ends with it. Never colour alone: each has a word and a
 * sign.
 */
export interface VerdictMark {
  word: string
  sign: string
  tone: Tone
  exit: Exclude<StudyExit, 'interrupted'>
}

export const INCONCLUSIVE: VerdictMark = {
  word: 'INCONCLUSIVE',
  sign: '?',
  tone: 'doubt',
  exit: 'inconclusive',
}

export const INVALID: VerdictMark = { word: 'INVALID', sign: '!', tone: 'bad', exit: 'invalid' }

export function headlineOf({ word, sign, tone }: VerdictMark, sentence: string): Headline {
  return { word, sign, tone, sentence }
}

/** `crewload 0.1.0, study 1a2b3c4d`. */
export function toolWords({ tool, id }: StudyDocument): string {
  return `${tool.name} ${tool.version}, study ${id}`
}
