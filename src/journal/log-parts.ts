/**
 * The lines of a container's log as the program wrote them: what a runtime cut into parts, for
 * Kubernetes at 16 KiB, is joined again.
 */

/**
 * `2026-11-21T12:00:00.123456789Z stdout F text`: the log format of Kubernetes' runtimes; P marks a
 * part that goes on, F the last.
 */
const CRI =
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d) (stdout|stderr) ([PF])(?::\S*)? /
const CRI_LENGTH_AT_MOST = 100

/**
 * `{"log":"text\n","stream":"stdout","time":"..."}`: Docker's; a text without its line end goes on.
 */
const DOCKER = '{"log":"'

/** A line longer than this is no line of ours: it is given up. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024

/** Bytes, not text, are joined: a cut may fall within a character. */
export class LogParts {
  readonly #parts = new Map<string, { bytes: Buffer[]; length: number }>()

  /** The lines that this line of the log, given without its line end, completes. */
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

  /** What has begun and never came to its end. */
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
