/** Reads a file of lines many at once, and decompresses it if it is a gzip file. */
import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'

/** A longer line cannot be ours: it is skipped without being buffered. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024
const NEWLINE = 0x0a

/** A text that is no line of ours, in place of one that is too long. */
const OVERLONG = Buffer.from('overlong')

/** Whole lines, many at once, without the end of the last one. Rejects as reading does. */
export async function* blocksOf(path: string): AsyncGenerator<Buffer> {
  /** The parts of a line whose end was not read yet. */
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of await bytesOf(path)) {
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

/**
 * As `blocksOf`, but each block lies in the memory of the one before, which costs a third as much:
 * take nothing out of a block that is not copied. Rejects as reading does.
 */
export async function* passingBlocksOf(path: string): AsyncGenerator<Buffer> {
  if (await isGzip(path)) {
    yield* blocksOf(path)
    return
  }
  const file = await open(path)
  try {
    yield* passingBlocksIn(file)
  } finally {
    await file.close()
  }
}

/** What becomes of it should be garbage before much else is read. */
const PASSING_BYTES = 128 * 1024

async function* passingBlocksIn(file: FileHandle): AsyncGenerator<Buffer> {
  let room = Buffer.allocUnsafe(PASSING_BYTES)
  /** The number of bytes kept of a line whose end was not read yet. */
  let begun = 0
  for (;;) {
    const { bytesRead } = await file.read(room, begun, room.length - begun, null)
    if (bytesRead === 0) break
    const end = begun + bytesRead
    const last = room.subarray(begun, end).lastIndexOf(NEWLINE)
    if (last === -1) {
      begun = end > LONGEST_LINE_BYTES ? OVERLONG.copy(room) : end
    } else {
      yield room.subarray(0, begun + last)
      room.copyWithin(0, begun + last + 1, end)
      begun = end - (begun + last + 1)
    }
    if (begun > room.length / 2) room = Buffer.concat([room], room.length * 2)
  }
  if (begun > 0) yield room.subarray(0, begun)
}

/** Each read passes through another thread, which costs as much as some 100 kB of lines. */
const READ_BYTES = 256 * 1024
const GZIP = Buffer.from([0x1f, 0x8b])

/** Decompresses a gzip file, the form in which log stores export them. */
export async function bytesOf(path: string): Promise<AsyncIterable<Buffer>> {
  const isCompressed = await isGzip(path)
  const stream = createReadStream(path, { highWaterMark: READ_BYTES })
  if (!isCompressed) return stream
  const plain = createGunzip()
  stream.on('error', (error) => plain.destroy(error))
  return stream.pipe(plain)
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0)
    return bytesRead === GZIP.length && buffer.equals(GZIP)
  } finally {
    await file.close()
  }
}
