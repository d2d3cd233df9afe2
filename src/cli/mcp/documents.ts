/** What tools return of a run or a study: the parts of its document that decide something. */
import { studyPlace } from '../../study/frame/study-place.ts'
import { join } from 'node:path'
import { z } from 'zod'
import { CONTRACT_RULES } from '../../crew/contract/rules.ts'
import { readDocument } from '../../journal/file/document.ts'
import { allText } from '../../report/frame/report.ts'
import { runReport } from '../../report/run/report.ts'
import { keptReason, resultDocument } from '../../result/document.ts'
import type { ResultDocument } from '../../result/document.ts'
import { RESULT_FILE } from '../../run/folder/folder.ts'
import { RESULT_DAMAGE, journalIn } from '../../run/folder/stored.ts'
import type { StudyDocument } from '../../study/frame/envelope.ts'
import { readStudy } from '../../study/frame/conduct/study-folder.ts'
import { STUDIES } from '../../study/list.ts'
import { UserError } from '../../base/mistakes.ts'

const finding = z
  .looseObject({
    code: z.string(),
    severity: z.enum(['info', 'warning', 'problem']),
    message: z.string(),
  })
  .describe('With the facts of its code')

export const measured = z.object({
  folder: z.string().nullable().describe('Its reports are there, report.html for people'),
  of: z.string().describe('`run`, or the name of a study'),
  place: studyPlace,
  verdict: z.object({
    outcome: z
      .string()
      .describe(
        'The verdict of a run: passed, failed, invalid (measured wrongly: proves nothing), inconclusive (more ' +
          'is needed) or unreachable',
      ),
    sentence: z.string(),
    reasons: z.array(keptReason).describe('Why it is not better'),
  }),
  outcomes: resultDocument.shape.outcomes
    .optional()
    .describe('Arrivals of a run in the measured window, by their end'),
  thresholds: resultDocument.shape.thresholds.optional().describe('The thresholds of a run'),
})
type Measured = z.infer<typeof measured>

export const explained = z.object({
  folder: z.string(),
  of: measured.shape.of,
  outcome: z.string(),
  reasons: measured.shape.verdict.shape.reasons,
  findings: z.array(finding).describe('Problems first; each message ends with its remedy'),
  contract: z
    .array(z.object({ rule: z.string(), requires: z.string(), count: z.int(), seen: z.string() }))
    .describe('Rules of the interface that answers broke, with an example'),
})

/** Of a run that was measured in this process. */
export function ofRun(document: ResultDocument, folder: string | null): Measured {
  const { run, verdict, outcomes, thresholds } = document
  const { word, cause = '', sentence } = runReport(document).headline
  return {
    folder,
    of: 'run',
    place: run.place,
    verdict: {
      outcome: verdict.outcome,
      sentence: [cause === '' ? word : `${word}: ${cause}.`, sentence].join(' ').trim(),
      reasons: verdict.reasons,
    },
    outcomes,
    thresholds,
  }
}

function ofStudy({ study, place, verdict }: StudyDocument, folder: string): Measured {
  const { outcome, reasons } = verdict
  const sentence = allText(verdict)
  return { folder, of: study, place, verdict: { outcome, sentence, reasons } }
}

/** Reads a folder. Throws UserError for one without a document, and for a damaged one. */
export async function verdictIn(folder: string): Promise<Measured> {
  const study = await readStudy(folder, STUDIES)
  return study === null ? ofRun(await resultIn(folder), folder) : ofStudy(study.document, folder)
}

/** As `verdictIn`. */
export async function explanationIn(folder: string): Promise<z.infer<typeof explained>> {
  const study = await readStudy(folder, STUDIES)
  if (study !== null) {
    const { verdict, findings } = study.document
    const { outcome, reasons } = verdict
    return { folder, of: study.study.name, outcome, reasons, findings, contract: [] }
  }
  const { verdict, findings, contract } = await resultIn(folder)
  const { outcome, reasons } = verdict
  return { folder, of: 'run', outcome, reasons, findings, contract: contract.rules.map(brokenRule) }
}

function brokenRule({ rule, count, example }: ResultDocument['contract']['rules'][number]) {
  const requires = CONTRACT_RULES.find(({ name }) => name === rule)?.requires ?? ''
  return { rule, requires, count, seen: example.seen }
}

/** Whole, because a report is made of it. */
async function resultIn(folder: string): Promise<ResultDocument> {
  await journalIn(folder)
  const result = await readDocument(join(folder, RESULT_FILE), resultDocument, RESULT_DAMAGE)
  if (result !== null) return result
  const problem =
    'the run has not ended, or was cut; "crewload report render --recover" shows what was measured'
  throw new UserError({ source: folder, problem })
}
