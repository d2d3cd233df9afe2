/**
 * Workers that take executions first come, first served, over typed arrays: the recursion of Kiefer
 * and Wolfowitz ("On the theory of queues with many servers", 1955) with the free times in a heap.
 */

/** Stands for the wait of an execution that was turned away. */
export const TURNED_AWAY = -1

export interface Workers {
  slots: number
  /** Executions that may wait; null for no limit. */
  queueLimit: number | null
}

/**
 * Writes the wait of each execution to `waits`: `TURNED_AWAY` where the queue was full. `arrivals`
 * rise; all times share one unit.
 */
export function waitsOf(
  { slots, queueLimit }: Workers,
  arrivals: Float64Array,
  services: Float64Array,
  waits: Float64Array,
): void {
  const free = new Float64Array(slots).fill(-Infinity)
  const starts = queueLimit === null ? null : new Float64Array(arrivals.length)
  let [admitted, running] = [0, 0]
  for (let i = 0; i < arrivals.length; i++) {
    const at = arrivals[i]!
    const earliest = free[0]!
    if (starts !== null && queueLimit !== null && earliest > at) {
      // Starts never decrease: those after now are the ones that wait.
      while (running < admitted && starts[running]! <= at) running++
      if (admitted - running >= queueLimit) {
        waits[i] = TURNED_AWAY
        continue
      }
    }
    const start = earliest > at ? earliest : at
    waits[i] = start - at
    if (starts !== null) starts[admitted++] = start
    sink(free, slots, start + services[i]!)
  }
}

/** Replaces the least of the heap. */
function sink(heap: Float64Array, size: number, value: number): void {
  let hole = 0
  for (;;) {
    let child = 2 * hole + 1
    if (child >= size) break
    const other = child + 1
    if (other < size && heap[other]! < heap[child]!) child = other
    const least = heap[child]!
    if (least >= value) break
    heap[hole] = least
    hole = child
  }
  heap[hole] = value
}
