/** Formats one limiter and its inference as one line, for development. */
import type { ParameterEstimate } from '../../../src/study/limits/document.ts'
import { inverse, truthOf } from './judge.ts'
import type { Row } from './table.ts'

export function lineOf({ drawn, trial, judged }: Row): string {
  const { rateLimit, outcome, requests } = trial.conclusion
  const { limit, windowMs, blockMs } = truthOf(drawn)
  const flags = [
    judged.kindRight ? '   ' : 'BAD',
    judged.limitExact === false ? 'LIM' : '   ',
    judged.claimClose === false ? 'TIM' : judged.timeClose === false ? 'tim' : '   ',
    judged.covered === false ? 'COV' : '   ',
  ]
  const counts = drawn.limit?.rejected === 'counted' ? ' counts refused' : ''
  const times = `${limit} in ${ms(windowMs)}, block ${ms(blockMs)}`
  const truth = `${drawn.seed} ${drawn.kind}${counts} ${times}`
  const found = [
    `${rateLimit.kind} ${rateLimit.probability.toFixed(3)} ${outcome}`,
    text(rateLimit.limit ?? rateLimit.capacity ?? rateLimit.concurrency),
    `in ${text(rateLimit.windowMs ?? inverse(rateLimit.ratePerSecond))}`,
    `block ${text(rateLimit.blockMs)}`,
    `next ${rateLimit.runnerUp?.kind} ${rateLimit.runnerUp?.probability.toPrecision(2)}`,
  ]
  const seconds = (trial.durationMs / 1_000).toFixed(1)
  const cost = `${requests} requests ${seconds} s cpu ${ms(trial.cpuMs)}`
  return `${flags.join(' ')} ${truth} => ${found.join(' ')} (${cost})`
}

function text(estimate: ParameterEstimate | null): string {
  if (estimate === null) return '-'
  return `${ms(estimate.value)} [${ms(estimate.low)}, ${ms(estimate.high)}]`
}

function ms(value: number | null): string {
  return value === null ? '-' : String(Math.round(value))
}
