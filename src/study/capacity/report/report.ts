/** The report of a search for capacity: the answer, the curve, and the evidence. */
import type { ValueInInterval } from '../../../base/numbers.ts'
import { crewText } from '../../../report/frame/place-text.ts'
import { crewAt } from '../../../execution/record/crew-place.ts'
import { TIMES_BY_WORDS } from '../../frame/executions/reader.ts'
import {
  formatCount,
  formatEstimate,
  formatMs,
  formatOptionalMs,
  formatShare,
  plural,
  threeDigits,
  toDecimals,
  NOTHING,
} from '../../../base/numbers.ts'
import type { Fact, Section } from '../../../report/frame/report.ts'
import { figures, knownFacts, methodSection } from '../../../report/frame/report.ts'
import type { Table } from '../../../report/text/table.ts'
import { columnsOf, tableOf } from '../../../report/text/table.ts'
import { REPLAYS } from '../analyse/confirm/confirm.ts'
import { formatPerHour } from '../analyse/model/system.ts'
import type { ReportBody, VerdictMark } from '../../frame/study.ts'
import { INCONCLUSIVE, INVALID, originOf } from '../../frame/study.ts'
import type { CapacityDocument, Quantiles } from '../document.ts'
import { curveChart, serviceChart, waitsChart, ladderChart } from './charts.ts'

export const CAPACITY_VERDICTS: Record<CapacityDocument['verdict']['outcome'], VerdictMark> = {
  answered: { word: 'ANSWERED', sign: '✓', tone: 'good', exit: 'passed' },
  below: { word: 'TOO LOW', sign: '✗', tone: 'bad', exit: 'failed' },
  fails: { word: 'FAILS ALONE', sign: '✗', tone: 'bad', exit: 'failed' },
  unlimited: { word: 'NO LIMIT REACHED', sign: '?', tone: 'doubt', exit: 'inconclusive' },
  refused: { word: 'MODEL REFUSED', sign: '?', tone: 'doubt', exit: 'inconclusive' },
  unresolved: INCONCLUSIVE,
  unconfirmed: { word: 'NOT CONFIRMED', sign: '?', tone: 'doubt', exit: 'inconclusive' },
  invalid: INVALID,
}

export function capacityBody(document: CapacityDocument): ReportBody {
  return {
    facts: factsOf(document),
    sections: [
      { title: 'How long executions take, by rate', blocks: figures(curveChart(document)) },
      ladder(document),
      recordedRuns(document),
      service(document),
      confirmation(document),
      probes(document),
      method(document),
    ],
    origin: originOf(document, { engine: document.plan.engine }),
  }
}

/** Not on a terminal, which is too narrow for all columns. */
function roomyNumber(title: string): Table['columns'][number] {
  return { title, kind: 'number', on: ['page', 'markdown'] }
}

function factsOf(document: CapacityDocument): Fact[] {
  const { plan, kickoffs, requests, model, saturation } = document
  const { limit, sharedPerHour, oneMoreWorker, capacity } = document
  const cost = `${plural(kickoffs, 'kickoff')} of ${formatCount(plan.budget.kickoffs)}`
  return knownFacts(
    ['Promised', plan.slo.join(', ')],
    [
      'Cost',
      plan.engine === 'none' ? 'nothing was sent' : `${cost}, ${plural(requests, 'request')}`,
    ],
    ['Workers', workersWords(document)],
    [
      'Service',
      model && `${quantileWords(model.service[0]!.full)} while full, cv ${threeDigits(model.cv)}`,
    ],
    ['Saturation', saturation && rateWords({ ...saturation, value: saturation.perHour })],
    ['Limited by', limit && LIMITED_BY[limit.kind]],
    ['Cap of what is shared', sharedPerHour && rateWords(sharedPerHour)],
    [
      'Limit with one more worker',
      oneMoreWorker &&
        capacity &&
        `at most ${formatPerHour(oneMoreWorker.high)} kickoffs per hour, not ` +
          formatPerHour(capacity.perHour),
    ],
    ['Not seen', unseenWords(document)],
  )
}

function rateWords(rate: ValueInInterval): string {
  return `${formatEstimate(rate, formatPerHour)} kickoffs per hour`
}

const MS_PER_MINUTE = 60_000

/** The quotas that the search could not have shown. */
function unseenWords({ limit, plan: { speed } }: CapacityDocument): string | null {
  if (limit?.kind !== 'workers' || limit.unseenAbovePerHour === null) return null
  // A time-lapse shortens the times of the crew.
  const span = (name: string, minutes: number): string =>
    speed === 1 ? name : formatMs((minutes * MS_PER_MINUTE) / speed)
  return (
    `a quota above ${formatPerHour(limit.unseenAbovePerHour)} per hour with a burst of ` +
    `${span('a minute', 1)}, and one of ${span('a day', 24 * 60)}`
  )
}

const LIMITED_BY: Record<NonNullable<CapacityDocument['limit']>['kind'], string> = {
  workers: 'its workers',
  shared: 'something that all executions share',
  both: 'its workers, and something that all executions share',
}

function workersWords({ model, scaling }: CapacityDocument): string | null {
  if (model === null) return null
  const { slots, queueLimit, truth } = model
  const waiting = queueLimit === 0 ? 'none' : formatCount(queueLimit ?? 0)
  const queue = queueLimit === null ? '' : `, ${waiting} may wait`
  const scaled =
    scaling === null
      ? ''
      : `, scaled from ${formatCount(scaling.from)} in ${formatMs(scaling.tookMs)}`
  return `${formatEstimate(slots, 'count')}${scaled}${queue}; ${TIMES_BY_WORDS[truth]}`
}

function quantileWords({ mean, p50, p95 }: Quantiles): string {
  return `${formatMs(mean)} on average, p50 ${formatMs(p50)}, p95 ${formatMs(p95)}`
}

function ladder(document: CapacityDocument): Section {
  const columns = [
    ...columnsOf([], ['clients']),
    roomyNumber('executions'),
    ...columnsOf([], ['ended/h', 'running', 'waited', 'in the crew']),
    roomyNumber('Little'),
    ...columnsOf([], ['failed', 'refused']),
    roomyNumber('kickoff'),
    roomyNumber('poll'),
  ]
  const rows = document.ladder.map((rung) => [
    formatCount(rung.clients),
    formatCount(rung.executions),
    formatPerHour(rung.perHour),
    formatCount(rung.running),
    formatCount(rung.waited),
    formatOptionalMs(rung.stay?.mean),
    rung.littleResidual === null ? '' : formatShare(toDecimals(rung.littleResidual, 4)),
    formatCount(rung.failed),
    formatCount(rung.refused),
    formatOptionalMs(rung.kickoffMs),
    formatOptionalMs(rung.pollMs),
  ])
  const blocks = [...figures(ladderChart(document)), tableOf(columns, rows)]
  return { title: 'The ladder', blocks }
}

function recordedRuns({ recorded }: CapacityDocument): Section {
  const columns: Table['columns'] = [
    { title: 'run' },
    { title: 'of', on: ['page', 'markdown'] },
    ...columnsOf([], ['executions', 'arrivals/h', 'running', 'waited']),
  ]
  const rows = recorded.map(({ run, executions, perHour, running, waited, ...each }) => [
    run,
    each.place === null ? NOTHING : crewText(crewAt(each.place)),
    formatCount(executions),
    perHour === null ? 'closed' : formatPerHour(perHour),
    // This is an upper bound, because ends that lie between two polls make executions overlap that
    // did not.
    `${each.truth === 'ledger' ? '' : 'up to '}${formatCount(running)}`,
    formatCount(waited),
  ])
  return { title: 'Recorded runs that count as evidence', blocks: [tableOf(columns, rows)] }
}

function service(document: CapacityDocument): Section {
  const rows = (document.model?.service ?? []).flatMap(({ task, full, idle }) => {
    const first = cells(task ?? 'whole execution', 'full', full)
    return idle === null ? [first] : [first, cells('', 'half empty', idle)]
  })
  const columns = columnsOf(['task', 'crew'], ['executions', 'mean', 'p50', 'p95'])
  const blocks = [...figures(serviceChart(document)), tableOf(columns, rows)]
  return { title: 'Service times', blocks }
}

function cells(task: string, crew: string, { n, mean, p50, p95 }: Quantiles): string[] {
  return [task, crew, formatCount(n), formatMs(mean), formatMs(p50), formatMs(p95)]
}

const PARTS = {
  service: 'service time, mean',
  stay: 'time in the crew, mean',
  tail: 'time in the crew, p95',
  order: 'wait, in order of arrival',
} as const

function confirmation(document: CapacityDocument): Section {
  const { confirmation: found, verdict } = document
  if (found === null) return { title: 'Confirmed on the crew', blocks: [] }
  const { run } = found
  const load =
    `came to ${formatShare(toDecimals(found.load, 3))} of what the workers can finish. ` +
    `The same arrivals were replayed ${REPLAYS} times in the simulation.`
  const arrivals = plural(found.executions, 'arrival')
  const rate = `${formatPerHour(found.perHour)} per hour`
  const text =
    run === null
      ? `${arrivals} at random at ${rate} ${load}`
      : `${arrivals} of ${run}, at ${rate} on average, ${load} The model comes from these ` +
        'runs. They test the queue for workers more than the service times.'
  const columns = columnsOf(['quantity'], ['observed', 'predicted', 'from', 'to'], ['result'])
  const rows = found.parts.map(({ name, observed, predicted, low, high, agrees }) => [
    PARTS[name],
    formatMs(observed),
    formatMs(predicted),
    formatMs(low),
    formatMs(high),
    { text: agrees ? 'in range' : 'OUT OF RANGE', tone: agrees ? 'good' : 'bad' } as const,
  ])
  // A model may be refused for what stands in front of the crew although each part agrees.
  const how =
    verdict.outcome === 'refused' ? 'Compared with' : run === null ? 'Confirmed on' : 'Confirmed by'
  return {
    title: `${how} ${run === null ? 'the crew' : 'a recorded run'}`,
    blocks: [{ kind: 'prose', text }, ...figures(waitsChart(document)), tableOf(columns, rows)],
  }
}

const JUDGED = {
  held: { text: 'held', tone: 'good' },
  broken: { text: 'BROKEN', tone: 'bad' },
  unsure: { text: 'cannot tell', tone: 'doubt' },
} as const

/** Empty if the model was not refused. */
function probes({ probes: tried, verdict }: CapacityDocument): Section {
  const title = 'Tried at other rates'
  if (tried.length === 0) return { title, blocks: [] }
  const text =
    verdict.outcome === 'fails'
      ? 'Random arrivals, so rare that executions hardly meet, show whether an execution alone ' +
        'keeps the promises (intervals of 98 %).'
      : 'No simulation describes this crew. Random arrivals show which rates it surely ' +
        'held, and which it surely did not (intervals of 98 %).'
  const rows = tried
    .toSorted((a, b) => a.perHour - b.perHour)
    .map(({ perHour, executions, load, judgement }) => [
      formatPerHour(perHour),
      formatCount(executions),
      load === null ? '' : formatShare(toDecimals(load, 3)),
      JUDGED[judgement],
    ])
  const columns = columnsOf([], ['kickoffs/h', 'executions', 'load'], ['the promises'])
  return { title, blocks: [{ kind: 'prose', text }, tableOf(columns, rows)] }
}

/**
 * Describes only the steps that were taken: a search without a rate has neither solved for one nor
 * confirmed it.
 */
function method({ plan, model, confirmation, capacity }: CapacityDocument): Section {
  const isSent = plan.engine !== 'none'
  const sampled = isSent
    ? 'The crew was filled by a ladder of clients, and its service times were sampled while ' +
      'every worker was busy.'
    : 'Nothing was sent. The number of workers is how many were busy in the ' +
      'recorded runs while executions waited. Service times count if every worker was busy.'
  const unfilled = isSent
    ? 'A ladder of clients was applied to the crew, and none of its executions had to wait for ' +
      'a worker.'
    : 'Nothing was sent, and the recorded runs did not fill the crew.'
  const solved =
    'A simulation of these workers and service times then found the rate at which the first ' +
    'promise breaks. Each rate had a million executions. Polling and deadline came from the ' +
    'scenario. The interval of 98 % comes from 40 crews whose service times were resampled.'
  const compared = isSent
    ? 'Finally, arrivals at that rate were sent to the crew, and their waits compared with ' +
      'the simulated ones.'
    : 'Finally, the arrivals of a recorded run were replayed in the simulation, and their ' +
      'waits compared.'
  const text = [
    model === null ? unfilled : sampled,
    ...((capacity?.perHour ?? 0) > 0 || confirmation !== null ? [solved] : []),
    ...(confirmation === null ? [] : [compared]),
  ].join(' ')
  return methodSection('How it was found', text)
}
