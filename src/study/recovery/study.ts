/**
 * The study of recovery: whether a crew recovers after a trigger, over several seeds, and beyond
 * which size of the trigger it does not.
 */
import { placeRow } from '../../run/plan/text.ts'
import { formatMostMs, formatMs, formatRough, plural } from '../../base/numbers.ts'
import type { PlanText } from '../../report/frame/render/terminal.ts'
import { knownRows } from '../../report/frame/render/terminal.ts'
import { linesOf } from '../../base/options/table.ts'
import { PLAN } from '../../run/options.ts'
import { placeNotes } from '../../run/target/place-notes.ts'
import { studyBudgetWords, studyOf } from '../frame/study.ts'
import { BISECTION } from './analyse/tipping.ts'
import type { RecoveryDocument, RecoveryPlan } from './document.ts'
import { recoverySchema } from './document.ts'
import { recoveryMark, recoveryBody } from './report/report.ts'
import { courseWords, seedWords, targetWords } from './report/wording.ts'

export const recovery = studyOf<RecoveryPlan, RecoveryDocument>({
  name: 'recovery',
  holds: 'whether goodput recovers after a trigger, over several seeds',
  schema: recoverySchema,
  planText,
  body: recoveryBody,
  mark: recoveryMark,
})

function planText(plan: RecoveryPlan): PlanText {
  const runs = plan.seeds.length * (plan.control ? 2 : 1)
  const [lapse] = linesOf({ speed: PLAN.speed }, plan)
  return {
    title: `Plan of a recovery study of "${plan.scenario}"`,
    rows: knownRows(
      ['target', targetWords(plan, placeRow(plan)[1])],
      ['load', `${formatRough(plan.wantedPerSecond)} arrivals per second, constant`],
      ['client', plan.client],
      ['trigger', `${plan.trigger.words}, for ${formatMs(plan.triggerMs)}`],
      ['each run', courseWords(plan)],
      ['runs', `${seedWords(plan)}: ${plural(runs, 'run')}, ${timeWords(plan, runs)}`],
      ['budget', studyBudgetWords(plan.budget)],
      ['speed', lapse],
      ['then', plan.bisect ? 'other sizes of the trigger, for the tipping point' : 'no other size'],
    ),
    notes: placeNotes(plan),
  }
}

/** Whatever the crew does: after each run, executions are followed to their deadline. */
function timeWords(plan: RecoveryPlan, runs: number): string {
  if (plan.engine === 'virtual') return 'in virtual time'
  const eachMs = (triggerMs: number): number =>
    plan.warmUpMs + plan.beforeMs + triggerMs + plan.observeMs
  const firstMs = runs * (eachMs(plan.triggerMs) + plan.deadlineMs)
  const others = (BISECTION.sizes - 1) * Math.min(BISECTION.seeds, plan.seeds.length)
  const largestMs = eachMs(BISECTION.mostTimes * plan.triggerMs) + plan.deadlineMs
  const mostMs = firstMs + (plan.bisect ? others * largestMs : 0)
  return `${formatMs(runs * eachMs(plan.triggerMs))} of arrivals (at most ${formatMostMs(mostMs)} in all)`
}
