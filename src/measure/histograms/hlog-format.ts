/**
 * Histogram logs, format 1.3 with tags (HdrHistogram's `.hlog`): one line per interval histogram.
 */
const MS_PER_SECOND = 1_000

export interface HlogEntry {
  tag: string
  /** Seconds since the log's start time. */
  startSeconds: number
  lengthSeconds: number
  /** The interval's highest value in milliseconds. */
  maxMs: number
  /** V2 compressed base64, values in microseconds. */
  base64: string
}

const FORMAT_LINE = '#[Histogram log format version 1.3]'
const LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'

/** `startedAtUnixMs` is in Unix milliseconds. */
export function writeHlog(startedAtUnixMs: number, entries: readonly HlogEntry[]): string {
  const started = new Date(startedAtUnixMs).toISOString()
  const startSeconds = (startedAtUnixMs / MS_PER_SECOND).toFixed(3)
  const lines = [
    '#[Logged by crewload; values in microseconds, Interval_Max in milliseconds]',
    FORMAT_LINE,
    `#[StartTime: ${startSeconds} (seconds since epoch), ${started}]`,
    LEGEND,
    ...entries.map(formatEntry),
  ]
  return `${lines.join('\n')}\n`
}

/** A tag ends at the first comma and must not contain a space. */
function formatEntry({ tag, startSeconds, lengthSeconds, maxMs, base64 }: HlogEntry): string {
  const name = tag.replaceAll(/[\s,]+/g, '_')
  const numbers = [startSeconds, lengthSeconds, maxMs].map((value) => value.toFixed(3))
  return [`Tag=${name}`, ...numbers, base64].join(',')
}
