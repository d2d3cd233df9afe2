/** The report of a search for capacity: the answer, the curve, and the evidence. */
import { formatShare, threeDigits } from '../../../base/units.ts'
import { formatCount, formatMs, formatOptionalMs, plural } from '../../../report/frame/format.ts'
import type { Fact, Report, Section } from '../../../report/frame/report.ts'
import { reasonText } from '../../../report/frame/report.ts'
import { REPLAYS } from '../analyse/confirm/confirm.ts'
import { formatPerHour } from '../analyse/model/system.ts'
import type { VerdictMark } from '../../frame/study.ts'
import {
  headlineOf,
  INCONCLUSIVE,
  INVALID,
  originOf,
  verdictCase,
  reportFiles,
} from '../../frame/study.ts'
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

export function capacityReport(document: CapacityDocument): Report {
  const { verdict, findings, command } = document
  const mark = CAPACITY_VERDICTS[verdict.outcome]
  return {
    title: 'capacity',
    headline: headlineOf(mark, verdict.sentence),
    reasons: verdict.reasons.map(reasonText),
    findings,
    facts: facts(document),
    sections: [
      figure('How long executions take, by rate', curveChart(document)),
      ladder(document),
      recordedRuns(document),
      service(document),
      confirmation(document),
      probes(document),
      method(document),
    ],
    files: reportFiles('capacity'),
    command,
    origin: originOf(document, { engine: document.plan.engine }),
    cases: [verdictCase('capacity', mark, verdict)],
  }
}

function figure(title: string, chart: ReturnType<typeof curveChart>): Section {
  return { title, blocks: chart === null ? [] : [{ kind: 'figure', chart }] }
}

function facts(document: CapacityDocument): Fact[] {
  const { plan, kickoffs, requests, model, saturation } = document
  const all: (Fact | null)[] = [
    { name: 'Promised', text: plan.slo.join(', ') },
    {
      name: 'Cost',
      text:
        plan.engine === 'none'
          ? 'nothing was sent'
          : `${plural(kickoffs, 'kickoff')} of ${formatCount(plan.budget.kickoffs)}, ` +
            plural(requests, 'request'),
    },
    model === null ? null : { name: 'Workers', text: workersWords(document) },
    model === null
      ? null
      : {
          name: 'Service',
          text: `${quantileWords(model.service[0]!.full)} while full, cv ${threeDigits(model.cv)}`,
        },
    saturation === null
      ? null
      : {
          name: 'Saturation',
          text:
            `${formatPerHour(saturation.perHour)} kickoffs per hour ` +
            `(${formatPerHour(saturation.low)} to ${formatPerHour(saturation.high)})`,
        },
    ...limitFacts(document),
  ]
  return all.filter((fact) => fact !== null)
}

function limitFacts(document: CapacityDocument): Fact[] {
  const { limit, sharedPerHour, oneMoreWorker, capacity, plan } = document
  const cap = sharedPerHour
  const facts: (Fact | null)[] = [
    limit === null ? null : { name: 'Limited by', text: LIMITED_BY[limit.kind] },
    cap === null
      ? null
      : {
          name: 'Cap of what is shared',
          text: `${formatPerHour(cap.value)} kickoffs per hour (${formatPerHour(cap.low)} to ${formatPerHour(cap.high)})`,
        },
    oneMoreWorker === null || capacity === null
      ? null
      : {
          name: 'With one more worker',
          text: `at most ${formatPerHour(oneMoreWorker.high)} kickoffs per hour`,
        },
    limit?.kind !== 'workers' || limit.unseenAbovePerHour === null
      ? null
      : {
          name: 'Not seen',
          text:
            `a quota above ${formatPerHour(limit.unseenAbovePerHour)} per hour with a burst of ` +
            `${spanWords('a minute', MS_PER_MINUTE, plan)}, and one of ` +
            spanWords('a day', 24 * 60 * MS_PER_MINUTE, plan),
        },
  ]
  return facts.filter((fact) => fact !== null)
}

const MS_PER_MINUTE = 60_000

/** A time of the crew, which a time-lapse shortens. */
function spanWords(words: string, ms: number, { speed }: CapacityDocument['plan']): string {
  return speed === 1 ? words : formatMs(ms / speed)
}

const LIMITED_BY: Record<NonNullable<CapacityDocument['limit']>['kind'], string> = {
  workers: 'its workers',
  shared: 'something that all executions share',
  both: 'its workers, and something that all executions share',
}

function workersWords({ model, scaling }: CapacityDocument): string {
  if (model === null) return ''
  const { slots, queueLimit, truth } = model
  const known = slots.low === slots.high ? '' : ` (${slots.low} to ${slots.high})`
  const waiting = queueLimit === 0 ? 'none' : formatCount(queueLimit ?? 0)
  const queue = queueLimit === null ? '' : `, ${waiting} may wait`
  const scaled =
    scaling === null
      ? ''
      : `, scaled from ${formatCount(scaling.from)} in ${formatMs(scaling.tookMs)}`
  return `${formatCount(slots.value)}${known}${scaled}${queue}; ${TRUTHS[truth]}`
}

const TRUTHS: Record<NonNullable<CapacityDocument['model']>['truth'], string> = {
  ledger: 'starts and ends by the ledger',
  reported: 'starts by the times that the crew reports, ends between two polls',
  polls: 'ends between two polls, starts by the order of arrival',
  mixed: 'starts and ends by several sources',
}

function quantileWords({ mean, p50, p95 }: Quantiles): string {
  return `${formatMs(mean)} on average, p50 ${formatMs(p50)}, p95 ${formatMs(p95)}`
}

function ladder(document: CapacityDocument): Section {
  const chart = ladderChart(document)
  const rows = document.ladder.map((rung) => [
    formatCount(rung.clients),
    formatCount(rung.executions),
    formatPerHour(rung.perHour),
    formatCount(rung.running),
    formatCount(rung.waited),
    formatOptionalMs(rung.stay?.mean),
    rung.littleResidual === null ? '' : formatShare(Number(rung.littleResidual.toFixed(4))),
    formatCount(rung.failed),
    formatCount(rung.refused),
    formatOptionalMs(rung.kickoffMs),
    formatOptionalMs(rung.pollMs),
  ])
  const number = 'number' as const
  return {
    title: 'The ladder',
    blocks: [
      ...(chart === null ? [] : [{ kind: 'figure' as const, chart }]),
      {
        kind: 'table',
        columns: [
          { title: 'clients', kind: number },
          { title: 'executions', kind: number, on: ['page', 'markdown'] },
          { title: 'ended/h', kind: number },
          { title: 'running', kind: number },
          { title: 'waited', kind: number },
          { title: 'in the crew', kind: number },
          { title: 'Little', kind: number, on: ['page', 'markdown'] },
          { title: 'failed', kind: number },
          { title: 'refused', kind: number },
          { title: 'kickoff', kind: number, on: ['page', 'markdown'] },
          { title: 'poll', kind: number, on: ['page', 'markdown'] },
        ],
        rows,
        empty: null,
      },
    ],
  }
}

/** Empty if there are no past runs. */
function recordedRuns({ recorded }: CapacityDocument): Section {
  if (recorded.length === 0) return { title: RECORDED, blocks: [] }
  const number = 'number' as const
  return {
    title: RECORDED,
    blocks: [
      {
        kind: 'table',
        columns: [
          { title: 'run' },
          { title: 'of', on: ['page', 'markdown'] },
          { title: 'executions', kind: number },
          { title: 'arrivals/h', kind: number },
          { title: 'running', kind: number },
          { title: 'waited', kind: number },
        ],
        rows: recorded.map(({ run, executions, perHour, running, waited, ...each }) => [
          run,
          each.profile ?? each.target,
          formatCount(executions),
          perHour === null ? 'closed' : formatPerHour(perHour),
          // This is an upper bound, because ends that lie between two polls make executions overlap
          // that did not.
          `${each.truth === 'ledger' ? '' : 'up to '}${formatCount(running)}`,
          formatCount(waited),
        ]),
        empty: null,
      },
    ],
  }
}

const RECORDED = 'Recorded runs that count as evidence'

function service(document: CapacityDocument): Section {
  const chart = serviceChart(document)
  const rows = (document.model?.service ?? []).flatMap(({ task, full, idle }) => {
    const first = cells(task ?? 'whole execution', 'full', full)
    return idle === null ? [first] : [first, cells('', 'half empty', idle)]
  })
  const number = 'number' as const
  return {
    title: 'Service times',
    blocks: [
      ...(chart === null ? [] : [{ kind: 'figure' as const, chart }]),
      {
        kind: 'table',
        columns: [
          { title: 'task' },
          { title: 'crew' },
          { title: 'executions', kind: number },
          { title: 'mean', kind: number },
          { title: 'p50', kind: number },
          { title: 'p95', kind: number },
        ],
        rows,
        empty: null,
      },
    ],
  }
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
  const { confirmation: told, verdict } = document
  if (told === null) return { title: 'Confirmed on the crew', blocks: [] }
  const { run } = told
  const load =
    `were a load of ${formatShare(Number(told.load.toFixed(3)))} of what the workers can ` +
    `finish. The same arrivals were replayed ${REPLAYS} times in the simulation.`
  const arrivals = plural(told.executions, 'arrival')
  const chart = waitsChart(document)
  const number = 'number' as const
  return {
    title: confirmationTitle(verdict.outcome === 'refused', run === null),
    blocks: [
      {
        kind: 'prose',
        text:
          run === null
            ? `${arrivals} at random at ${formatPerHour(told.perHour)} per hour ${load}`
            : `${arrivals} of ${run}, at ${formatPerHour(told.perHour)} per hour on average, ` +
              `${load} The model was learned from the runs themselves, so this tests the queue ` +
              'for workers more than the service times.',
      },
      ...(chart === null ? [] : [{ kind: 'figure' as const, chart }]),
      {
        kind: 'table',
        columns: [
          { title: 'quantity' },
          { title: 'observed', kind: number },
          { title: 'predicted', kind: number },
          { title: 'from', kind: number },
          { title: 'to', kind: number },
          { title: 'result' },
        ],
        rows: told.parts.map(({ name, observed, predicted, low, high, agrees }) => [
          PARTS[name],
          formatMs(observed),
          formatMs(predicted),
          formatMs(low),
          formatMs(high),
          { text: agrees ? 'agrees' : 'DISAGREES', tone: agrees ? 'good' : 'bad' } as const,
        ]),
        empty: null,
      },
    ],
  }
}

/** A model may be refused for what stands in front of the crew although each part agrees. */
function confirmationTitle(isRefused: boolean, isSent: boolean): string {
  if (isRefused) return isSent ? 'Compared with the crew' : 'Compared with a recorded run'
  return isSent ? 'Confirmed on the crew' : 'Confirmed by a recorded run'
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
  const number = 'number' as const
  return {
    title,
    blocks: [
      {
        kind: 'prose',
        text:
          verdict.outcome === 'fails'
            ? 'Random arrivals, so rare that executions hardly meet each other, show whether ' +
              'an execution that is alone keeps the promises (intervals of 98 %).'
            : 'No simulation describes this crew. Random arrivals at other rates show which ' +
              'rates it surely held, and which it surely did not (intervals of 98 %).',
      },
      {
        kind: 'table',
        columns: [
          { title: 'kickoffs/h', kind: number },
          { title: 'executions', kind: number },
          { title: 'load', kind: number },
          { title: 'the promises' },
        ],
        rows: tried
          .toSorted((a, b) => a.perHour - b.perHour)
          .map(({ perHour, executions, load, judgement }) => [
            formatPerHour(perHour),
            formatCount(executions),
            load === null ? '' : formatShare(Number(load.toFixed(3))),
            JUDGED[judgement],
          ]),
        empty: null,
      },
    ],
  }
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
      'recorded runs while executions waited; service times count if every worker was busy.'
  const unfilled = isSent
    ? 'A ladder of clients was applied to the crew, and none of its executions had to wait for ' +
      'a worker.'
    : 'Nothing was sent, and the recorded runs did not fill the crew.'
  const solved =
    'The rate at which the first promise breaks was then found in a simulation of these workers ' +
    'and service times, with the polling and the deadline of the scenario: a million executions ' +
    'at each rate. The interval of 98 % comes from 40 crews whose service times were resampled.'
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
  return { title: 'How it was found', blocks: [{ kind: 'prose', on: ['page'], text }] }
}
