/**
 * The sections of a run's report, in order. On the page, a chapter is placed where the first of its
 * sections is in this list.
 */
import { BREAKDOWN } from './breakdown.ts'
import { CHECKS } from './checks.ts'
import { CONTRACT } from './contract.ts'
import { EXECUTIONS } from './executions/executions.ts'
import { ERRORS } from './errors.ts'
import { LEDGER } from './ledger.ts'
import { NUMBERS } from './numbers.ts'
import { OUTCOMES } from './outcomes.ts'
import { OVER_TIME } from './over-time/over-time.ts'
import { PEOPLE } from './some-runs/people.ts'
import { POLLING } from './polling.ts'
import { PUSHBACK } from './pushback.ts'
import { PUSHES } from './some-runs/pushes.ts'
import { RECOVERIES } from './some-runs/recoveries.ts'
import type { RunSection } from './section.ts'
import { STRIPS } from './strips/strips.ts'
import { TRUST } from './trust.ts'
import { USAGE } from './some-runs/usage.ts'
import { FEW_VALUES, WAITS } from './waits/waits.ts'

export const RUN_SECTIONS: readonly RunSection[] = [
  WAITS,
  FEW_VALUES,
  BREAKDOWN,
  OVER_TIME,
  RECOVERIES,
  OUTCOMES,
  PEOPLE,
  POLLING,
  PUSHES,
  USAGE,
  ERRORS,
  PUSHBACK,
  CONTRACT,
  CHECKS,
  LEDGER,
  STRIPS,
  EXECUTIONS,
  TRUST,
  NUMBERS,
]
