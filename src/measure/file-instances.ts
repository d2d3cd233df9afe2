/** Where to look for what a merge misses: in which file, and in the log of which Job. */
import { instanceNames } from '../analysis/validity/instance-names.ts'

/** One file of a merge. */
export interface FileOfRun {
  path: string
  /** Those whose first line it holds. */
  instances: readonly number[]
}

interface Merged {
  files: readonly FileOfRun[]
  /** Instances of the run. */
  of: number
  /** Instances with a beginning and no end. */
  unfinished: readonly number[]
}

/** Sentences told; a run may have thousands of pods. */
const MOST_TOLD = 20

/**
 * A sentence for each file without a journal or whose instances did not finish, and for each Job
 * that no file is of; none where all is there. Instances are numbered from 0 and k6-operator's Jobs
 * from 1. k6 deals the VUs out to equal segments in turn: of four Jobs the second has the instances
 * 1, 5 and 9.
 */
export function troubledPlaces({ files, of, unfinished }: Merged): string[] {
  const jobs = jobsOf(files, of)
  const jobWords = (instance: number): string =>
    jobs === null ? '' : ` (the Job whose name ends in -${(instance % jobs) + 1})`
  const troubles = files.flatMap(({ path, instances }): string[] => {
    const cut = instances.filter((instance) => unfinished.includes(instance))
    if (instances.length === 0) return [`${path} holds the beginning of no journal`]
    if (cut.length === 0) return []
    return [`${path} ends too early: ${instanceNames(cut, of)}${jobWords(cut[0]!)}`]
  })
  const groups = grouped(missingOf(files, of), jobs ?? 1)
  const missing = groups.map(
    (group) => `no file holds ${instanceNames(group, of)}${jobWords(group[0]!)}`,
  )
  const all = [...troubles, ...missing]
  const more = all.length - MOST_TOLD
  return more <= 0 ? all : [...all.slice(0, MOST_TOLD), `${more} more are not listed`]
}

/**
 * How many Jobs there are, which each have as many instances as the fullest file; null where the
 * files do not look like theirs.
 */
function jobsOf(files: readonly FileOfRun[], of: number): number | null {
  const jobs = of / Math.max(1, ...files.map(({ instances }) => instances.length))
  const isTheirs = files.every(({ instances }) =>
    instances.every((instance) => instance % jobs === instances[0]! % jobs),
  )
  return Number.isInteger(jobs) && jobs > 1 && isTheirs ? jobs : null
}

function missingOf(files: readonly FileOfRun[], of: number): number[] {
  const known = new Set(files.flatMap(({ instances }) => instances))
  return Array.from({ length: of }, (_, instance) => instance).filter((each) => !known.has(each))
}

function grouped(instances: readonly number[], jobs: number): number[][] {
  const byJob = new Map<number, number[]>()
  for (const instance of instances) {
    const others = byJob.get(instance % jobs) ?? []
    if (others.length === 0) byJob.set(instance % jobs, others)
    others.push(instance)
  }
  return [...byJob.values()]
}
