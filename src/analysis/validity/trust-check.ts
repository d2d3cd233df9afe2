/**
 * One check of the generator's own health: what it shows, and the reason it gives when it fails.
 */
import type { GeneratorCheck, Reason } from '../document.ts'

export interface TrustCheck {
  check: Omit<GeneratorCheck, 'ok' | 'skipped'>
  state: 'ok' | 'failed' | 'skipped'
  reason: Reason
}
