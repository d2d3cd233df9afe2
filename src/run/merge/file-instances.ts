/**
 * Says where to look for the instances that a merge misses: in which file, and in the log of which
 * Job.
 */
import { instanceNames } from '../../result/validity/instances.ts'

/** One file of a merge. */
export interface FileOfRun {
  path: string
  /** The instances whose first line the file holds. */
  instances: readonly number[]
}

interface Merged {
  files: readonly FileOfRun[]
  /** The number of instances of the run. */
  of: number
  /** The instances that have a first line but no last one. */
  unfinished: readonly number[]
}

/** The number of sentences at most, because a run may have thousands of pods. */
const MOST_TOLD = 20

/**
 * One sentence for each file without a journal or whose instances did not finish, and for each Job
 * that no file belongs to; none when everything is there. Instances are numbered from 0 and
 * k6-operator's Jobs from 1. k6 assigns the VUs to equal segments in turn: of four Jobs, the second
 * has the instances 1, 5 and 9.
 */
export function troubledPlaces({ files, of, unfinished }: Merged): string[] {
  const jobs = jobsOf(files, of)
  const jobWords = (instance: number): string =>
    jobs === null ? '' : ` (the Job whose name ends in -${(instance % jobs) + 1})`
  const troubles = files.flatMap(({ path, instances }): string[] => {
    const cut = instances.filter((instance) => unfinished.includes(instance))
    if (instances.length === 0) return [`${path} does not hold the beginning of a journal`]
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
 * The number of Jobs, each of which has as many instances as the fullest file; null when the files
 * do not look like those of Jobs.
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
