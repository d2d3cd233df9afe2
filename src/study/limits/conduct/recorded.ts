/** Requests of earlier runs as evidence of limits: nothing is sent. */
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../../base/units.ts'
import type { FindingLine } from '../../../execution/record/journal-lines.ts'
import type { RequestColumns } from '../../../execution/record/record.schema.ts'
import { readJournal } from '../../../journal/reader.ts'
import { readRun } from '../../../run/folder/folder.ts'
import type { Observed } from '../analyse/infer/interface.ts'

/** What the journals of some runs tell of each operation that runs use. */
export interface Recorded {
  /** The target of the runs, if it is the same in all. */
  target: string | null
  status: Observed[]
  kickoff: Observed[]
}

/** In order of time, from the first request on. Throws UserError for a folder that holds no run. */
export async function readRecorded(folders: readonly string[]): Promise<Recorded> {
  const status: Observed[] = []
  const kickoff: Observed[] = []
  const targets = new Set<string>()
  for (const folder of folders) {
    const { journal } = await readRun(folder)
    const anchors = new Map<number, number>()
    for await (const line of readJournal(journal)) {
      if (line.type === 'run') {
        targets.add(line.target)
        anchors.set(line.instance, line.anchorUnixMs)
      }
      if (line.type === 'finding') status.push(...confirmationIn(line, anchors))
      if (line.type !== 'ended') continue
      const { record } = line
      const anchorMs = anchors.get(record.instance) ?? 0
      const beginMs = anchorMs + record.intendedMicros / MICROS_PER_MS
      status.push(...observedIn(record.polls, beginMs))
      kickoff.push(...observedIn(record.kickoff, beginMs))
    }
  }
  const target = targets.size === 1 ? [...targets][0]! : null
  const zeroMs = [...status, ...kickoff].reduce(
    (least, { sentMs }) => Math.min(least, sentMs),
    Infinity,
  )
  return { target, status: inOrder(status, zeroMs), kickoff: inOrder(kickoff, zeroMs) }
}

/** A search for windows keeps boundaries within the recording: 0 may not lie years before it. */
function inOrder(evidence: readonly Observed[], zeroMs: number): Observed[] {
  return evidence
    .map((each) => ({
      ...each,
      sentMs: each.sentMs - zeroMs,
      receivedMs: each.receivedMs - zeroMs,
    }))
    .sort((a, b) => a.sentMs - b.sentMs)
}

/** A poll after the end counts against a limit as any other does. */
function confirmationIn(
  { instance, atMicros, finding }: FindingLine,
  anchors: ReadonlyMap<number, number>,
): Observed[] {
  if (finding.kind !== 'confirmation') return []
  const receivedMs = (anchors.get(instance) ?? 0) + atMicros / MICROS_PER_MS
  const sentMs = receivedMs - finding.serviceMicros / MICROS_PER_MS
  const { answer } = finding
  const status = typeof answer === 'number' ? answer : null
  return [{ sentMs, receivedMs, answer: classOf(answer), status, headers: {} }]
}

/** The requests of a record as evidence; those that were never sent say nothing. */
function observedIn(columns: RequestColumns, beginMs: number): Observed[] {
  const { dueMicros, lateMicros, waitMicros, serviceMicros, answer, asked = [] } = columns
  const waits = new Map(asked.map(({ request, micros }) => [request, micros]))
  return answer.flatMap((one, i): Observed[] => {
    if (serviceMicros[i]! < 0) return []
    const sentMicros = dueMicros[i]! + lateMicros[i]! + waitMicros[i]!
    const sentMs = beginMs + sentMicros / MICROS_PER_MS
    const wait = waits.get(i)
    return [
      {
        sentMs,
        receivedMs: sentMs + serviceMicros[i]! / MICROS_PER_MS,
        answer: classOf(one),
        status: typeof one === 'number' ? one : null,
        headers: wait === undefined ? {} : { 'retry-after': `${wait / MICROS_PER_SECOND}` },
      },
    ]
  })
}

/**
 * Classifies an answer as probes of limits do: an answer of the crew was let in, whatever it says.
 */
function classOf(answer: number | string): Observed['answer'] {
  if (typeof answer === 'string') return 'failed'
  if (answer === 429 || answer === 503 || answer === 529) return 'refused'
  return answer >= 500 || answer === 401 ? 'failed' : 'accepted'
}
