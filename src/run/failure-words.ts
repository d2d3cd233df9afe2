/** Why a target could not be reached, in words that name the way out. */
import type { FailureClass } from '../crew/answer.ts'

const WORDS: Partial<Record<FailureClass, string>> = {
  refused: 'nothing listens there (connection refused)',
  dns: 'its name cannot be resolved',
  tls: 'its certificate is not trusted (--ca FILE names an authority, --insecure skips the check)',
  'connect-timeout': 'no connection within the time-out',
  timeout: 'no answer within the time-out',
  'malformed-http': 'what answers there does not speak HTTP',
}

export function failureWords(failure: FailureClass): string {
  return WORDS[failure] ?? failure
}
