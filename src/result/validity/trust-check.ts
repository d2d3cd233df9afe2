/** One check of the generator's own health: its value, and the reason if it fails. */
import type { GeneratorCheck } from '../document.ts'
import type { RunReason } from '../findings-and-reasons.ts'

export interface TrustCheck {
  check: Omit<GeneratorCheck, 'ok' | 'skipped'>
  state: 'ok' | 'failed' | 'skipped'
  reason: RunReason
}
