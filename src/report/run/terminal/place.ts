/** The place that receives what is sent, as every printed plan shows it. */
import { plainText } from '../../frame/format.ts'

export interface PlaceFacts {
  target: string
  /** For example `fake crew "default"`, or null for a deployment. */
  profile: string | null
  /** The proxy on the way to the target, without credentials. Default: none. */
  proxy?: string
  /** Tokens too short to be taken out of texts in which the target repeats them. Default: none. */
  shortTokens?: number
}

export function placeRow({ target, profile, proxy }: PlaceFacts): [string, string] {
  const way = proxy === undefined ? '' : `, through the proxy ${plainText(proxy)}`
  const fake = profile === null ? '' : `, ${plainText(profile)}`
  return ['target', plainText(target) + way + fake]
}
