/** The text below the flags of `--help`, broken into lines that fit a terminal. */
import { wrap } from '../base/wrap.ts'

const WIDTH = 80

/**
 * Consecutive lines that are not indented form one paragraph, which is wrapped again; an indented
 * line (a command to copy, a row of a table) stays as it is.
 */
export function helpText(text: string): string {
  const broken = text
    .split(/^((?:[ \t].*)?\n)/m)
    .map((part) => (/^\s/.test(part) ? part : paragraph(part)))
    .join('')
  return text.endsWith('\n') ? broken : broken.trimEnd()
}

/** Ends with a line break. */
function paragraph(text: string): string {
  const joined = text.trim().replaceAll('\n', ' ')
  return joined === '' ? '' : `${wrap(joined, WIDTH, '', '').join('\n')}\n`
}
