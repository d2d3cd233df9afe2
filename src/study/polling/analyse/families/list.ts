/** Every family that is tried, a line each. */
import { exponential } from './exponential.ts'
import { fixed } from './fixed.ts'
import { hazard } from './hazard.ts'
import { initialDelay } from './initial-delay.ts'
import { progress } from './progress.ts'
import { shares } from './shares.ts'

export const FAMILIES = {
  fixed,
  'initial-delay': initialDelay,
  schedule: shares,
  exponential,
  progress,
  hazard,
} as const

export type FamilyName = keyof typeof FAMILIES
