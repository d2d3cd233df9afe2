/** The engines that carry a load: this process, simulated time, and k6. */
export const ENGINES = ['node', 'virtual', 'k6'] as const
