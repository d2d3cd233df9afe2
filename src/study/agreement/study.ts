/** The study of agreement: one seed under several engines, and whether they measured the same. */
import { planTextOf } from '../../report/run/terminal/plan.ts'
import type { PlanFacts } from '../../report/run/terminal/plan.ts'
import type { Study } from '../frame/study.ts'
import type { AgreementDocument } from './document.ts'
import { agreementSchema } from './document.ts'
import { AGREEMENT_VERDICTS, agreementReport } from './report/report.ts'

/** What each engine will do, shown before anything is sent. */
export interface AgreementPlan {
  /** The facts for one engine; `engine` names all of them. */
  facts: PlanFacts
  plan: unknown
  notes: readonly string[]
}

export const agreement: Study<AgreementPlan, AgreementDocument> = {
  name: 'agreement',
  holds: 'runs of one seed under several engines, each compared with the first',
  schema: agreementSchema,
  planText: ({ facts, notes }) => {
    const text = planTextOf(facts)
    return { ...text, notes: [...(text.notes ?? []), ...notes] }
  },
  report: agreementReport,
  exit: ({ trials, verdict, ended }) => {
    if (ended === 'interrupted') return 'interrupted'
    const own = new Set(trials.map((run) => run.verdict.outcome))
    if (own.has('unreachable')) return 'unreachable'
    const { exit } = AGREEMENT_VERDICTS[verdict.outcome]
    if (exit !== 'passed') return exit === 'inconclusive' && own.has('failed') ? 'failed' : exit
    // The engines agree, but what they agree on may still have failed.
    if (own.has('failed')) return 'failed'
    return own.has('inconclusive') ? 'inconclusive' : 'passed'
  },
}
