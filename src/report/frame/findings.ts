/** How each severity of a finding is shown: by a word and a sign, because colour is not enough. */
import type { Finding } from '../../result/document.ts'
import type { Ink } from './paint.ts'

export const SEVERITIES: Readonly<
  Record<Finding['severity'], { word: string; sign: string; tone: string; ink: Ink }>
> = {
  info: { word: 'note', sign: 'i', tone: 'note', ink: 'cyan' },
  warning: { word: 'warning', sign: '!', tone: 'doubt', ink: 'yellow' },
  problem: { word: 'problem', sign: '✗', tone: 'bad', ink: 'red' },
}
