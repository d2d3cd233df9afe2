/**
 * The interface's wire shapes, as a well-behaved target sends them. Readers in this room accept
 * anything.
 */

export type Dialect = 'interface' | 'platform'

/** What a fake crew can speak: the last is `platform` as live deployments were seen in 2026-10. */
export const DIALECT_NAMES = ['interface', 'platform', 'platform-2026-10'] as const
export type DialectName = (typeof DIALECT_NAMES)[number]

/** 2.2 to 2.5, as the bodies that follow: times are seconds. */
export interface RunningBody {
  status: 'running'
  current_task: string
  progress: { completed_tasks: number; total_tasks: number }
}

export interface CompletedBody {
  status: 'completed'
  result: { output: string; tasks: TaskResultBody[] }
  execution_time: number
  /** Not in the document, and reported by live deployments. */
  usage_metrics?: Readonly<Record<string, number | string>>
}

interface TaskResultBody {
  task_id: string
  output: string
  agent: string
  execution_time: number
}

export interface ErrorStatusBody {
  status: 'error'
  error: string
  execution_time: number
  usage_metrics?: Readonly<Record<string, number | string>>
}

/** 2.6 */
export interface ErrorBody {
  error: string
  message: string
  details?: Record<string, unknown>
}

export type PlatformState =
  | 'PENDING'
  | 'STARTED'
  | 'RUNNING'
  | 'PAUSED'
  | 'SUCCESS'
  | 'FAILED'
  | 'FAILURE'
  | 'REVOKED'
  | 'NOT FOUND'

/** What live deployments answer to a status request. */
export interface PlatformStatusBody {
  state: PlatformState
  status: string | null
  result: string | null
  result_json: unknown
  progress: PlatformProgress | null
  last_executed_task: PlatformTask | null
  last_step: unknown
  source: string | null
  usage_metrics?: Readonly<Record<string, number | string>>
  /** Since 2026-10. */
  triggered_by?: string
  execution_origin?: string
}

/**
 * The most recently completed task. Public clients read its `output`; its other fields are not
 * published.
 */
export interface PlatformTask {
  task_id: string
  agent: string
  output: string
}

export interface PlatformProgress {
  unit: 'task' | 'step'
  completed: number
  /** Null for steps: nobody knows how many there will be. */
  total: number | null
  remaining: number | null
  current: string | null
  current_agent: string | null
  started_at: string | null
  updated_at: string | null
  duration_seconds: number
}
