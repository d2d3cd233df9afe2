/**
 * Samples that take long to make, made once for all test files: a process loads its modules anew for
 * each of them.
 */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { TestProject } from 'vitest/node'

/** Names the folder of the samples, in the environment of all tests. */
const SAMPLES = 'CREWLOAD_TEST_SAMPLES'

/** Samples are of the program that is tested: those of another run of the tests are not read. */
export default function openSamples(project: TestProject): () => void {
  let folder = openFolder()
  const close = (): void => rmSync(folder, { recursive: true, force: true })
  project.onTestsRerun(() => {
    close()
    folder = openFolder()
  })
  return close
}

function openFolder(): string {
  return (process.env[SAMPLES] = mkdtempSync(join(tmpdir(), 'crewload-samples-')))
}

/**
 * Makes a sample, unless a file has made it before; gives a copy of its own to each who asks. A
 * bench, which runs without a folder of samples, makes it anew.
 */
export async function madeOnce<Sample>(
  name: string,
  make: () => Sample | Promise<Sample>,
): Promise<() => Sample> {
  const folder = process.env[SAMPLES]
  const bytes =
    folder === undefined ? serialize(await make()) : await storedIn(join(folder, name), make)
  return () => deserialize(bytes) as Sample
}

async function storedIn(file: string, make: () => unknown): Promise<Buffer> {
  if (!existsSync(file)) {
    const own = `${file}.${process.pid}`
    writeFileSync(own, serialize(await make()))
    renameSync(own, file)
  }
  return readFileSync(file)
}
