/**
 * The sections of a run's report, one line each, by their place in it. On the page, a chapter is
 * placed where the first of its sections is.
 */
export { WAITS as at100 } from './waits/waits.ts'
export { FEW_VALUES as at110 } from './waits/waits.ts'
export { BREAKDOWN as at120 } from './breakdown.ts'
export { OVER_TIME as at130 } from './over-time/over-time.ts'
export { RECOVERIES as at140 } from './optional/recoveries.ts'
export { OUTCOMES as at150 } from './outcomes.ts'
export { PEOPLE as at160 } from './optional/people.ts'
export { POLLING as at170 } from './polling.ts'
export { PUSHES as at180 } from './optional/pushes.ts'
export { USAGE as at190 } from './optional/usage.ts'
export { ERRORS as at200 } from './errors.ts'
export { PUSHBACK as at210 } from './pushback.ts'
export { CONTRACT as at220 } from './contract.ts'
export { CHECKS as at230 } from './checks.ts'
export { LEDGER as at240 } from './ledger.ts'
export { STRIPS as at250 } from './strips/strips.ts'
export { EXECUTIONS as at260 } from './executions/executions.ts'
export { TRUST as at270 } from './trust.ts'
export { NUMBERS as at280 } from './numbers.ts'
