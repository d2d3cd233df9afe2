/**
 * A study: a question that takes more than one measurement, from its plan to its report; and what
 * the plans, documents and reports of all studies say alike.
 */
import { studyPlaceText } from './study-place.ts'
import { spentWords } from '../../result/metrics/sentences.ts'
import type { Report, TestCase } from '../../report/frame/report.ts'
import type { Tone } from '../../report/text/table.ts'
import { allText, reasonText } from '../../report/frame/report.ts'
import type { PlanText } from '../../report/frame/render/terminal.ts'
import { knownRows } from '../../report/frame/render/terminal.ts'
import type { StudyDocument } from './envelope.ts'
import { verdictText } from './envelope.ts'
import type { z } from 'zod'
import { publishedSchema } from '../../base/published-schema.ts'
import { linesOf } from '../../base/options/table.ts'
import { PLAN } from '../../run/options.ts'
import type { CrewPaths } from '../../crew/crew-request.ts'
import { reasonOf } from '../../result/sentence-tables.ts'
import { REASONS } from '../../result/sentences/reasons.ts'

/** How the process of a study ends; the exit codes of the command line have the same names. */
type StudyExit = 'passed' | 'failed' | 'invalid' | 'inconclusive' | 'unreachable' | 'interrupted'

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

/** What a study alone says in its report; the rest follows from its document and its mark. */
export interface ReportBody
  extends
    Pick<Report, 'facts' | 'sections'>,
    Partial<Pick<Report, 'title' | 'reasons' | 'files' | 'origin' | 'cases'>> {
  /** The name of the verdict's test case. Default: the title; null: it has none. */
  asked?: string | null
}

interface StudyParts<Plan, Document extends StudyDocument> extends Omit<
  Study<Plan, Document>,
  'report' | 'exit'
> {
  mark: (document: Document) => VerdictMark
  body: (document: Document) => ReportBody
  /** Default: that of the mark, unless the study was interrupted. */
  exit?: (document: Document) => StudyExit
}

/** A study with its report. */
export function studyOf<Plan, Document extends StudyDocument>(
  parts: StudyParts<Plan, Document>,
): Study<Plan, Document> {
  const { mark, body, ...own } = parts
  return {
    exit: (document) => (document.ended === 'interrupted' ? 'interrupted' : mark(document).exit),
    ...own,
    report: (document) => composed(document, mark(document), body(document)),
  }
}

function composed(document: StudyDocument, mark: VerdictMark, body: ReportBody): Report {
  const { verdict, findings, command, study } = document
  const { title = study, asked = title, cases = [], ...own } = body
  return {
    title,
    headline: headlineOf(mark, verdict),
    reasons: verdict.reasons.map(reasonText),
    findings,
    files: studyReportFiles(study),
    command,
    origin: originOf(document),
    cases: [...(asked === null ? [] : [verdictCase(asked, mark, verdict)]), ...cases],
    ...own,
  }
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

function headlineOf(
  { word, sign, tone }: VerdictMark,
  { sentence, more }: Pick<StudyDocument['verdict'], 'sentence' | 'more'>,
): Report['headline'] {
  return { word, sign, tone, sentence, ...(more !== undefined && { more }) }
}

const RESULTS = {
  failed: 'failure',
  inconclusive: 'skipped',
  invalid: 'error',
  unreachable: 'error',
} as const

/** The verdict as a test case for CI servers; a question that could not be asked is an error. */
function verdictCase(
  name: string,
  { exit }: VerdictMark,
  verdict: StudyDocument['verdict'],
): TestCase {
  if (exit === 'passed') return { name, result: { kind: 'passed' } }
  const reasons = verdict.reasons.map((each) => `${reasonText(each)}.`)
  const message = [allText(verdict), ...reasons].join(' ')
  return { name, result: { kind: RESULTS[exit], message } }
}

/** `target`: as its report names it. `engine`: which sent the load. */
export function originOf(
  document: StudyDocument,
  { target = studyPlaceText(document.place), engine = '' } = {},
): Report['origin'] {
  const { proxy, startedAt, durationMs, tool, id } = document
  const way = proxy === undefined ? {} : { proxy }
  const clock = engine === 'virtual' ? { virtual: 'computed' as const } : {}
  const words = `${tool.name} ${tool.version}, study ${id}`
  return { target, ...way, startedAt, ...clock, durationMs, tool: words }
}

/**
 * The files beside the page of a study, and what each contains. `cases`: what the test cases of
 * `junit.xml` are.
 */
export function studyReportFiles(
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

/** A study whose plan and document types do not matter. */
export type AnyStudy = Study<unknown, StudyDocument>

export function studyJsonSchema<Plan, Document extends StudyDocument>({
  name,
  holds,
  schema,
}: Pick<Study<Plan, Document>, 'name' | 'holds' | 'schema'>): Record<string, unknown> {
  return {
    title: `crewload ${name}`,
    description: `The document of one study: ${holds}.`,
    ...publishedSchema(schema),
  }
}

/** For example `at most 100 kickoffs and 5,000 requests in all`. */
export function studyBudgetWords(budget: StudyDocument['budget']): string {
  const limits = linesOf(PLAN.budget, budget)
  return limits.length === 0 ? 'no limit' : `at most ${limits.join(' and ')} in all`
}

/** The rows of what is not as documented. */
export function wayRows(ways: { paths?: CrewPaths; members?: string[] }): PlanText['rows'] {
  const { paths, members = [] } = ways
  return knownRows(
    ['paths', paths && `${paths.inputs}, ${paths.kickoff}, ${paths.status}`],
    ['members', members.length > 0 && `beside inputs: ${members.join(', ')}`],
  )
}

export interface ShownStudy {
  document: StudyDocument
  report: Report
  exit: StudyExit
}

/**
 * `unwritten`: why the reports could not be written, or null. Whoever reads the folder later then
 * finds nothing, so the study must not pass where it ended; but what it found cost money, and is
 * shown.
 */
export function shownOf<Document extends StudyDocument>(
  study: Study<never, Document>,
  document: Document,
  unwritten: string | null,
): ShownStudy {
  const report = reportOf(study, document)
  if (unwritten === null) return { document, report, exit: study.exit(document) }
  const reason = reasonOf(REASONS, 'reports-unwritten', { of: 'study', error: unwritten })
  const { headline } = report
  const text = verdictText(
    `The reports could not be written (${unwritten}).`,
    `Without that: ${headline.word}. ${allText(headline)}`,
  )
  const reasons = [reason, ...document.verdict.reasons]
  return {
    document: {
      ...document,
      ...study.undecided,
      verdict: { ...document.verdict, outcome: 'invalid', ...text, reasons },
    },
    report: { ...report, headline: headlineOf(INVALID, text) },
    exit: 'invalid',
  }
}
