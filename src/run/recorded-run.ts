/** A run that its body carries: each line recorded, then the result and its reports. */
import { versions } from 'node:process'
import type { ResultDocument } from '../result/document.ts'
import type { FindingLine } from '../execution/record/journal-lines.ts'
import type { Abandoned, Body } from './body.ts'
import { machineOf } from './environment/machine.ts'
import { proxyWords } from './target/place-facts.ts'
import type { RunFolder } from './folder/folder.ts'
import { LineSink } from './line-sink.ts'
import type { RunOptions } from './options.ts'
import { engineOf } from './options.ts'
import { tryReports } from './reports.ts'
import type { Telemetry } from '../host/telemetry/open.ts'

export interface RunOutcome {
  document: ResultDocument
  /** The folder in which everything was written; null when nothing was. */
  folder: string | null
  /**
   * Executions that were still running on the target when the run gave them up: each may continue
   * to cost money.
   */
  abandoned: readonly Abandoned[]
  /**
   * Why the reports could not be written completely (a full disk, a missing folder); null when they
   * were.
   */
  unwritten: string | null
}

/** Throws what the body throws; what it opened, the caller closes. */
export async function carried(
  body: Body,
  folder: RunFolder | null,
  options: RunOptions,
  telemetry: Telemetry | null,
): Promise<RunOutcome> {
  const lineSink = new LineSink(folder, {
    telemetry,
    claims: body.hasLedger,
    repeatable: engineOf(options).kind === 'virtual',
    onTrouble: options.onTrouble,
  })
  try {
    const { ledger, abandoned } = await body.carry(lineSink)
    for (const lost of (await telemetry?.close()) ?? []) lineSink.keep(lostLine(lost))
    const document = lineSink.recorder.document({
      profile: body.profile,
      command: options.command ?? null,
      node: versions.node,
      machine: machineOf(options),
      proxy: proxyWords(options),
      costPerKickoff: options.costPerKickoff ?? null,
      unreadableLines: lineSink.unreadableLines,
      ledger,
    })
    const reported =
      folder === null
        ? { document, unwritten: null }
        : await tryReports(folder.path, document, ledger)
    // A fake crew that was started for the run has ended with it, so nothing is left running on it.
    const left = options.profile === undefined ? abandoned : []
    return { ...reported, folder: folder?.path ?? null, abandoned: left }
  } finally {
    await telemetry?.close()
    lineSink.close()
  }
}

/** It belongs to the run, rather than to an instance or a moment. */
function lostLine(what: string): FindingLine {
  const finding = { kind: 'note', note: { code: 'telemetry-lost', what } } as const
  return { type: 'finding', instance: 0, atMicros: 0, index: null, finding }
}
