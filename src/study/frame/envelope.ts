/**
 * The common part of the documents of all studies, as zod shapes; each study adds what it measured.
 * Times are in milliseconds.
 */
import { crewPlace } from '../../execution/record/crew-place.ts'
import { studyPlace } from './study-place.ts'
import { z } from 'zod'
import type { FindingTable, ReasonTable, Severity } from '../../result/sentence-tables.ts'
import { findingSchema } from '../../result/sentence-tables.ts'
import { count, ms } from '../../result/document-parts.schema.ts'
import { trialReasonSchema } from './trial/reasons.ts'

export { count, ms }

/**
 * The verdict of a study with its own outcomes, each of which has a word, a sign and an exit code;
 * and with its own reasons.
 */
export function verdictOf<
  const O extends readonly [string, ...string[]],
  const R extends ReasonTable,
>(outcomes: O, reasons: R) {
  return z.object({
    outcome: z
      .enum([...outcomes, 'invalid'])
      .describe('`invalid`: not to be trusted, or its reports could not be written'),
    sentence: z.string().describe('The answer'),
    more: z.string().exactOptional().describe('Further sentences; absent for none'),
    reasons: z
      .array(trialReasonSchema(reasons))
      .describe('Why the verdict is not better, each reason with its remedy'),
  })
}

type VerdictText = Pick<StudyDocument['verdict'], 'sentence' | 'more'>

/** What a verdict says: its answer, and whatever else is not empty. */
export function verdictText(...texts: readonly string[]): VerdictText {
  const [sentence = '', ...further] = texts.filter((text) => text !== '')
  return further.length === 0 ? { sentence } : { sentence, more: further.join(' ') }
}

/** How the trials of a study can end; a study may add its own ends. */
export const STUDY_ENDS = ['complete', 'interrupted', 'budget', 'target'] as const

export type StudyEnd = (typeof STUDY_ENDS)[number]

/** Where a study sends: the place in the plans that are part of documents. */
export const PLACE = {
  place: crewPlace,
  proxy: proxy(),
  shortTokens: count
    .exactOptional()
    .describe('Tokens too short to be taken out of texts that repeat them; absent for none'),
  shortHeaders: count.exactOptional().describe('The same of headers that are named as credentials'),
}

/** How requests get into a crew, where the options of a study say it. */
export const WAYS = {
  paths: z
    .object({ inputs: z.string(), kickoff: z.string(), status: z.string() })
    .exactOptional()
    .describe('Paths of the interface; absent if as documented'),
  members: z
    .array(z.string())
    .exactOptional()
    .describe('Names of what a kickoff carries beside its inputs; absent for nothing'),
}

function proxy() {
  return z
    .string()
    .exactOptional()
    .describe('The proxy on the way to the target, without credentials; absent if there is none')
}

/** What every study document has alike. */
const common = z.object({
  tool: z.object({ name: z.literal('crewload'), version: z.string(), node: z.string() }),
  id: z.string(),
  place: studyPlace,
  proxy: proxy(),
  scenario: z.string().nullable(),
  seed: z.number().nullable(),
  startedAt: z.iso.datetime(),
  durationMs: ms,
  requests: count.describe(
    'Requests handed to sockets in total: an upper bound of what reached the target',
  ),
  kickoffs: count,
  costPerKickoff: z
    .number()
    .exactOptional()
    .describe('The price of a kickoff; absent if none was given'),
  budget: z
    .object({ requests: count.nullable(), kickoffs: count.nullable() })
    .describe('Hard limits of the whole study; null for no limit'),
  command: z.string().nullable().describe('The command that repeats the study, without secrets'),
})

/**
 * The head of every study document. `study` is its name, `version` that of its schema, `findings`
 * its table of findings.
 */
export function envelope<
  const S extends string,
  const V extends number,
  const F extends FindingTable,
>(study: S, version: V, findings: F) {
  return {
    schema: z.literal(`crewload/${study}/${version}` as const),
    study: z.literal(study),
    ...common.shape,
    ended: z
      .enum(STUDY_ENDS)
      .describe(
        '`interrupted`: stopped before its end. `budget`: the rest was too small for the next ' +
          'trial. `target`: the target was lost',
      ),
    findings: z.array(findingSchema(findings)),
  }
}

/** The part of every study document that the frame knows. */
export interface StudyDocument extends z.infer<typeof common> {
  schema: string
  study: string
  verdict: {
    outcome: string
    sentence: string
    more?: string
    reasons: { code: string; message: string; remedy: string }[]
  }
  /** One of `STUDY_ENDS`, or an end specific to the study. */
  ended: string
  findings: { code: string; severity: Severity; message: string }[]
}

/** The part of the envelope that is known when a study begins. */
export type StudyStart = Pick<StudyDocument, 'tool' | 'id' | 'startedAt'>

/** The part that the frame knows when the trials are over. */
export interface StudyFacts
  extends
    StudyStart,
    Pick<StudyDocument, 'durationMs' | 'requests' | 'kickoffs' | 'budget' | 'command'> {
  ended: StudyEnd
}
