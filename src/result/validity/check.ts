/** One check of the generator, and which of several instances it names. */
import type { GeneratorCheck } from '../document.ts'
import type { RunReason } from '../sentences/reasons.ts'

/** One check of the generator's own health: its value, and the reason if it fails. */
export interface ValidityCheck extends GeneratorCheck {
  reason: RunReason
}

/** What cannot be measured on this host does not fail. */
export function validityCheck(check: GeneratorCheck, reason: RunReason): ValidityCheck {
  const ok = check.measured === null || check.ok
  return { ...check, ok, reason }
}

/** A figure that each instance has of its own. */
export interface InstanceFigure {
  instance: number
  value: number
}

export function worstOf(figures: readonly InstanceFigure[]): InstanceFigure | null {
  return figures.reduce<InstanceFigure | null>(
    (most, each) => (most === null || each.value > most.value ? each : most),
    null,
  )
}

/** Of several instances: whose figure is the worst, and how many are over the bound. */
export function worstIn(
  worst: InstanceFigure | null,
  of: number,
  over: number,
): Pick<GeneratorCheck, 'worst'> {
  return worst === null || of === 1 ? {} : { worst: { instance: worst.instance, of, over } }
}
