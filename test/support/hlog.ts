/** Reads histogram logs back, as any reader of their format would. */
import type { HlogEntry } from '../../src/measure/histograms/hlog-format.ts'

const ENTRY = /^Tag=([^,]+),([\d.]+),([\d.]+),([\d.]+),([A-Za-z0-9+/=]+)$/

/** The entries of a log. Throws for a line that is neither one, a comment, nor the legend. */
export function readHlog(text: string): HlogEntry[] {
  const lines = text.trimEnd().split('\n')
  return lines.filter((line) => !/^[#"]/.test(line)).map(entryOf)
}

function entryOf(line: string): HlogEntry {
  const [, tag, start, length, max, base64] = ENTRY.exec(line) ?? []
  if (tag === undefined || base64 === undefined) throw new Error(`no entry: ${line}`)
  const [startSeconds, lengthSeconds, maxMs] = [Number(start), Number(length), Number(max)]
  return { tag, startSeconds, lengthSeconds, maxMs, base64 }
}
