/** The saturate room: the closed-loop ceiling of one endpoint, by autocannon. */
export type { Climb } from './climb.ts'
export { climbLadder } from './climb.ts'
export { FEWEST_REQUESTS_PER_CONNECTION, LADDER_HELP, parseLadder } from './ladder.ts'
export type { SaturatingRequest } from './rung.ts'
