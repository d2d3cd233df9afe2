/**
 * How arrivals are distributed around a rate: every arrival process, and what follows from the
 * list.
 */
import type { Random } from '../../../base/random.ts'
import { gamma } from './gamma.ts'
import { poisson } from './poisson.ts'
import type { NextPoint, PointProcess } from './process.ts'
import { uniform } from './uniform.ts'

/**
 * The list of the processes, by the key or word that an author writes; `schemas.ts` lists their
 * checks.
 */
const PROCESSES = { uniform, poisson, gamma }

type ProcessName = keyof typeof PROCESSES

type PlannedBy<D> = D extends PointProcess<infer Process, unknown> ? Process : never
type WrittenProcess<D> = D extends { readonly written?: infer Written } ? Written : never

/** The process as a plan names it, with its parameters. */
export type ArrivalProcess = PlannedBy<(typeof PROCESSES)[ProcessName]>

/** The process as an author writes it. */
export type ProcessOption<Name extends ProcessName = ProcessName> = WrittenProcess<
  (typeof PROCESSES)[Name]
>

/** Looks up the process by its kind; the type of the table guarantees that they match. */
function processNamed(process: ArrivalProcess): PointProcess<ArrivalProcess, unknown> {
  return PROCESSES[process.kind]
}

/** The points of one run: from 0 on, never decreasing, on average one per unit of length. */
export function pointsOf(process: ArrivalProcess, random: Random): NextPoint {
  return processNamed(process).points(process, random)
}

/** How many points are before `length`; null when that differs from run to run. */
export function countBefore(process: ArrivalProcess, length: number): number | null {
  return processNamed(process).countBefore?.(length) ?? null
}
