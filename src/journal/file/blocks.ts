/** Reads a file of lines many at once, and decompresses it if it is a gzip file. */
import type { FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { openExisting, unreadable } from './regular.ts'

/** A longer line cannot be ours: it is skipped without being buffered. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024
const NEWLINE = 0x0a

/** A text that is no line of ours, in place of one that is too long. */
const OVERLONG = Buffer.from('overlong')

/**
 * Whole lines, many at once, without the end of the last one. Rejects with a UserError that names
 * the file.
 */
export async function* blocksOf(path: string): AsyncGenerator<Buffer> {
  const file = await openExisting(path)
  try {
    yield* blocksIn(file)
  } catch (error) {
    throw unreadable(path, error)
  }
}

/** As `blocksOf`, of a file that it closes; rejects as reading does. */
export async function* blocksIn(file: FileHandle): AsyncGenerator<Buffer> {
  /** The parts of a line whose end was not read yet. */
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of await streamOf(file)) {
    const first = chunk.indexOf(NEWLINE)
    const isOverlong = length + (first === -1 ? chunk.length : first) > LONGEST_LINE_BYTES
    if (isOverlong) parts = [OVERLONG]
    if (first === -1) {
      if (!isOverlong) parts.push(chunk)
      length += chunk.length
      continue
    }
    const last = chunk.lastIndexOf(NEWLINE)
    parts.push(chunk.subarray(isOverlong ? first : 0, last))
    yield parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    parts = [chunk.subarray(last + 1)]
    length = chunk.length - last - 1
  }
  if (length > 0) yield Buffer.concat(parts)
}

/** The lines of a block, without line ends. */
export function* linesIn(block: Buffer): Generator<Buffer> {
  for (let from = 0; from <= block.length;) {
    const newline = block.indexOf(NEWLINE, from)
    const end = newline === -1 ? block.length : newline
    yield block.subarray(from, end)
    from = end + 1
  }
}

/** Each read passes through another thread, which costs as much as some 100 kB of lines. */
const READ_BYTES = 256 * 1024
const GZIP = Buffer.from([0x1f, 0x8b])

/**
 * Decompresses a gzip file, the form in which log stores export them. Rejects with a UserError that
 * names the file when it cannot be opened.
 */
export async function bytesOf(path: string): Promise<AsyncIterable<Buffer>> {
  return streamOf(await openExisting(path))
}

async function streamOf(file: FileHandle): Promise<AsyncIterable<Buffer>> {
  const isCompressed = await isGzip(file)
  const stream = file.createReadStream({ highWaterMark: READ_BYTES })
  if (!isCompressed) return stream
  // Rejections reach the reader as the stream's error.
  return pipeline(stream, createGunzip(), () => {})
}

async function isGzip(file: FileHandle): Promise<boolean> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0)
  return bytesRead === GZIP.length && buffer.equals(GZIP)
}
