/** Fake crews whose limits are known, for the study that has to find them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A profile file with these rules, in flow style, below `limits`. */
export async function profileWith(folder: string, ...rules: readonly string[]): Promise<string> {
  return profileTelling(folder, 'none', ...rules)
}

/** The same, whose answers tell of its limits in this dialect of headers. */
export async function profileTelling(
  folder: string,
  headers: string,
  ...rules: readonly string[]
): Promise<string> {
  const file = join(folder, 'limited.yaml')
  const lines = rules.map((rule) => `    - ${rule}\n`).join('')
  const limits = rules.length === 0 ? '' : `limits:\n  headers: ${headers}\n  rules:\n${lines}`
  await writeFile(
    file,
    `tasks:\n  - { id: work, agent: Worker, duration: 20s, output: 100B }\n${limits}`,
  )
  return file
}
