/** A stream of the process as an output of the command line. */
import type { Output } from './io.ts'

/** Assumed when an output does not report its width. */
const WIDTH_UNKNOWN = 80

type Stream = Pick<NodeJS.WriteStream, 'columns' | 'isTTY' | 'write'>

export function outputOf(stream: Stream): Output {
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY,
    get width() {
      return widthOf(stream)
    },
  }
}

/** A pseudo-terminal whose size was never set reports 0. */
function widthOf({ columns }: Stream): number {
  return columns === undefined || columns === 0 ? WIDTH_UNKNOWN : columns
}
