/** The machine that a run's requests come from, as far as times depend on it. */
import { arch, availableParallelism, cpus, platform } from 'node:os'
import { plural } from '../../result/metrics/format.ts'
import type { RunOptions } from '../options.ts'
import { engineOf } from '../options.ts'

/** `linux x64, 4 cores, AMD EPYC 7763`; null in virtual time, which depends on no machine. */
export function machineOf(options: Pick<RunOptions, 'engine'>): string | null {
  return engineOf(options).kind === 'virtual' ? null : thisMachine()
}

/** `cpu`: its model, which some systems leave empty. */
export function thisMachine(cpu = cpus()[0]?.model ?? ''): string {
  const model = cpu.trim().replaceAll(/\s+/g, ' ')
  const kind = `${platform()} ${arch()}, ${plural(availableParallelism(), 'core')}`
  return model === '' ? kind : `${kind}, ${model}`
}
