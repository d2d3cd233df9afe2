/** Twenty crews that differ in the durations of their executions, each as a profile. */

export interface Crew {
  name: string
  /** The duration of each task, as a profile writes it. */
  tasks: readonly string[]
  /** Default: enough workers that no execution waits. */
  workers?: number
  /** Arrivals per minute. Default 60. */
  perMinute?: number
}

const MANY_WORKERS = 100_000

export const CREWS: readonly Crew[] = [
  { name: 'constant 60 s', tasks: ['60s'] },
  { name: 'constant, three tasks', tasks: ['10s', '20s', '5s'] },
  { name: 'nearly constant', tasks: ['{ uniform: { min: 59s, max: 61s } }'] },
  { name: 'uniform 10 to 110 s', tasks: ['{ uniform: { min: 10s, max: 110s } }'] },
  { name: 'uniform 90 to 120 s', tasks: ['{ uniform: { min: 90s, max: 120s } }'] },
  { name: 'exponential', tasks: ['{ gamma: { mean: 60s, cv: 1 } }'] },
  { name: 'gamma, cv 0.5', tasks: ['{ gamma: { mean: 60s, cv: 0.5 } }'] },
  { name: 'gamma, cv 0.2', tasks: ['{ gamma: { mean: 200s, cv: 0.2 } }'] },
  { name: 'gamma, cv 1.5', tasks: ['{ gamma: { mean: 60s, cv: 1.5, cap: 20m } }'] },
  { name: 'lognormal, sigma 0.3', tasks: ['{ lognormal: { median: 60s, p95: 98s } }'] },
  { name: 'lognormal, sigma 0.76', tasks: ['{ lognormal: { median: 60s, p95: 210s, cap: 20m } }'] },
  { name: 'heavy tail, sigma 1.2', tasks: ['{ lognormal: { median: 30s, p95: 216s, cap: 25m } }'] },
  {
    name: 'bimodal, narrow',
    tasks: ['{ quantiles: { 0%: 18s, 60%: 22s, 60.01%: 115s, 100%: 125s } }'],
  },
  {
    name: 'bimodal, wide',
    tasks: ['{ quantiles: { 0%: 5s, 50%: 30s, 50.01%: 90s, 100%: 240s } }'],
  },
  {
    name: 'bimodal, rare and long',
    tasks: ['{ quantiles: { 0%: 28s, 90%: 34s, 90.01%: 300s, 100%: 420s } }'],
  },
  {
    name: 'three modes',
    tasks: ['{ quantiles: { 0%: 9s, 33%: 11s, 33.01%: 58s, 66%: 62s, 66.01%: 170s, 100%: 190s } }'],
  },
  {
    name: 'three tasks, heavy tails',
    tasks: [
      '{ lognormal: { median: 18s, p95: 138s, cap: 10m } }',
      '{ lognormal: { median: 13s, p95: 70s, cap: 5m } }',
      '{ lognormal: { median: 13s, p95: 69s, cap: 5m } }',
    ],
  },
  { name: 'short, 2 s', tasks: ['{ lognormal: { median: 2s, p95: 5s, cap: 20s } }'] },
  {
    name: 'with a queue, half full',
    tasks: ['{ gamma: { mean: 60s, cv: 0.5 } }'],
    workers: 4,
    perMinute: 2,
  },
  {
    name: 'with a queue, constant work',
    tasks: ['60s'],
    workers: 2,
    perMinute: 1,
  },
]

/** The profile as YAML. HTTP answers take a few milliseconds, as on a near network. */
export function profileOf({ tasks, workers = MANY_WORKERS }: Crew): string {
  const listed = tasks.map((duration, i) => `  - { id: t${i}, agent: A, duration: ${duration} }`)
  return [
    'description: how long executions take',
    'inputs: [topic]',
    'tasks:',
    ...listed,
    `capacity: { workers: ${workers} }`,
    '',
  ].join('\n')
}
