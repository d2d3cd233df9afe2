/** How limits are inferred over real HTTP: `node bench/run.mjs limits-http`, a line for each. */
import { inferOverSockets } from './limits/sockets.ts'

await inferOverSockets()
