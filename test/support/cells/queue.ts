/**
 * Queues with known true values: Poisson arrivals, a number of servers, first come first served.
 * Times are in mean service times.
 */
import type { Random } from '../../../src/base/random.ts'

export interface Queue {
  servers: number
  /** The share of the servers' time in use, above 0 and below 1. */
  load: number
  /** Draws a service time; its mean is 1. */
  service: (random: Random) => number
}

/** Consecutive arrivals in their order. */
export interface Visits {
  arrived: Float64Array
  /** The time of waiting and being served. */
  stayed: Float64Array
}

export function exponentialService(random: Random): number {
  return random.exponential()
}

const SIGMA = 0.76

/** Lognormal, sigma 0.76: its p95 is 3.5 times its median, its coefficient of variation 0.88. */
export function lognormalService(random: Random): number {
  return Math.exp(SIGMA * random.normal() - SIGMA ** 2 / 2)
}

/** The first `unseen` arrivals, which find an initially empty queue, are left out. */
export function visits(queue: Queue, n: number, unseen: number, random: Random): Visits {
  const gap = 1 / (queue.load * queue.servers)
  const free = new Float64Array(queue.servers)
  const [arrived, stayed] = [new Float64Array(n), new Float64Array(n)]
  const [arrivals, services] = [random.fork('arrivals'), random.fork('services')]
  let now = 0
  for (let i = -unseen; i < n; i++) {
    now += gap * arrivals.exponential()
    const server = soonest(free)
    const end = Math.max(now, free[server]!) + queue.service(services)
    free[server] = end
    if (i < 0) continue
    arrived[i] = now
    stayed[i] = end - now
  }
  return { arrived, stayed }
}

function soonest(free: Float64Array): number {
  let first = 0
  for (let i = 1; i < free.length; i++) if (free[i]! < free[first]!) first = i
  return first
}

/**
 * Quantile `q` of the stay in an M/M/c queue: an arrival waits with the probability given by
 * Erlang's formula C, then for an exponential time of rate c (1 - load), and is served for an
 * exponential time of rate 1.
 */
export function exponentialQuantile({ servers, load }: Queue, q: number): number {
  const wait = erlangC(servers, load)
  const rate = servers * (1 - load)
  const late = (time: number) =>
    Math.abs(1 - rate) < 1e-9
      ? time * Math.exp(-time)
      : (Math.exp(-rate * time) - Math.exp(-time)) / (1 - rate)
  const longer = (time: number) => Math.exp(-time) + wait * late(time)
  let [low, high] = [0, 1_000]
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2
    if (longer(middle) > 1 - q) low = middle
    else high = middle
  }
  return high
}

function erlangC(servers: number, load: number): number {
  const blocked = erlangB(servers, servers * load)
  return blocked / (1 - load * (1 - blocked))
}

/**
 * The share of Poisson arrivals that find all servers busy when nobody waits, by Erlang's formula
 * B; `offered` is in mean service times.
 */
export function erlangB(servers: number, offered: number): number {
  let blocked = 1
  for (let k = 1; k <= servers; k++) blocked = (offered * blocked) / (k + offered * blocked)
  return blocked
}

/** Quantile `q` of the stay in any such queue, from a long run. */
export function simulatedQuantile(queue: Queue, q: number, n: number, random: Random): number {
  const { stayed } = visits(queue, n, Math.ceil(n / 100), random)
  return stayed.sort()[Math.ceil(q * n) - 1]!
}
