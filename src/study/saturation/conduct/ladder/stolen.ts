/**
 * Reads how much CPU time the hypervisor withheld from this machine: on a shared host, a neighbour
 * slows down crewload and a target beside it without any other trace.
 */
import { readFileSync } from 'node:fs'

/** In clock ticks of all cores since the machine started. */
export interface CpuTimes {
  /** What was asked for: everything but idleness and waiting for a disk. */
  wanted: number
  stolen: number
}

/**
 * From the text of `/proc/stat` (proc_stat(5)): user, nice, system, idle, iowait, irq, softirq,
 * steal; the guests that follow are part of user and nice. Null if it does not contain all of them.
 */
export function cpuTimesOf(text: string): CpuTimes | null {
  const [, ticks = ''] = /^cpu +(\d+(?: \d+){7})/m.exec(text) ?? []
  const times = ticks.split(' ').map(Number)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = times
  const wanted = user + nice + system + irq + softirq + stolen
  return wanted === 0 ? null : { wanted, stolen }
}

/**
 * The share of the wanted CPU time that was stolen since the last call; null where the system does
 * not say.
 */
export function stolenMeter(read: () => CpuTimes | null = readTimes): () => number | null {
  let last = read()
  return () => {
    const [before, now] = [last, read()]
    last = now
    if (before === null || now === null) return null
    const wanted = now.wanted - before.wanted
    return wanted <= 0 ? 0 : Math.max(0, now.stolen - before.stolen) / wanted
  }
}

/** Only Linux has the file. */
function readTimes(): CpuTimes | null {
  try {
    return cpuTimesOf(readFileSync('/proc/stat', 'utf8'))
  } catch {
    return null
  }
}
