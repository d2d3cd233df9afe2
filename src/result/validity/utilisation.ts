/** Whether the generator's event loop was busy for a long time: judged in each instance. */
import type { FinishedLine } from '../../execution/record/journal-lines.ts'
import { formatShare } from '../../base/units.ts'
import { formatCount } from '../metrics/format.ts'
import { instanceNames, instancesOf } from './instance-names.ts'
import type { Observations } from '../observations.ts'
import type { PlanDocument } from '../../scenario/plan.schema.ts'
import type { TrustCheck } from './trust-check.ts'

interface Loop {
  instance: number
  /** Highest utilisation held for five seconds, 0 to 1. */
  share: number
}

export function checkUtilisation(
  { finished, runs }: Observations,
  { validity }: Pick<PlanDocument, 'validity'>,
): TrustCheck {
  const of = instancesOf(runs)
  const loops = finished.flatMap(loopOf)
  const highest = highestOf(loops)
  const busy = loops.filter(({ share }) => share > validity.utilisation)
  const bound = formatShare(validity.utilisation)
  return {
    check: {
      name: 'utilisation',
      measured: highest === null ? unknown(finished) : measured(highest, busy.length, of),
      bound,
      meaning:
        'highest event-loop utilisation held for five seconds: near 100 % the generator ' +
        'measures itself',
    },
    state: highest === null ? 'skipped' : busy.length === 0 ? 'ok' : 'failed',
    reason: {
      code: 'utilisation',
      message:
        `${accused(busy, of)} busy: event loop at ${formatShare(highest?.share ?? 0)} ` +
        `for five seconds, bound ${bound}`,
      remedy: 'lower the rate, poll less often, or distribute the load over several instances',
    },
  }
}

function loopOf({ instance, host }: FinishedLine): Loop[] {
  return host.utilisationSustained === null ? [] : [{ instance, share: host.utilisationSustained }]
}

function highestOf(loops: readonly Loop[]): Loop | null {
  return loops.reduce<Loop | null>(
    (most, loop) => (most === null || loop.share > most.share ? loop : most),
    null,
  )
}

function unknown(finished: readonly FinishedLine[]): string {
  const short = finished.some(({ host }) => host.utilisationMean !== null)
  return short ? 'unknown: the run was shorter than five seconds' : 'not known on this host'
}

/**
 * Formats the measured utilisation: `20.0 %`; with several instances,
 * `91.0 % in instance 3, the highest of 10; 2 over the bound`.
 */
function measured({ instance, share }: Loop, busy: number, of: number): string {
  if (of === 1) return formatShare(share)
  const count = busy === 0 ? '' : `; ${formatCount(busy)} over the bound`
  return `${formatShare(share)} in instance ${instance}, the highest of ${formatCount(of)}${count}`
}

function accused(busy: readonly Loop[], of: number): string {
  if (of === 1 || busy.length === 0) return 'the generator was'
  const names = instanceNames(
    busy.map(({ instance }) => instance),
    of,
  )
  return `${names} ${busy.length === 1 ? 'was' : 'were'}`
}
