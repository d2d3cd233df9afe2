/** Numbers that a study checks with everything else; what is no number is shown as written. */
import { UserError } from '../../base/mistakes.ts'

/** NaN for what is no number. */
export function numberIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return text.trim() === '' ? Number.NaN : Number(text)
}

/** `written`: the text of each flag that was given. Mistakes of these show it as what was found. */
export async function asWritten<T>(
  work: Promise<T>,
  written: Readonly<Record<string, string | undefined>>,
): Promise<T> {
  return work.catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error
    // Any other error stays as it is: its class may mean another exit code.
    if (error.mistakes.every(({ source }) => written[source] === undefined)) throw error
    throw new UserError(
      error.mistakes.map((mistake) => {
        const text = written[mistake.source]
        if (text === undefined || mistake.found === undefined) return mistake
        return { ...mistake, found: JSON.stringify(text) }
      }),
      { cause: error.cause },
    )
  })
}
