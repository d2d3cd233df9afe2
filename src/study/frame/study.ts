/** A study: a question that takes more than one measurement, from its plan to its report. */
import type { z } from 'zod'
import { spentWords } from '../../result/metrics/format.ts'
import type { Headline, Report, TestCase, Tone } from '../../report/frame/report.ts'
import { reasonText } from '../../report/frame/report.ts'
import type { PlanText } from '../../report/frame/render/terminal.ts'
import type { StudyDocument } from './envelope.ts'

/** How the process of a study ends; the exit codes of the command line have the same names. */
export type StudyExit =
  | 'passed'
  | 'failed'
  | 'invalid'
  | 'inconclusive'
  | 'unreachable'
  | 'interrupted'

export interface Study<Plan, Document extends StudyDocument> {
  /**
   * The name of its document and schema: `saturation` is written to `saturation.json`, and follows
   * `crewload/saturation/N`.
   */
  name: string
  /** The content of its document in one sentence: the description of the JSON Schema. */
  holds: string
  schema: z.ZodType<Document>
  /** A description of what the first Ctrl-C does. Default: that executions in flight end. */
  whenInterrupted?: string
  // These are methods so that the list of all studies can ignore the types of plan and document.
  planText(plan: Plan): PlanText
  report(document: Document): Report
  exit(document: Document): StudyExit
  /** What its document then says beside the verdict where the reports could not be written. */
  undecided?: Partial<Document>
}

/** The report as its study composes it, and what was spent. */
export function reportOf<Document extends StudyDocument>(
  study: Pick<Study<never, Document>, 'report'>,
  document: Document,
): Report {
  const report = study.report(document)
  const { kickoffs, costPerKickoff } = document
  if (costPerKickoff === undefined) return report
  const spent = { name: 'Spent', text: spentWords(kickoffs, costPerKickoff) }
  return { ...report, facts: [...report.facts, spent] }
}

/**
 * How a verdict is shown, and how a process ends with it. Each has a word and a sign, because
 * colour alone is never enough.
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

/**
 * The reasons that the sentence of the verdict does not already state, and all reasons with a
 * remedy.
 */
export function reasonsBeside({ sentence, reasons }: StudyDocument['verdict']): string[] {
  const told = sentence.toLowerCase()
  return reasons
    .filter(({ message, remedy }) => remedy !== '' || !told.includes(message.toLowerCase()))
    .map((reason) => reasonText(reason))
}

const RESULTS = {
  failed: 'failure',
  inconclusive: 'skipped',
  invalid: 'error',
  unreachable: 'error',
} as const

/** The verdict as a test case for CI servers; a question that could not be asked is an error. */
export function verdictCase(
  name: string,
  { exit }: VerdictMark,
  { sentence, reasons }: StudyDocument['verdict'],
): TestCase {
  if (exit === 'passed') return { name, result: { kind: 'passed' } }
  const message = [sentence, ...reasons.map(reasonText)].join(' ')
  return { name, result: { kind: RESULTS[exit], message } }
}

/** For example `crewload 0.1.0, study 1a2b3c4d`. */
export function toolWords({ tool, id }: StudyDocument): string {
  return `${tool.name} ${tool.version}, study ${id}`
}

/** Of a study that sends. `target`: as its report names it. `engine`: which sent the load. */
export function originOf(
  document: StudyDocument,
  { target = document.profile ?? document.target, engine = '' } = {},
): Report['origin'] {
  const { proxy, startedAt, durationMs } = document
  const way = proxy === undefined ? {} : { proxy }
  const clock = engine === 'virtual' ? { virtual: 'computed' as const } : {}
  return { target, ...way, startedAt, ...clock, durationMs, tool: toolWords(document) }
}

/**
 * The files beside the page of a study, and what each contains. `cases`: what the test cases of
 * `junit.xml` are.
 */
export function reportFiles(
  name: string,
  { document = 'every number shown here', cases = 'the verdict for a CI server' } = {},
): Report['files'] {
  return [
    [`${name}.json`, document],
    ['summary.md', 'the report as Markdown'],
    ['comment.md', 'the short form, for a comment on a pull request'],
    ['junit.xml', cases],
  ]
}

/** How a process ends by the mark of the verdict, unless the study was interrupted. */
export function exitBy({ ended }: StudyDocument, { exit }: VerdictMark): StudyExit {
  return ended === 'interrupted' ? 'interrupted' : exit
}

/** A study whose plan and document types do not matter. */
export type AnyStudy = Study<unknown, StudyDocument>
