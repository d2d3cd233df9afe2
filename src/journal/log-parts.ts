/**
 * Reassembles the lines of a container's log as the program wrote them: a runtime splits long
 * lines, in Kubernetes at 16 KiB.
 */

/**
 * `2026-11-21T12:00:00.123456789Z stdout F text`: the log format of Kubernetes' runtimes; P marks a
 * partial line, F the last part.
 */
const CRI =
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) (stdout|stderr) ([PF])(?::\S*)? /
const CRI_LENGTH_AT_MOST = 100

/**
 * `{"log":"text\n","stream":"stdout","time":"..."}`: Docker's format; a text without a line end
 * continues.
 */
const DOCKER = '{"log":"'

/** A longer line cannot be ours: it is discarded. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024

/** Parts are joined as bytes, not text: a split may fall within a character. */
export class LogParts {
  readonly #parts = new Map<string, { bytes: Buffer[]; length: number }>()

  /** The lines that this log line, given without its line end, completes. */
  read(line: Buffer): string[] {
    const head = line.toString('latin1', 0, CRI_LENGTH_AT_MOST)
    const cri = CRI.exec(head)
    if (cri !== null)
      return this.#join(`cri ${cri[1]}`, line.subarray(cri[0].length), cri[2] === 'F')
    const docker = head.startsWith(DOCKER) ? dockerEntry(line) : null
    if (docker === null) return [line.toString('utf8')]
    const { log, stream } = docker
    return this.#join(`docker ${stream}`, Buffer.from(log), log.endsWith('\n'))
  }

  /** Lines that were begun but never completed. */
  end(): string[] {
    const rest = [...this.#parts.values()].map(({ bytes }) => Buffer.concat(bytes).toString('utf8'))
    this.#parts.clear()
    return rest
  }

  #join(stream: string, part: Buffer, isLast: boolean): string[] {
    const line = this.#parts.get(stream) ?? { bytes: [], length: 0 }
    line.bytes.push(part)
    line.length += part.length
    this.#parts.set(stream, line)
    if (!isLast && line.length <= LONGEST_LINE_BYTES) return []
    this.#parts.delete(stream)
    return [Buffer.concat(line.bytes).toString('utf8')]
  }
}

function dockerEntry(line: Buffer): { log: string; stream: string } | null {
  try {
    const { log, stream } = JSON.parse(line.toString('utf8')) as Record<string, unknown>
    return typeof log === 'string' ? { log, stream: String(stream) } : null
  } catch {
    return null
  }
}
